/**
 * What strategies see: one frozen message for each context item, built once and shared between runs. An item's message
 * never changes but for `protected`, so a pass over a long session copies one array and no message.
 */

import type { AssistantMessage, ContextMessage, ToolMessage, UserMessage } from '../../../api/index.ts';
import type { ContextItem } from '../../context/item.ts';
import { protectedIds } from '../../context/protect.ts';

export class HistoryView {
  #items: readonly ContextItem[] = [];
  #messages: ContextMessage[] = [];
  #pinned: number[] = [];
  #latestUser = -1;
  #guarded: readonly number[] = [];

  /** The messages of `items`, in order, deep-frozen. Fast when `items` is the array seen last, grown at its end. */
  of(items: readonly ContextItem[]): readonly ContextMessage[] {
    if (items !== this.#items || items.length < this.#messages.length) this.#begin(items);
    for (let i = this.#messages.length; i < items.length; i++) {
      const item = items[i] as ContextItem;
      if (item.pinned) this.#pinned.push(i);
      if (item.kind === 'user') this.#latestUser = i;
      this.#messages.push(toContextMessage(item, false));
    }
    this.#guarded = this.#findGuarded(items);
    const history = this.#messages.slice();
    for (const i of this.#guarded) history[i] = toContextMessage(items[i] as ContextItem, true);
    return Object.freeze(history);
  }

  /** Indices of the protected messages of the history made last, in order. */
  get guarded(): readonly number[] {
    return this.#guarded;
  }

  #begin(items: readonly ContextItem[]): void {
    this.#items = items;
    this.#messages = [];
    this.#pinned = [];
    this.#latestUser = -1;
  }

  /** What is protected for another reason than a pin stands behind the latest user message, or is that message. */
  #findGuarded(items: readonly ContextItem[]): readonly number[] {
    const from = Math.max(0, this.#latestUser);
    const ids = protectedIds(items.slice(from));
    const guarded = this.#pinned.filter((i) => i < from);
    for (let i = from; i < items.length && ids.size > 0; i++) if (ids.has(items[i]?.id ?? '')) guarded.push(i);
    return guarded;
  }
}

export function toContextMessage(item: ContextItem, guarded: boolean): ContextMessage {
  const { id, message, tokens, block, round, hidden, time } = item;
  const facts = { id, text: message.text, tokens, block, round, protected: guarded, hidden, time };
  switch (message.role) {
    case 'user': {
      const attachments = (message.attachments ?? []).map(({ mime, tokens }) => Object.freeze({ mime, tokens }));
      const shown: UserMessage = {
        ...facts,
        role: 'user',
        kind: message.kind,
        attachments: Object.freeze(attachments),
      };
      return Object.freeze(shown);
    }
    case 'assistant': {
      const calls = message.interrupted ? [] : (message.toolCalls ?? []);
      const toolCalls = calls.map(({ id, name, arguments: json }) => Object.freeze({ id, name, arguments: json }));
      const shown: AssistantMessage = { ...facts, role: 'assistant', toolCalls: Object.freeze(toolCalls) };
      return Object.freeze(shown);
    }
    case 'tool': {
      const shown: ToolMessage = {
        ...facts,
        role: 'tool',
        toolCallId: message.toolCallId,
        toolName: message.toolName,
        isError: message.isError ?? false,
        ephemeral: message.ephemeral !== undefined,
        truncated: message.truncation !== undefined || message.offload !== undefined,
      };
      return Object.freeze(shown);
    }
  }
}
