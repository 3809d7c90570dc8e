/** A message of the present history, or of the past as it was added: what facts are found in. */

import type { ContextMessage, PastMessage } from '../../../api/index.ts';

export type Said = ContextMessage | PastMessage;
export type SaidResult = Extract<Said, { role: 'tool' }>;

export const isHidden = (message: Said): boolean => 'hidden' in message && message.hidden;

/**
 * The whole session in the order in which it was said: results as the history has them, and where they left with an earlier
 * compaction as they were added. Requests and calls are as they were made: what cuts them may cut what they were about.
 * Notes come after everything that they were made of.
 */
export function wholeSession(history: readonly ContextMessage[], past: readonly PastMessage[]): readonly Said[] {
  const shown = new Map(history.map((message) => [message.id, message]));
  const added = new Set(past.map(({ id }) => id));
  const said: Said[] = past.map((message) => (message.role === 'tool' ? (shown.get(message.id) ?? message) : message));
  const others = history.filter(({ id }) => !added.has(id));
  // The past is in order, and little is put into it.
  for (const other of others) said.splice(placeOf(other, said), 0, other);
  return said;
}

/** The index behind what was said before the same entry, or in it. */
function placeOf(message: Said, said: readonly Said[]): number {
  const entry = entryOf(message);
  let [from, to] = [0, said.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (entryOf(said[middle] as Said) <= entry) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The entry that made it: ids begin with a letter and its number. */
const entryOf = ({ id }: Said): number => Number.parseInt(id.slice(1), 10) || 0;
