/**
 * The frozen context that a strategy gets for one attempt, and the stubs made in it. Invariant: its ports answer until
 * the attempt is over and never afterwards.
 */

import type { CompactionContext, ContextMessage, HideOptions, NewSummary, SummaryModel } from '../../../api/index.ts';
import { ModelError } from '../../errors.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { neutraliseNotes } from '../../tools/text/neutralise.ts';
import { imageTokens, insertTokens, tokensWith } from '../draft/draft.ts';
import { type HideReason, makeStub, type Stamp, type Stub } from '../draft/stub.ts';
import { askJson } from './askJson.ts';
import { lendBuiltIns } from './builtIns.ts';
import type { Aim, Market, StrategyCall } from './strategyCall.ts';

const NO_MARKET: Market = {
  cache: Object.freeze({ says: 'unknown', heldTokens: 0, usedAt: null, livesMs: null, last: null }),
  prices: null,
};

type Question = Parameters<SummaryModel['complete']>[0];
type ContinuedQuestion = Parameters<NonNullable<SummaryModel['continue']>>[0];

/** Created once: an abort without a reason would create an error with a stack each time. */
export const OVER = new ModelError('aborted', 'This compaction is over.');

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
export async function askUntil(
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
  const tokens = hiddenTokens(own, text, argumentsIn(message));
  const hidden: M = { ...message, text, hidden: true, tokens };
  return Object.freeze(hidden);
}

function tokensOf(given: ContextMessage, own: ContextMessage | undefined): number {
  if (!own) throw new TypeError(`tokensOf: no message of this history has the id ${String(given.id)}.`);
  return given === own ? own.tokens : tokensAs(given, own);
}

/** Tokens of `own` with the changes in `given`. */
const tokensAs = (given: ContextMessage, own: ContextMessage) => tokensWith(own, given.text, argumentsIn(given));

const argumentsIn = (given: ContextMessage) =>
  given.role === 'assistant' ? given.toolCalls.map((call) => call.arguments) : undefined;

/** Tokens of `own` behind a stub, which takes its images out. */
export const hiddenTokens = (own: ContextMessage, stub: string, json: readonly string[] | undefined): number =>
  Math.max(1, tokensWith(own, stub, json) - imageTokens(own));

/** 0–1, or undefined when it is not a number. */
function toShare(fraction: unknown): number | undefined {
  return typeof fraction === 'number' && !Number.isNaN(fraction) ? Math.min(1, Math.max(0, fraction)) : undefined;
}

/** Reasons in other words are not put into the stub: its wording is fixed. */
function toReason(reason: string | undefined): HideReason {
  return reason === 'pruned' || reason === 'offloaded' ? reason : 'hidden';
}
