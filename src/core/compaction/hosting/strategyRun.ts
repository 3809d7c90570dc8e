/**
 * One contained run of a strategy, with its model and its deadline. Whatever the strategy does (throw, hang, return garbage, mutate its input), an attempt ends with a validated
 * draft or a reason, and nothing that it does later can spend tokens, report or change anything.
 */

import type { CompactionContext, CompactionReason, CompactionStrategy, SummaryModel } from '../../../api/index.ts';
import { Allowance } from '../../allowance.ts';
import { isAbort, ModelError, messageOf, UserFacingError } from '../../errors.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { Draft } from '../draft/draft.ts';
import { findBrokenRule, mend } from '../draft/rules.ts';
import type { Failure } from '../proposal/proposal.ts';
import { readAnswer } from './readAnswer.ts';
import type { Aim, StrategyCall } from './strategyCall.ts';
import { askUntil, type OpenedContext, OVER, openContext } from './strategyContext.ts';

export type AttemptOutcome =
  /** `failure`: the strategy failed, and this is its work up to then. */
  | { readonly kind: 'draft'; readonly draft: Draft; readonly failure: Failure | null }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'aborted' }
  | Failure;

/** The `llm` for a strategy that does not list it in `needs`. */
const NOT_NEEDED: SummaryModel = {
  maxInputTokens: 0,
  complete: () => Promise.reject(new ModelError('notFound', 'The strategy does not declare that it needs llm.')),
};

type Question = Parameters<SummaryModel['complete']>[0];

export class StrategyRun {
  readonly call: StrategyCall;
  readonly #strategy: Pick<CompactionStrategy, 'compact'>;
  readonly #closed = new AbortController();
  readonly #gone = new AbortController();
  /** A request of this attempt was not worth it. */
  #refused = false;
  #attempt = 0;

  /** `usesModel`: its `needs` include `llm`. */
  constructor(strategy: Pick<CompactionStrategy, 'compact'>, usesModel: boolean, call: StrategyCall) {
    this.#strategy = strategy;
    const { maySummarise } = call;
    const mayAsk = (tokens: number, inOne: boolean) => {
      const may = !maySummarise || maySummarise(tokens, inOne, this.#attempt);
      this.#refused ||= !may;
      return may;
    };
    this.call = { ...call, llm: usesModel ? watched(call, mayAsk) : NOT_NEEDED };
  }

  /** The strategy's `llm` port, which also answers between attempts. */
  complete(request: Question): ReturnType<SummaryModel['complete']> {
    return askUntil(this.call.llm, this.#closed.signal, request);
  }

  /** Called when the strategy is removed: its extension was uninstalled or disabled, or disposed of it. */
  leave(): void {
    this.#gone.abort();
  }

  close(): void {
    this.#closed.abort(OVER);
  }

  /** Starts from the decisions in `from`. `signal` is aborted by the person or with the turn. */
  async attempt(from: Draft, aim: Aim, signal: AbortSignal): Promise<AttemptOutcome> {
    const over = new AbortController();
    this.#refused = false;
    this.#attempt = aim.attempt;
    let done: Draft | null = null;
    const opened = openContext(from.view(), this.call, aim, over.signal, (messages) => {
      const outcome = check(messages, from, opened);
      if (outcome.kind === 'failed') throw new TypeError(`soFar: ${inEnglish(outcome.reason)}`);
      done = outcome.kind === 'draft' ? outcome.draft : null;
      if (done) this.call.onReached?.(done.tokens);
    });
    const settled = await this.#settle(opened.context, over, signal);
    const outcome =
      settled.kind === 'returned'
        ? check(settled.value, from, opened)
        : settled.kind === 'threw'
          ? describeThrown(settled.thrown, signal)
          : settled;
    // A model that was not asked did not fail.
    if (outcome.kind === 'failed' && outcome.by === 'model' && this.#refused)
      return done ? { kind: 'draft', draft: done, failure: null } : { kind: 'unchanged' };
    // A rejected answer does not invalidate the earlier progress.
    if (outcome.kind === 'failed' && done) return { kind: 'draft', draft: done, failure: outcome };
    if (outcome.kind === 'draft') this.call.onReached?.(outcome.draft.tokens);
    return outcome;
  }

  /** The first of: an answer, an error, the deadline, a stop. Anything later is ignored. */
  #settle(context: CompactionContext, over: AbortController, signal: AbortSignal): Promise<Settled> {
    const { timers, deadlineMs } = this.call;
    return new Promise((resolve) => {
      const end = (settled: Settled) => {
        cancel();
        over.abort(OVER);
        resolve(settled);
      };
      const stop = () => end({ kind: 'aborted' });
      const leave = () => end(failed('gone', words('it was removed or replaced while it ran')));
      const late = () => end(failed('late', words('it did not answer within {0} seconds', deadlineMs / 1_000)));
      const cancel = timers.after(deadlineMs, late);
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener('abort', stop, { once: true, signal: over.signal });
      this.#gone.signal.addEventListener('abort', leave, { once: true, signal: over.signal });
      // Called inside a promise, so that a synchronous throw is treated like a rejection.
      Promise.resolve()
        .then(() => this.#strategy.compact(context))
        .then(
          (value: unknown) => end({ kind: 'returned', value }),
          (thrown: unknown) => end({ kind: 'threw', thrown }),
        );
    });
  }
}

type Settled =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly thrown: unknown }
  | { readonly kind: 'aborted' }
  | Failure;

/** Requests of a strategy to the model in one compaction, and those without an answer yet. */
const MOST_REQUESTS = 500;
const MOST_AT_ONCE = 16;

/** The same model, which reports each request before it is sent, and answers only so many. */
function watched({ llm, onQuestion }: StrategyCall, mayAsk: (tokens: number, inOne: boolean) => boolean): SummaryModel {
  const refuse = (question: Pick<Question, 'covers'>, inOne: boolean) => {
    if (mayAsk(sizeOf(question), inOne)) return;
    throw new ModelError('aborted', words('What it would summarise is too little to be worth a request.'));
  };
  const requests = new Allowance({
    most: MOST_REQUESTS,
    usedUp: words('it asked the model more than {0} times in one compaction', MOST_REQUESTS),
    atOnce: {
      most: MOST_AT_ONCE,
      tooMany: words(
        'it asked the model again while {0} of its requests had no answer; it has to wait for them',
        MOST_AT_ONCE,
      ),
    },
  });
  const ask = llm.continue;
  return {
    get maxInputTokens() {
      return llm.maxInputTokens;
    },
    complete: (request) =>
      requests.during(async () => {
        refuse(request, false);
        onQuestion?.(false);
        return llm.complete(request);
      }),
    ...(ask && {
      continue: (question) =>
        requests.during(async () => {
          refuse(question, true);
          onQuestion?.(true);
          return ask(question);
        }),
    }),
  };
}

/** A message that stays although it is read, such as a pinned one, is no gain. Infinite where it is unknown what the answer stands for. */
const sizeOf = ({ covers }: Pick<Question, 'covers'>): number =>
  Array.isArray(covers) ? sumTokens(covers.filter((message) => !message.protected)) : Number.POSITIVE_INFINITY;

const failed = (code: CompactionReason, reason: Words): Failure => ({
  kind: 'failed',
  code,
  by: code === 'model' ? 'model' : 'strategy',
  reason,
});

function check(value: unknown, from: Draft, opened: OpenedContext): AttemptOutcome {
  const read = readAnswer(value, from, opened);
  if (read.kind === 'unchanged') return read;
  if (read.kind === 'rejected') return failed('rejected', read.reason);
  const draft = mend(read.draft);
  const broken = findBrokenRule(draft, from.history.protectedAt);
  return broken === null ? { kind: 'draft', draft, failure: null } : failed('rejected', broken);
}

const LONGEST_REASON = 300;

/** The thrown value may be hostile: inspecting it must not throw out of here. */
function describeThrown(thrown: unknown, signal: AbortSignal): AttemptOutcome {
  if (signal.aborted) return { kind: 'aborted' };
  const text = messageOf(thrown).slice(0, LONGEST_REASON);
  try {
    if (thrown instanceof ModelError) return failed('model', thrown.words);
    if (thrown instanceof UserFacingError) return failed('threw', thrown.words);
    if (isAbort(thrown)) return failed('threw', words('it gave up'));
  } catch {
    // Only its text can be reported.
  }
  return failed('threw', words('it threw an error: {0}', text));
}
