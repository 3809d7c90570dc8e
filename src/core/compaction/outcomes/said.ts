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
  const said = past.map((message) => (message.role === 'tool' ? (shown.get(message.id) ?? message) : message));
  return [...said, ...history.filter(({ id }) => !added.has(id))].sort((a, b) => entryOf(a) - entryOf(b));
}

/** The entry that made it: ids begin with a letter and its number. */
const entryOf = ({ id }: Said): number => Number.parseInt(id.slice(1), 10) || 0;
