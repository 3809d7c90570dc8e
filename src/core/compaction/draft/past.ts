/**
 * The messages of a path as they were appended, oldest first. Each is made once, and the next lookup reads only later
 * entries.
 */

import type { CompactionContext, PastMessage } from '../../../api/index.ts';
import type { Message } from '../../context/message.ts';
import { type MessageEntry, messageId, type TreeEntry } from '../../journal/entry.ts';
import { factsOf } from './messageFacts.ts';

/** Maximum entries of a path that are examined, newest first: a session may be of any length. */
const MOST_ENTRIES = 20_000;

/** A message never changes, and each compaction asks for the same ones. */
export const made = new WeakMap<Message, PastMessage>();

/** The messages of a path, oldest first, each with its distance in entries from the newest. */
interface Found {
  readonly past: readonly PastMessage[];
  readonly back: readonly number[];
}

/** By the newest message of a path, so that the next lookup reads only later entries. */
export const found = new WeakMap<MessageEntry, Found>();

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
  return Object.freeze({ ...shared, ...factsOf(message) });
}
