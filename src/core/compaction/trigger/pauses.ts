/**
 * Pauses of automatic compaction, because a person undid one or declined one. Read from the journal, so that
 * a resumed session pauses as before.
 */

import type { TreeEntry } from '../../journal/entry.ts';

/**
 * After an undo, automatic triggers hold until a person writes or the context has grown by `growth` uncalibrated
 * tokens. `newestFirst` are the entries of the path, from the head back to the root; few of them are read.
 */
export function pausedAfterUndo(newestFirst: Iterable<TreeEntry>, growth: number): boolean {
  let grown = 0;
  for (const entry of newestFirst) {
    switch (entry.type) {
      case 'compactionUndone':
        return grown < growth;
      case 'compaction':
      case 'compactionRedone':
        return false;
      case 'message':
        if (entry.message.role === 'user' && entry.message.kind === 'user') return false;
        grown += entry.tokens;
        if (grown >= growth) return false;
        break;
      default:
        break;
    }
  }
  return false;
}

/**
 * Maximum entries searched for a refusal: for an older one, either the person was asked again or the context has not
 * grown.
 */
const REFUSAL = 2_000;

/**
 * The reading below which nothing fires, because a person declined a compaction; 0 without a refusal since the last
 * one. `newestFirst` as above.
 */
export function pausedByRefusal(newestFirst: Iterable<TreeEntry>): number {
  let read = 0;
  for (const entry of newestFirst) {
    if (entry.type === 'note' && entry.heldBelow !== undefined) return Number(entry.heldBelow) || 0;
    if (entry.type.startsWith('compaction') || ++read >= REFUSAL) return 0;
  }
  return 0;
}
