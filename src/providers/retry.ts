/**
 * The product's own retries: the decision is data, and the wait can be observed and cancelled. Invariant: a partly
 * shown answer is never requested again automatically, because it would be shown twice.
 */

import type { Timers } from '../core/clock.ts';
import { ModelError } from '../core/errors.ts';
import type { ModelClient } from '../core/model/modelClient.ts';
import { sleep } from '../core/sleep.ts';
import { type Words, words } from '../core/words.ts';
import { systemTimers } from './timers.ts';

interface RetryPolicy {
  /** Total attempts, including the first. */
  readonly attempts: number;
  /** Milliseconds before the first retry; doubled for each further one. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** A provider that asks for a longer wait gets no retry: a person decides. */
  readonly longestRetryAfterMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  attempts: 5,
  firstWaitMs: 1_000,
  longestWaitMs: 30_000,
  longestRetryAfterMs: 300_000,
};

/** Shown to a person while a retry waits. */
export interface RetryNotice {
  /** The attempt that follows the wait, from 2. */
  readonly attempt: number;
  readonly attempts: number;
  readonly waitMs: number;
  /** The failed attempt's own message. */
  readonly reason: Words;
  /** Ends the wait: the attempt follows at once. */
  readonly now: () => void;
}

type RetryDecision = { readonly kind: 'retry'; readonly waitMs: number } | { readonly kind: 'giveUp' };

interface FailedAttempt {
  readonly error: ModelError;
  /** From 1. */
  readonly attempt: number;
  /** True when text, reasoning or part of a call was already passed on. */
  readonly shown: boolean;
  /** From 0 to 1: staggers the waits of several windows. */
  readonly chance: number;
}

export function decideRetry({ error, attempt, shown, chance }: FailedAttempt, policy: RetryPolicy): RetryDecision {
  const { retryable, retryAfterMs } = error.facts;
  if (!retryable || shown || attempt >= policy.attempts) return { kind: 'giveUp' };
  const backoff = Math.min(policy.longestWaitMs, policy.firstWaitMs * 2 ** (attempt - 1));
  const spread = Math.round(backoff * (0.75 + 0.25 * chance));
  if (retryAfterMs === undefined) return { kind: 'retry', waitMs: spread };
  if (retryAfterMs > policy.longestRetryAfterMs) return { kind: 'giveUp' };
  return { kind: 'retry', waitMs: Math.max(retryAfterMs, attempt === 1 ? 0 : spread) };
}

interface RetryOptions {
  readonly onRetry?: (notice: RetryNotice) => void;
  readonly policy?: Partial<RetryPolicy>;
  readonly timers?: Timers;
  readonly random?: () => number;
}

/** Wraps a client to retry its failures. When the signal is aborted, the wait ends at once with `aborted`. */
export function withRetries(client: ModelClient, options: RetryOptions = {}): ModelClient {
  const policy = { ...DEFAULT_RETRY_POLICY, ...options.policy };
  const { onRetry, timers = systemTimers, random = Math.random } = options;
  const { endpoint, count } = client;
  return {
    endpoint,
    ...(count && { count }),
    async *stream(request, signal) {
      for (let attempt = 1; ; attempt++) {
        let shown = false;
        try {
          for await (const event of client.stream(request, signal)) {
            shown = true;
            yield event;
          }
          return;
        } catch (thrown) {
          if (!(thrown instanceof ModelError)) throw thrown;
          const decision = decideRetry({ error: thrown, attempt, shown, chance: random() }, policy);
          if (decision.kind === 'giveUp') throw thrown;
          const { waitMs } = decision;
          const early = new AbortController();
          const now = () => early.abort();
          onRetry?.({ attempt: attempt + 1, attempts: policy.attempts, waitMs, reason: thrown.words, now });
          await sleep(timers, waitMs, AbortSignal.any([signal, early.signal]));
          if (signal.aborted)
            throw new ModelError('aborted', words('Stopped while waiting to try again.'), { cause: thrown });
        }
      }
    },
  };
}
