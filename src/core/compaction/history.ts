/**
 * What strategies see: one frozen message for each context item, built once and shared between runs. An item's message
 * never changes but for `protected`, so a pass over a long session copies one array and no message.
 */

import type { AssistantMessage, ContextMessage, ToolMessage, UserMessage } from '../../api/index.ts';
import type { ContextItem } from '../context/item.ts';
import { protectedIds } from '../context/protect.ts';

export class HistoryView {
  #items: readonly ContextItem[] = [];
  #messages: ContextMessage[] = [];

  /** The messages of `items`, in order, deep-frozen. Fast when `items` is the array seen last, grown at its end. */
  of(items: readonly ContextItem[]): readonly ContextMessage[] {
    if (items !== this.#items) {
      this.#items = items;
      this.#messages = [];
    }
    for (let i = this.#messages.length; i < items.length; i++) {
      const item = items[i];
      if (item) this.#messages.push(toContextMessage(item, false));
    }
    const history = this.#messages.slice(0, items.length);
    const guarded = protectedIds(items);
    // Protected items stand mostly at the end, so the search from there is short.
    let left = guarded.size;
    for (let i = items.length - 1; i >= 0 && left > 0; i--) {
      const item = items[i];
      if (!item || !guarded.has(item.id)) continue;
      history[i] = toContextMessage(item, true);
      left--;
    }
    return Object.freeze(history);
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
