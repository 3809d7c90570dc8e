/** A request for a compaction, and its outcome. */

import type { CompactionEntry, Trigger } from '../../journal/entry.ts';
import { type Words, words } from '../../words.ts';

export interface CompactionRequest {
  readonly trigger: Trigger;
  /** The person's instructions (`/compact [instructions]`). */
  readonly instructions?: string | undefined;
  /** The person is shown what it costs, and agrees, before any model is asked. */
  readonly pricedFirst?: boolean;
  readonly early?: CompactionEntry['early'];
}

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
  /**
   * Everything was tried and it still does not fit; the turn must stop with the numbers in `reason`. `entry`: what was
   * compacted all the same.
   */
  | { readonly kind: 'stuck'; readonly reason: Words; readonly entry?: CompactionEntry };

type None = Extract<CompactionOutcome, { kind: 'none' }>;

export const none = (reason: Words, retry?: None['retry']): None => ({
  kind: 'none',
  reason,
  ...(retry ? { retry } : {}),
});

export const STOPPED = words('The compaction was stopped.');
