/**
 * How the agent loop talks to the compactor: when it asks, and what comes back. The loop never looks at a strategy, the
 * compactor never calls the model for a turn.
 */

import type { ModelError } from '../errors.ts';
import type { CompactionEntry, Trigger } from '../journal/entry.ts';
import type { ExpectedPrompt } from '../ports.ts';
import { type Words, words } from '../words.ts';

export type CompactionOutcome =
  /** Nothing was due or possible, or something holds it back. */
  | { readonly kind: 'none'; readonly reason: Words }
  | { readonly kind: 'compacted'; readonly entry: CompactionEntry }
  /** The person said no: the turn goes on, or a new session was asked for. */
  | { readonly kind: 'refused'; readonly choice: 'newSession' | 'notNow' }
  /** The context is as before; `reason` says why, in words that can be shown. */
  | { readonly kind: 'failed'; readonly reason: Words }
  /** Everything was tried and it still does not fit; the turn must stop with the numbers in `reason`. */
  | { readonly kind: 'stuck'; readonly reason: Words };

export const none = (reason: Words): Extract<CompactionOutcome, { kind: 'none' }> => ({ kind: 'none', reason });

export const STOPPED = words('The compaction was stopped.');

export interface CompactionRequest {
  readonly trigger: Trigger;
  /** What the person wants kept in mind (`/compact [instructions]`). */
  readonly instructions?: string | undefined;
  /** Why before the limit. */
  readonly early?: CompactionEntry['early'];
}

/** All calls are made at quiescent points: no tool call is unanswered. */
export interface TurnCompaction {
  /** What the next request should be counted as. */
  readonly expected: ExpectedPrompt;
  /** A turn begins: recoveries are counted from zero. */
  beginTurn(): void;
  /** Before a message of `tokens` (uncalibrated estimate) is appended. */
  beforeMessage(tokens: number, signal: AbortSignal): Promise<CompactionOutcome>;
  /** Before a request: the last usage, what came after it, and a safety margin. */
  beforeCall(signal: AbortSignal): Promise<CompactionOutcome>;
  /** After a response whose usage was just appended. */
  afterResponse(signal: AbortSignal): Promise<CompactionOutcome>;
  /** What a refusal means, now that the size of the refused request is known. */
  settle(error: ModelError): ModelError;
  /** After the provider said that the request was too long; `learnedWindow` in tokens where it named one. */
  afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome>;
  compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome>;
}
