/**
 * Finds a reason that holds automatic compaction back until the context has grown: a person undid a compaction or declined
 * one, or the last attempt gained little. Read from the journal, so that it lasts across turns, and in a resumed session.
 */

import { type CompactionEntry, isCarriedOver, type TreeEntry } from '../../journal/entry.ts';

export type Hold =
  /** A person undid the last compaction, and has not written since. */
  | 'undone'
  /** A person declined one. */
  | 'declined'
  /** The last attempt failed. */
  | 'failed'
  /** The last one freed less than the growth that must follow it. */
  | 'spent';

interface Held {
  /** The path's entries, from the head back to the root; few of them are read. */
  readonly newestFirst: Iterable<TreeEntry>;
  /** The present reading. */
  readonly tokens: number;
  /** Tokens of the reading per uncalibrated token. */
  readonly factor: number;
}

/** Inserts a text, or hides results for a reason of their own: no attempt to make room. */
const isOther = ({ trigger }: CompactionEntry): boolean =>
  isCarriedOver(trigger) || trigger === 'ephemeral' || trigger === 'recorded';

/** Took the place of a strategy that failed. */
const STEPPED_IN: ReadonlySet<string> = new Set(['fallback', 'partial']);

/** `growth`: in tokens of the reading. Null when nothing holds. */
export function findHold({ newestFirst, tokens, factor }: Held, growth: number): Hold | null {
  let wrote = false;
  for (const entry of withinGrowth(newestFirst, factor, growth)) {
    switch (entry.type) {
      case 'compactionUndone':
        return wrote ? null : 'undone';
      case 'compaction':
        if (isOther(entry)) break;
        if (entry.tokensBefore - entry.tokensAfter < growth) return 'spent';
        return STEPPED_IN.has(entry.strategy) ? 'failed' : null;
      case 'compactionFailed':
        return 'failed';
      // Another model or strategy, or an old compaction again: another attempt.
      case 'configured':
      case 'compactionRedone':
        return null;
      case 'note':
        if (entry.heldBelow !== undefined) return tokens < (Number(entry.heldBelow) || 0) ? 'declined' : null;
        break;
      case 'message':
        if (entry.message.role === 'user' && entry.message.kind === 'user') wrote = true;
        break;
      default:
        break;
    }
  }
  return null;
}

/** True while the context has grown by less than `growth` since the last compaction, however much that one freed. */
export function isRecent({ newestFirst, factor }: Pick<Held, 'newestFirst' | 'factor'>, growth: number): boolean {
  for (const entry of withinGrowth(newestFirst, factor, growth))
    if (entry.type === 'compaction' && !isOther(entry)) return true;
  return false;
}

/** The newest entries, as long as their messages are a smaller growth than that. */
function* withinGrowth(newestFirst: Iterable<TreeEntry>, factor: number, growth: number): Generator<TreeEntry> {
  let grown = 0;
  for (const entry of newestFirst) {
    if (entry.type === 'message') grown += entry.tokens * factor;
    if (grown >= growth) return;
    yield entry;
  }
}

/** True while the last compaction is undone, and no person has written since. */
export const isUndone = (newestFirst: Iterable<TreeEntry>): boolean =>
  findHold({ newestFirst, tokens: 0, factor: 1 }, Number.POSITIVE_INFINITY) === 'undone';
