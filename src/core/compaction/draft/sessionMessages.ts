/** The messages of a whole session, in order: the present history, and what earlier compactions removed from it. */

import type { ContextMessage, PastMessage } from '../../../api/index.ts';

/** A message of the present history, or a past message as appended: the input for facts. */
export type SessionMessage = ContextMessage | PastMessage;

export type SessionResult = Extract<SessionMessage, { role: 'tool' }>;

export const isHidden = (message: SessionMessage): boolean => 'hidden' in message && message.hidden;

/**
 * The whole session in order: results as the history shows them, or as appended if they left with an earlier
 * compaction. Requests and calls are in their original form, because cutting them may remove their subject. Notes come
 * after all messages they were made from.
 */
export function wholeSession(
  history: readonly ContextMessage[],
  past: readonly PastMessage[],
): readonly SessionMessage[] {
  const shown = new Map(history.map((message) => [message.id, message]));
  const added = new Set(past.map(({ id }) => id));
  const messages: SessionMessage[] = past.map((message) =>
    message.role === 'tool' ? (shown.get(message.id) ?? message) : message,
  );
  const others = history.filter(({ id }) => !added.has(id));
  // The past is ordered, and few messages are merged into it.
  for (const other of others) messages.splice(placeOf(other, messages), 0, other);
  return messages;
}

/** The index after all messages from the same or an earlier entry. */
function placeOf(message: SessionMessage, messages: readonly SessionMessage[]): number {
  const entry = entryOf(message);
  let [from, to] = [0, messages.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (entryOf(messages[middle] as SessionMessage) <= entry) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The entry that created it: ids begin with a letter and its number. */
const entryOf = ({ id }: SessionMessage): number => Number.parseInt(id.slice(1), 10) || 0;
