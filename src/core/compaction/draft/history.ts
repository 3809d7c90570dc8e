/**
 * The conversation at the start of a compaction: one frozen message for each context item, built once and shared
 * between runs. Only `protected` of a message ever changes, so inspecting a long session copies one array and no
 * message.
 */

import type {
  AssistantMessage,
  CompactionContext,
  ContextMessage,
  PastMessage,
  ToolMessage,
  UserMessage,
} from '../../../api/index.ts';
import { ownText } from '../../context/authorship.ts';
import { type ContextItem, protectedIds } from '../../context/item.ts';
import type { Message } from '../../context/message.ts';
import { type MessageEntry, messageId, type TreeEntry } from '../../journal/entry.ts';

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
  return noteOwnWords(Object.freeze({ ...shared, ...factsOf(message) }), message);
}

/** The person's words of a message in which others wrote, too. Strategies do not see the parts. */
const ownWords = new WeakMap<object, string>();

function noteOwnWords<S extends object>(shown: S, message: Message): S {
  if (message.role === 'user' && message.parts) ownWords.set(shown, ownText(message));
  return shown;
}

/** The person's own words in a message; its whole text where they wrote all of it. */
export function ownWordsOf(message: ContextMessage | PastMessage): string {
  return ownWords.get(message) ?? message.text;
}

/** The role-dependent fields of a message for strategies, frozen: the same in the present history and in the past. */
type MessageFacts =
  | Pick<UserMessage, 'role' | 'kind' | 'attachments'>
  | Pick<AssistantMessage, 'role' | 'toolCalls'>
  | Pick<ToolMessage, 'role' | 'toolCallId' | 'toolName' | 'isError' | 'ephemeral' | 'truncated' | 'attachments'>;

function factsOf(message: Message): MessageFacts {
  switch (message.role) {
    case 'user':
      return { role: 'user', kind: message.kind, attachments: attachmentsOf(message) };
    case 'assistant': {
      const calls = message.interrupted ? [] : (message.toolCalls ?? []);
      const toolCalls = calls.map(({ id, name, arguments: json }) => Object.freeze({ id, name, arguments: json }));
      return { role: 'assistant', toolCalls: Object.freeze(toolCalls) };
    }
    case 'tool': {
      const attachments = attachmentsOf(message);
      return {
        role: 'tool',
        toolCallId: message.toolCallId,
        toolName: message.toolName,
        isError: message.isError ?? false,
        ephemeral: message.ephemeral !== undefined,
        truncated: message.truncation !== undefined || message.offload !== undefined,
        ...(attachments.length > 0 ? { attachments } : {}),
      };
    }
  }
}

function attachmentsOf({ attachments = [] }: Extract<Message, { role: 'user' | 'tool' }>) {
  return Object.freeze(attachments.map(({ mime, tokens }) => Object.freeze({ mime, tokens })));
}

/** Maximum entries of a path that are examined, newest first: a session may be of any length. */
const MOST_ENTRIES = 20_000;

/** A message never changes, and each compaction asks for the same ones. */
const made = new WeakMap<Message, PastMessage>();

/** The messages of a path, oldest first, each with its distance in entries from the newest. */
interface Found {
  readonly past: readonly PastMessage[];
  readonly back: readonly number[];
}

/** By the newest message of a path, so that the next lookup reads only later entries. */
const found = new WeakMap<MessageEntry, Found>();

/** `newestFirst` are the entries of the path. */
export function findPast(newestFirst: Iterable<TreeEntry>): CompactionContext['past'] {
  const fresh: { readonly entry: MessageEntry; readonly back: number }[] = [];
  let before: Found = { past: [], back: [] };
  let walked = 0;
  for (const entry of newestFirst) {
    if (walked === MOST_ENTRIES) break;
    const known = entry.type === 'message' ? found.get(entry) : undefined;
    if (known && entry.type === 'message') {
      before = known;
      if (fresh.length > 0) found.delete(entry);
      break;
    }
    if (entry.type === 'message') fresh.push({ entry, back: walked });
    walked++;
  }
  // Messages beyond the limit are dropped.
  const stays = before.back.findIndex((back) => back + walked < MOST_ENTRIES);
  const kept = stays < 0 ? [] : before.past.slice(stays);
  const newest = fresh[0];
  if (!newest) return Object.freeze(kept);
  fresh.reverse();
  const past = Object.freeze([...kept, ...fresh.map(({ entry }) => shownOf(entry))]);
  const since = walked - newest.back;
  const back = before.back.slice(before.back.length - kept.length).map((entries) => entries + since);
  found.set(newest.entry, { past, back: [...back, ...fresh.map((each) => each.back - newest.back)] });
  return past;
}

function shownOf(entry: MessageEntry): PastMessage {
  const shown = made.get(entry.message) ?? toPast(entry);
  made.set(entry.message, shown);
  return shown;
}

function toPast({ seq, time, tokens, message }: MessageEntry): PastMessage {
  const shared = { id: messageId(seq), text: message.text, tokens, time: Date.parse(time) };
  return noteOwnWords(Object.freeze({ ...shared, ...factsOf(message) }), message);
}
