/** The messages of a path as they were added, for a strategy that looks beyond what is left of them. */

import type { CompactionContext, PastMessage } from '../../../api/index.ts';
import type { Message } from '../../context/message.ts';
import { type MessageEntry, messageId, type TreeEntry } from '../../journal/entry.ts';
import { factsOf } from './messageFacts.ts';

/** Newest entries of a path that are looked at: a session may be without end. */
const MOST_ENTRIES = 20_000;

/** A message never changes, and the same ones are asked for at each compaction. */
const made = new WeakMap<Message, PastMessage>();

/** `newestFirst` are the entries of the path. */
export function findPast(newestFirst: Iterable<TreeEntry>): CompactionContext['past'] {
  const past: PastMessage[] = [];
  let left = MOST_ENTRIES;
  for (const entry of newestFirst) {
    if (left-- === 0) break;
    if (entry.type !== 'message') continue;
    const { message } = entry;
    const shown = made.get(message) ?? toPast(entry);
    made.set(message, shown);
    past.push(shown);
  }
  return Object.freeze(past.reverse());
}

function toPast({ seq, time, tokens, message }: MessageEntry): PastMessage {
  const shared = { id: messageId(seq), text: message.text, tokens, time: Date.parse(time) };
  return Object.freeze({ ...shared, ...factsOf(message) });
}
