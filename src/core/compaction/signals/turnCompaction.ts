/**
 * The interface between the agent loop and the compactor: when it asks, and what it gets. The loop never looks at a
 * strategy, and the compactor never calls the model for a turn.
 */

import type { Usage } from '../../context/message.ts';
import type { ModelError } from '../../errors.ts';
import type { CompactionEntry, Trigger } from '../../journal/entry.ts';
import type { ExpectedPrompt } from '../../model/modelClient.ts';
import type { ReportDoubt } from '../../tokens/judgeReports.ts';
import type { CompactionOutcome } from './outcome.ts';

export interface CompactionRequest {
  readonly trigger: Trigger;
  /** The person's instructions (`/compact [instructions]`). */
  readonly instructions?: string | undefined;
  readonly early?: CompactionEntry['early'];
}

/** All calls are made at quiescent points: every tool call has its result. */
export interface TurnCompaction {
  /** The expected token count of the next request. */
  readonly expected: ExpectedPrompt;
  /** Why what the provider reported for the request that was just answered cannot be true; null where it is believed. */
  doubt(usage: Usage): ReportDoubt | null;
  /** Call when a turn begins: resets the count of recoveries. */
  beginTurn(): void;
  /** Call before a message of `tokens` (uncalibrated estimate) is appended. */
  beforeMessage(tokens: number, signal: AbortSignal): Promise<CompactionOutcome>;
  /** Call before a request: checks the last usage, later messages, and a safety margin. */
  beforeCall(signal: AbortSignal): Promise<CompactionOutcome>;
  /** Call after a response whose usage was just appended. */
  afterResponse(signal: AbortSignal): Promise<CompactionOutcome>;
  /** Interprets a refusal, given the size of the refused request. */
  settle(error: ModelError): ModelError;
  /** Call after the provider refused a request as too long; `learnedWindow` in tokens if it named one. */
  afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome>;
}
