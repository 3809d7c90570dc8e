/** The outcomes of asking for a compaction. */

import type { CompactionEntry } from '../../journal/entry.ts';
import { type Words, words } from '../../words.ts';

/**
 * The interface between the agent loop and the compactor: when it asks, and what it gets. The loop never looks at a
 * strategy, and the compactor never calls the model for a turn.
 */
export type CompactionOutcome =
  /**
   * Nothing was due or possible, or compaction is on hold. `retry`: when another attempt may find more, if it costs
   * nothing; default: when the context has grown.
   */
  | { readonly kind: 'none'; readonly reason: Words; readonly retry?: 'anytime' | 'nextTurn' }
  | { readonly kind: 'compacted'; readonly entry: CompactionEntry }
  /** The person declined: the turn continues, or a new session was requested. `declined`: the strategy, by its id. */
  | { readonly kind: 'refused'; readonly choice: 'newSession' | 'notNow'; readonly declined?: string }
  /** The context is unchanged; `reason` can be shown. */
  | { readonly kind: 'failed'; readonly reason: Words }
  /** Everything was tried and it still does not fit; the turn must stop with the numbers in `reason`. */
  | { readonly kind: 'stuck'; readonly reason: Words };

type None = Extract<CompactionOutcome, { kind: 'none' }>;

export const none = (reason: Words, retry?: None['retry']): None => ({
  kind: 'none',
  reason,
  ...(retry ? { retry } : {}),
});

export const STOPPED = words('The compaction was stopped.');
