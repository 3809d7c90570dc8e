/** A message of the present history, or of the past as it was added: what facts are found in. */

import type { ContextMessage, PastMessage } from '../../../api/index.ts';

export type Said = ContextMessage | PastMessage;
export type SaidResult = Extract<Said, { role: 'tool' }>;

export const isHidden = (message: Said): boolean => 'hidden' in message && message.hidden;

/**
 * The whole session in the order in which it was said: a message as the history has it, and where it left with an earlier
 * compaction as it was added. Notes come after everything that they were made of.
 */
export function wholeSession(history: readonly ContextMessage[], past: readonly PastMessage[]): readonly Said[] {
  const shown = new Set(history.map(({ id }) => id));
  const left = past.filter(({ id }) => !shown.has(id));
  if (left.length === 0) return history;
  return [...left, ...history].sort((a, b) => entryOf(a) - entryOf(b));
}

/** The entry that made it: ids begin with a letter and its number. */
const entryOf = ({ id }: Said): number => Number.parseInt(id.slice(1), 10) || 0;
