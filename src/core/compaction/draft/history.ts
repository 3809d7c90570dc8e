/**
 * The conversation at the start of a compaction: one frozen message for each context item, built once and shared
 * between runs. Only `protected` of a message ever changes, so inspecting a long session copies one array and no
 * message.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { type ContextItem, protectedIds } from '../../context/item.ts';
import type { Message } from '../../context/message.ts';
import { factsOf } from './messageFacts.ts';

export interface History {
  /** In order, deep-frozen: the messages that strategies see. */
  readonly messages: readonly ContextMessage[];
  /** The items they were made from, by the same index. */
  readonly items: readonly ContextItem[];
  /** Indices of the protected messages, in order. */
  readonly protectedAt: readonly number[];
  /** Uncalibrated tokens of all messages. */
  readonly tokens: number;
  /** The message of an item as appended. */
  readonly original: (id: string) => Message;
}

export class HistoryView {
  #items: readonly ContextItem[] = [];
  #messages: ContextMessage[] = [];
  #tokens = 0;
  #pinned: number[] = [];
  #latestUser = -1;

  /** Fast when `items` is the previous array, grown at its end. */
  of(items: readonly ContextItem[], original: History['original']): History {
    if (items !== this.#items || items.length < this.#messages.length) this.#begin(items);
    for (let i = this.#messages.length; i < items.length; i++) {
      const item = items[i] as ContextItem;
      if (item.pinned) this.#pinned.push(i);
      if (item.kind === 'user') this.#latestUser = i;
      this.#tokens += item.tokens;
      this.#messages.push(toContextMessage(item, false));
    }
    const protectedAt = this.#findProtected(items);
    const messages = this.#messages.slice();
    for (const i of protectedAt) messages[i] = toContextMessage(items[i] as ContextItem, true);
    return { messages: Object.freeze(messages), items, protectedAt, tokens: this.#tokens, original };
  }

  #begin(items: readonly ContextItem[]): void {
    this.#items = items;
    this.#messages = [];
    this.#tokens = 0;
    this.#pinned = [];
    this.#latestUser = -1;
  }

  /** Apart from pins, only messages from the latest user message on are protected. */
  #findProtected(items: readonly ContextItem[]): readonly number[] {
    const from = Math.max(0, this.#latestUser);
    const ids = protectedIds(items.slice(from));
    const found = this.#pinned.filter((i) => i < from);
    for (let i = from; i < items.length && ids.size > 0; i++) if (ids.has(items[i]?.id ?? '')) found.push(i);
    return found;
  }
}

function toContextMessage(item: ContextItem, isProtected: boolean): ContextMessage {
  const { id, message, tokens, block, round, hidden, time } = item;
  const shared = { id, text: message.text, tokens, block, round, protected: isProtected, hidden, time };
  return Object.freeze({ ...shared, ...factsOf(message) });
}
