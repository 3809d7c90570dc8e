/** Whether the history is sent as it is, or in part told in words because a provider refused its form. */

import type { Journal } from '../journal/journal.ts';

/**
 * The newest entry that is told in words, for `lowerContext`; -1 when all is sent as it is. It holds until the next shape
 * entry: what comes after a compaction, or goes to another model, is tried as it is again.
 */
export function mendedUpTo(journal: Journal): number {
  const { epoch } = journal.context;
  for (const entry of journal.backward()) {
    if (entry.seq <= epoch) return -1;
    if (entry.type === 'request' && entry.purpose === 'turn') return entry.mendedUpTo ?? -1;
  }
  return -1;
}
