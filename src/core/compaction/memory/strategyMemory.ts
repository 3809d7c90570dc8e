/**
 * What a strategy remembers of the session, read from the path of its journal: so undo, redo, revert and branches take it
 * back with the compactions that it came from.
 */

import type { CompactionContext, JsonValue } from '../../../api/index.ts';
import type { Projection } from '../../context/projection.ts';
import { readDetails } from './readDetails.ts';

export type StrategyMemory = Pick<CompactionContext, 'details'>;

/** Of a session that has just begun. */
export const NO_MEMORY: StrategyMemory = { details: undefined };

/**
 * What the strategy kept with its newest active compaction; undefined when that one kept nothing. `after` is the newest
 * entry that was imported: what was written elsewhere may be read and does not act here.
 */
export function findDetails(context: Projection, strategy: string, after = -1): JsonValue | undefined {
  for (const { seq, strategy: name, details } of context.newestCompactions()) {
    if (seq <= after) return undefined;
    if (name !== strategy && details?.by !== strategy) continue;
    // The file may have been changed by hand.
    const read = details?.by === strategy ? readDetails(details.value) : null;
    return read?.kind === 'details' ? read.value : undefined;
  }
  return undefined;
}
