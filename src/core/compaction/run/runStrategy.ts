/**
 * One attempt of one strategy, contained: whatever it does (throw, never answer, return garbage, change its input), the
 * outcome is a checked draft or a reason, and nothing it does after its time is over has any effect.
 */

import type { CompactionReason, CompactionStrategy } from '../../../api/index.ts';
import { isAbort, ModelError, messageOf, ToldError } from '../../errors.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { Draft } from '../draft/draft.ts';
import { findBrokenRule, mend } from '../draft/rules.ts';
import type { Stamp } from '../draft/stub.ts';
import { readAnswer } from './readAnswer.ts';
import { type Aim, openRun, type StrategyCall, type StrategyRun } from './strategyContext.ts';

export type AttemptOutcome =
  /** `failure`: the strategy failed, and this is what it had done by then. */
  | { readonly kind: 'draft'; readonly draft: Draft; readonly failure: Failure | null }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'aborted' }
  | Failure;

export interface Failure {
  readonly kind: 'failed';
  readonly reason: Words;
  readonly code: CompactionReason;
  /** `model`: no fault of the strategy, its model could not be reached or answered badly. */
  readonly by: 'strategy' | 'model';
}

/** A strategy, what it is called with, and how long it may take. */
export interface StrategyLease extends StrategyCall {
  readonly strategy: CompactionStrategy;
  readonly deadlineMs: number;
  /** Called with the uncalibrated tokens of what the strategy has done, each time it says so and at the end. */
  readonly reached: (historyTokens: number) => void;
  /** Aborted when the strategy is taken away: its extension was uninstalled, disabled, or disposed of it. */
  readonly gone: AbortSignal;
}

type Settled =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly thrown: unknown }
  | { readonly kind: 'late' | 'gone' | 'stopped' };

/** Begins with what `from` has decided. `signal` is the person's stop, or the turn's. */
export async function runStrategy(
  lease: StrategyLease,
  from: Draft,
  aim: Aim,
  stamp: Stamp,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const controller = new AbortController();
  let done: Draft | null = null;
  const run = openRun(from.view(), lease, aim, stamp, controller.signal, (messages) => {
    const outcome = check(messages, from, run);
    if (outcome.kind === 'failed') throw new TypeError(`soFar: ${inEnglish(outcome.reason)}`);
    done = outcome.kind === 'draft' ? outcome.draft : null;
    if (done) lease.reached(done.tokens);
  });
  const outcome = outcomeOf(await settle(lease, run, controller, signal), lease, from, run, signal);
  // A rejected answer says nothing of what was done before it.
  if (outcome.kind === 'failed' && done) return { kind: 'draft', draft: done, failure: outcome };
  if (outcome.kind === 'draft') lease.reached(outcome.draft.tokens);
  return outcome;
}

function outcomeOf(
  settled: Settled,
  { deadlineMs }: StrategyLease,
  from: Draft,
  run: StrategyRun,
  signal: AbortSignal,
): AttemptOutcome {
  switch (settled.kind) {
    case 'stopped':
      return { kind: 'aborted' };
    case 'late':
      return failed('late', words('it did not answer within {0} seconds', deadlineMs / 1_000));
    case 'gone':
      return failed('gone', words('it was removed or replaced while it ran'));
    case 'threw':
      return signal.aborted ? { kind: 'aborted' } : describeThrown(settled.thrown);
    case 'returned':
      return check(settled.value, from, run);
  }
}

const failed = (code: CompactionReason, reason: Words): Failure => ({
  kind: 'failed',
  code,
  by: code === 'model' ? 'model' : 'strategy',
  reason,
});

function check(value: unknown, from: Draft, run: StrategyRun): AttemptOutcome {
  const read = readAnswer(value, from, run);
  if (read.kind === 'unchanged') return read;
  if (read.kind === 'rejected') return failed('rejected', read.reason);
  const draft = mend(read.draft);
  const broken = findBrokenRule(draft, from.history.protectedAt);
  return broken === null ? { kind: 'draft', draft, failure: null } : failed('rejected', broken);
}

const LONGEST_REASON = 300;

/** What was thrown may itself be a trap: looking at it must not throw past here. */
function describeThrown(thrown: unknown): Failure {
  const text = messageOf(thrown).slice(0, LONGEST_REASON);
  try {
    if (thrown instanceof ModelError) return failed('model', thrown.words);
    if (thrown instanceof ToldError) return failed('threw', thrown.words);
    if (isAbort(thrown)) return failed('threw', words('it gave up'));
  } catch {
    return failed('threw', words('it failed: {0}', text));
  }
  return failed('threw', words('it failed: {0}', text));
}

/** Made once: an abort without a reason makes an error with a stack each time. */
const OVER = new ModelError('aborted', 'This compaction is over.');

/** The first of these: an answer, a throw, the deadline, a stop. What comes later is ignored. */
function settle(
  { strategy, deadlineMs, timers, gone }: StrategyLease,
  run: StrategyRun,
  controller: AbortController,
  signal: AbortSignal,
): Promise<Settled> {
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
    const cancel = timers.after(deadlineMs, () => end({ kind: 'late' }));
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    gone.addEventListener('abort', leave, { once: true });
    // Called inside a promise, so that a strategy that throws at once is no different from one that rejects.
    Promise.resolve()
      .then(() => strategy.compact(run.context))
      .then(
        (value: unknown) => end({ kind: 'returned', value }),
        (thrown: unknown) => end({ kind: 'threw', thrown }),
      );
  });
}
