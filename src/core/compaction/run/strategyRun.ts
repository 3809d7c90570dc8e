/**
 * One contained run of a strategy: its model, its deadline, the frozen context of each attempt and the stubs made in
 * it. Whatever the strategy does (throw, hang, return garbage, mutate its input), an attempt ends with a validated
 * draft or a reason, and nothing that it does later can spend tokens, report or change anything.
 */

import type {
  CompactionContext,
  CompactionReason,
  CompactionStrategy,
  ContextMessage,
  HideOptions,
  NewSummary,
  SummaryModel,
} from '../../../api/index.ts';
import { Allowance } from '../../allowance.ts';
import type { Timers } from '../../clock.ts';
import { isAbort, ModelError, messageOf, UserFacingError } from '../../errors.ts';
import type { Trigger } from '../../journal/entry.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { neutraliseNotes } from '../../tools/text/stripControls.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import { type Draft, imageTokens, insertTokens, tokensWith } from '../draft/draft.ts';
import { findBrokenRule, mend } from '../draft/rules.ts';
import { type HideReason, makeStub, type Stamp, type Stub } from '../draft/stub.ts';
import { askJson } from './askJson.ts';
import { lendBuiltIns } from './builtIns.ts';
import type { ContinuedQuestion } from './continueRequest.ts';
import { readAnswer } from './readAnswer.ts';
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
}

/** The facts about the provider's cache and prices when a compaction begins. */
export type Market = Pick<CompactionContext, 'cache' | 'prices'>;

const NO_MARKET: Market = {
  cache: Object.freeze({ says: 'unknown', heldTokens: 0, usedAt: null, livesMs: null, last: null }),
  prices: null,
};

/** The aim of one attempt. */
interface Aim {
  readonly attempt: number;
  /** Present tokens of the whole request. */
  readonly tokenCount: number;
  /** Uncalibrated tokens that the history should fit into. */
  readonly target: number;
  /** Uncalibrated tokens of the history at which the trigger is quiet; at least `target`. */
  readonly threshold: number;
}

export type AttemptOutcome =
  /** `failure`: the strategy failed, and this is its work up to then. */
  | { readonly kind: 'draft'; readonly draft: Draft; readonly failure: Failure | null }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'aborted' }
  | Failure;

export interface Failure {
  readonly kind: 'failed';
  readonly reason: Words;
  readonly code: CompactionReason;
  /** `model`: not the strategy's fault, because its model was unreachable or answered badly. */
  readonly by: 'strategy' | 'model';
}

type Question = Parameters<SummaryModel['complete']>[0];

/** The `llm` for a strategy that does not list it in `needs`. */
const NOT_NEEDED: SummaryModel = {
  maxInputTokens: 0,
  complete: () => Promise.reject(new ModelError('notFound', 'The strategy does not declare that it needs llm.')),
};

/** Created once: an abort without a reason would create an error with a stack each time. */
const OVER = new ModelError('aborted', 'This compaction is over.');

export class StrategyRun {
  readonly call: StrategyCall;
  readonly #strategy: Pick<CompactionStrategy, 'compact'>;
  readonly #closed = new AbortController();
  readonly #gone = new AbortController();

  /** `usesModel`: its `needs` include `llm`. */
  constructor(strategy: Pick<CompactionStrategy, 'compact'>, usesModel: boolean, call: StrategyCall) {
    this.#strategy = strategy;
    this.call = { ...call, llm: usesModel ? watched(call) : NOT_NEEDED };
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
function watched({ llm, onQuestion }: StrategyCall): SummaryModel {
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
        onQuestion?.(false);
        return llm.complete(request);
      }),
    ...(ask && {
      continue: (question) =>
        requests.during(async () => {
          onQuestion?.(true);
          return ask(question);
        }),
    }),
  };
}

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
  return failed('threw', words('it failed: {0}', text));
}

export interface OpenedContext {
  readonly context: CompactionContext;
  /** By message id: the stub that `hide` made for its text. */
  readonly stubs: ReadonlyMap<string, Stub>;
  /** Index in the context's history; undefined for other ids. The first call indexes all messages. */
  readonly indexOf: (id: string) => number | undefined;
}

/**
 * The context for one attempt; its ports answer until `signal` is aborted. `soFar` receives the strategy's progress,
 * and throws for progress that could not be committed.
 */
export function openContext(
  history: readonly ContextMessage[],
  call: StrategyCall,
  aim: Aim,
  signal: AbortSignal,
  soFar: (messages: unknown) => void,
): OpenedContext {
  const stubs = new Map<string, Stub>();
  let byId: Map<string, number> | null = null;
  const indexOf = (id: string) => {
    byId ??= new Map(history.map((message, index) => [message.id, index]));
    return byId.get(id);
  };
  /** The message that `given` is, or is a changed copy of. */
  const findOwn = ({ id }: ContextMessage) => history[indexOf(id) ?? -1];
  const ask = call.llm.continue;
  const llm: SummaryModel = Object.freeze({
    get maxInputTokens() {
      return call.llm.maxInputTokens;
    },
    complete: (request: Question) => (signal.aborted ? Promise.reject(OVER) : askUntil(call.llm, signal, request)),
    ...(ask && {
      // Only for original messages: those that the strategy hid, cut or created need a separate request.
      continue: async (question: ContinuedQuestion) => {
        checkContinued(question);
        if (signal.aborted || !question.covers.every((message) => findOwn(message) === message)) return null;
        const { covers, task, maxOutputTokens, tag, signal: own } = question;
        const until = own ? AbortSignal.any([signal, own]) : signal;
        return ask({ covers, task, maxOutputTokens, tag, signal: until });
      },
    }),
  });
  const context: CompactionContext = Object.freeze({
    history,
    tokenCount: aim.tokenCount,
    maxContextSize: call.window,
    reservedContextSize: call.reserve,
    targetTokens: Math.max(1, Math.floor(aim.target)),
    thresholdTokens: Math.max(1, Math.floor(aim.threshold)),
    attempt: aim.attempt,
    trigger: call.trigger,
    ...(call.instructions !== undefined ? { instructions: call.instructions } : {}),
    builtins: lendBuiltIns(() => context, llm, call.sectionOf),
    sessionId: call.memory.sessionId,
    details: call.memory.details,
    previousSummary: call.memory.previousSummary,
    get files() {
      return call.memory.files;
    },
    get past() {
      return call.memory.past;
    },
    llm,
    cache: call.market?.cache ?? NO_MARKET.cache,
    prices: call.market?.prices ?? null,
    hide: <M extends ContextMessage>(message: M, given?: string | HideOptions, everything = false): M => {
      const {
        reason,
        always = everything,
        note,
      } = typeof given === 'object' && given !== null ? given : { reason: given };
      // Messages handed out are frozen and need no lookup, which in a long session would dominate a run.
      const own = Object.isFrozen(message) ? message : findOwn(message);
      if (!own || own.hidden || own.protected || isKept(own, call.protectedTools)) return message;
      const stub = stubs.get(own.id) ?? stubFor(own, reason, always, call.stamp, note);
      if (!stub) return message;
      stubs.set(own.id, stub);
      return putBehind(message, stub, own);
    },
    tokensOf: (message: ContextMessage | NewSummary) =>
      message.id === undefined ? insertTokens(message.text) : tokensOf(message, findOwn(message)),
    report: (text: string, fraction?: number) => {
      if (!signal.aborted) call.report?.(String(text).slice(0, 500), toShare(fraction));
    },
    pause: () => new Promise<void>((resolve) => void call.timers.after(0, resolve)),
    soFar: (messages: unknown) => {
      if (!signal.aborted) soFar(messages);
    },
    signal,
  });
  return { context, stubs, indexOf };
}

/** A request ends with `signal` even when the strategy ignores it: a late answer would be useless. */
async function askUntil(
  llm: SummaryModel,
  signal: AbortSignal,
  request: Question,
): ReturnType<SummaryModel['complete']> {
  const own = request?.signal;
  const bounded = { ...request, signal: own ? AbortSignal.any([signal, own]) : signal };
  return bounded.schema === undefined ? llm.complete(bounded) : askJson(llm, bounded);
}

/** A strategy may be untyped. */
function checkContinued(question: ContinuedQuestion): void {
  const { covers, task, tag } = question ?? {};
  if (
    !Array.isArray(covers) ||
    covers.length === 0 ||
    typeof task !== 'string' ||
    (tag !== undefined && typeof tag !== 'string')
  )
    throw new TypeError('llm.continue takes { covers, task } and perhaps { tag }: messages of the history, and text.');
}

const isKept = (message: ContextMessage, tools: readonly string[]) =>
  message.role === 'tool' && tools.includes(message.toolName);

/** Null when the stub would cost as much. */
function stubFor(
  own: ContextMessage,
  reason: string | undefined,
  always: boolean,
  stamp: Stamp,
  note: unknown,
): Stub | null {
  const stub = withNote(makeStub(own, toReason(reason), stamp), note);
  // A stub has at most some 30 tokens: longer bodies need no count.
  const isShort =
    imageTokens(own) === 0 && own.text.length < 4 * stub.text.length && countTokens(own.text) <= countTokens(stub.text);
  return isShort && always !== true ? null : stub;
}

const LONGEST_NOTE = 300;

/** Nothing in the line can pose as a stub of the product. */
function withNote(stub: Stub, note: unknown): Stub {
  if (typeof note !== 'string' || note.trim() === '') return stub;
  const line = note.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NOTE).toWellFormed();
  return { ...stub, text: `${stub.text}\n${neutraliseNotes(line)}` };
}

/** The copy itself when its text is already the stub. */
function putBehind<M extends ContextMessage>(message: M, { text }: Stub, own: ContextMessage): M {
  if (message.hidden && message.text === text) return message;
  const tokens = Math.max(1, tokensAs({ ...message, text }, own) - imageTokens(own));
  const hidden: M = { ...message, text, hidden: true, tokens };
  return Object.freeze(hidden);
}

function tokensOf(given: ContextMessage, own: ContextMessage | undefined): number {
  if (!own) throw new TypeError(`tokensOf: no message of this history has the id ${String(given.id)}.`);
  return given === own ? own.tokens : tokensAs(given, own);
}

/** Tokens of `own` with the changes in `given`. */
function tokensAs(given: ContextMessage, own: ContextMessage): number {
  const json = given.role === 'assistant' ? given.toolCalls.map((call) => call.arguments) : undefined;
  return tokensWith(own, given.text, json);
}

/** 0–1, or undefined when it is not a number. */
function toShare(fraction: unknown): number | undefined {
  return typeof fraction === 'number' && !Number.isNaN(fraction) ? Math.min(1, Math.max(0, fraction)) : undefined;
}

/** Reasons in other words are not put into the stub: its wording is fixed. */
function toReason(reason: string | undefined): HideReason {
  return reason === 'pruned' || reason === 'offloaded' ? reason : 'hidden';
}
