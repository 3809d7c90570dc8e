/**
 * One attempt of one strategy, contained: whatever it does (throw, never answer, return garbage, change its input), the
 * outcome is a checked candidate or a reason, and nothing of it is used after its time is over.
 */

import type { CompactionStrategy, ContextMessage } from '../../../api/index.ts';
import { isAbort, ModelError, messageOf } from '../../errors.ts';
import type { Timers } from '../../ports.ts';
import type { Candidate } from '../draft/candidate.ts';
import { validateCandidate } from '../draft/validate.ts';
import { readResult } from './readResult.ts';
import type { StrategyRun } from './strategyContext.ts';

export type AttemptOutcome =
  | { readonly kind: 'valid'; readonly candidate: Candidate; readonly repairs: readonly string[] }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'aborted' }
  /** `model`: no fault of the strategy, its model could not be reached or answered badly. */
  | { readonly kind: 'failed'; readonly reason: string; readonly by: 'strategy' | 'model' };

export interface AttemptOptions {
  readonly deadlineMs: number;
  readonly timers: Timers;
  /** Aborted by the caller or by the deadline; the run's context carries its signal. */
  readonly controller: AbortController;
  /** The person's stop, or the turn's. */
  readonly signal: AbortSignal;
  /** The strategy was taken away: its extension was uninstalled, disabled, or disposed of it. */
  readonly gone: AbortSignal;
}

type Settled =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly thrown: unknown }
  | { readonly kind: 'late' | 'gone' | 'stopped' };

/** `guarded` are the indices of the history's protected messages. */
export async function runStrategy(
  strategy: CompactionStrategy,
  run: StrategyRun,
  history: readonly ContextMessage[],
  guarded: readonly number[],
  options: AttemptOptions,
): Promise<AttemptOutcome> {
  const settled = await settle(strategy, run, options);
  switch (settled.kind) {
    case 'stopped':
      return { kind: 'aborted' };
    case 'late':
      return {
        kind: 'failed',
        by: 'strategy',
        reason: `it did not answer within ${options.deadlineMs / 1_000} seconds`,
      };
    case 'gone':
      return { kind: 'failed', by: 'strategy', reason: 'its extension took it away while it ran' };
    case 'threw':
      if (options.signal.aborted) return { kind: 'aborted' };
      return describeThrown(settled.thrown);
    case 'returned':
      return check(settled.value, run, history, guarded);
  }
}

function check(
  value: unknown,
  run: StrategyRun,
  history: readonly ContextMessage[],
  guarded: readonly number[],
): AttemptOutcome {
  const read = readResult(value, history, run.stubs);
  if (read.kind === 'unchanged') return { kind: 'unchanged' };
  if (read.kind === 'rejected') return { kind: 'failed', by: 'strategy', reason: read.reason };
  const checked = validateCandidate(history, read.candidate, guarded);
  return checked.kind === 'valid' ? checked : { kind: 'failed', by: 'strategy', reason: checked.reason };
}

const LONGEST_REASON = 300;

/** Whatever was thrown may be a trap itself: looking at it must not throw past here. */
function describeThrown(thrown: unknown): AttemptOutcome {
  const text = messageOf(thrown).slice(0, LONGEST_REASON);
  try {
    if (thrown instanceof ModelError) return { kind: 'failed', by: 'model', reason: text };
    if (isAbort(thrown)) return { kind: 'failed', by: 'strategy', reason: 'it gave up' };
  } catch {
    return { kind: 'failed', by: 'strategy', reason: `it failed: ${text}` };
  }
  return { kind: 'failed', by: 'strategy', reason: `it failed: ${text}` };
}

/** Made once: an abort without a reason makes an error with a stack each time. */
const OVER = new ModelError('aborted', 'This compaction is over.');

/** The first of: an answer, a throw, the deadline, a stop. What comes later is dropped. */
function settle(strategy: CompactionStrategy, run: StrategyRun, options: AttemptOptions): Promise<Settled> {
  const { controller, signal, gone, timers } = options;
  return new Promise((resolve) => {
    const end = (settled: Settled) => {
      cancel();
      signal.removeEventListener('abort', stop);
      gone.removeEventListener('abort', leave);
      run.close();
      controller.abort(OVER);
      resolve(settled);
    };
    const stop = () => end({ kind: 'stopped' });
    const leave = () => end({ kind: 'gone' });
    const cancel = timers.after(options.deadlineMs, () => end({ kind: 'late' }));
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    gone.addEventListener('abort', leave, { once: true });
    // The call is made inside of a promise, so that a strategy that throws at once is no different from one that rejects.
    Promise.resolve()
      .then(() => strategy.compact(run.context))
      .then(
        (value: unknown) => end({ kind: 'returned', value }),
        (thrown: unknown) => end({ kind: 'threw', thrown }),
      );
  });
}
