/** The parameters of a strategy's run, and the aim of one attempt. */

import type { CompactionContext, SummaryModel } from '../../../api/index.ts';
import type { Timers } from '../../clock.ts';
import type { Trigger } from '../../journal/entry.ts';
import type { Stamp } from '../draft/stub.ts';
import type { StrategyMemory } from './strategyMemory.ts';

/** The parameters of a strategy's run, the same for each attempt. */
export interface StrategyCall {
  readonly trigger: Trigger;
  readonly instructions?: string | undefined;
  /** Tokens; 0 when unknown. */
  readonly window: number;
  /** Tokens of the window that its trigger keeps free. */
  readonly reserve: number;
  /** Tools whose results are not hidden while the window can hold them. */
  readonly protectedTools: readonly string[];
  readonly memory: StrategyMemory;
  /** Values of its `settings` port. */
  readonly section: Readonly<Record<string, unknown>>;
  /** The person's settings of a built-in strategy. */
  readonly sectionOf: (builtIn: string) => Readonly<Record<string, unknown>>;
  readonly llm: SummaryModel;
  /** Default: nothing is known. */
  readonly market?: Market;
  readonly stamp: Stamp;
  readonly timers: Timers;
  /** For each attempt. */
  readonly deadlineMs: number;
  readonly report?: (text: string, fraction?: number) => void;
  /** Called with the uncalibrated tokens of the strategy's work, at each progress report and at the end. */
  readonly onReached?: (historyTokens: number) => void;
  /**
   * Called before each request to the model; an error that it throws becomes the answer. `continued`: it continues the
   * last request.
   */
  readonly onQuestion?: (continued: boolean) => void;
  /**
   * Whether a model may be asked for a summary of so many uncalibrated tokens in this attempt. `inOne`: in a single
   * request. Default: it may.
   */
  readonly maySummarise?: (tokens: number, inOne: boolean, attempt: number) => boolean;
}

/** The facts about the provider's cache and prices when a compaction begins. */
export type Market = Pick<CompactionContext, 'cache' | 'prices'>;

/** The aim of one attempt. */
export interface Aim {
  readonly attempt: number;
  /** Present tokens of the whole request. */
  readonly tokenCount: number;
  /** Uncalibrated tokens that the history should fit into. */
  readonly target: number;
  /** Uncalibrated tokens of the history at which the trigger is quiet; at least `target`. */
  readonly threshold: number;
}
