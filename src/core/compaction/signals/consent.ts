/** The question that a person is asked before an automatic compaction, with the figures that each answer leads to. */

import type { FateCount } from '../../fates.ts';
import type { Money } from '../../money.ts';

export type ConsentAnswer = 'compact' | 'dropOldest' | 'newSession' | 'notNow';

/** Asked before an automatic compaction. */
export interface ConsentQuestion extends ConsentFigures {
  /** Id of the strategy that would run. */
  readonly strategy: string;
  /** The expected result of each answer. Null where there is nothing to do, or where only a model could tell. */
  readonly outlook: { readonly compact: ExpectedResult | null; readonly dropOldest: ExpectedResult | null };
}

export interface ExpectedResult {
  /** Tokens left, counted like the figures of the question. */
  readonly tokens: number;
  /** Numbers of messages, without those that stay. */
  readonly fates: readonly FateCount[];
}

/** The figures that were compared. */
export interface ConsentFigures {
  readonly tokens: number;
  /** The window, or the trigger's lower maximum; 0 when unknown. */
  readonly window: number;
  /** Counted by the strategy's own estimator, so the meter shows another figure. */
  readonly ownCount: boolean;
  /** Number of messages, where it is a reason. */
  readonly messages?: number;
  /** Id of the chosen strategy, which the person did not allow to run. */
  readonly insteadOf?: string;
  /** The person asked for it themselves, and has sent no message. */
  readonly byHand?: boolean;
  /** Its summary, where that is a reason to ask: requests, none at no cost, tokens read in all, and their cost if known. */
  readonly summary?: { readonly requests: number; readonly tokens: number; readonly cost: Money | null };
}
