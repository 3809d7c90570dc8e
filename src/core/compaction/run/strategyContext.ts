/**
 * One call of a strategy: the frozen context it is given, and the record of the stubs it made. After `close` its ports
 * no longer answer, so that a late strategy can neither spend tokens nor report.
 */

import type {
  BuiltIns,
  CompactionContext,
  ContextMessage,
  NewSummary,
  SummaryModel,
  UserMessage,
} from '../../../api/index.ts';
import { ModelError } from '../../errors.ts';
import type { Trigger } from '../../journal/entry.ts';
import type { Timers } from '../../ports.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { imageTokens, insertTokens, tokensWith } from '../draft/draft.ts';
import { type HideReason, makeStub, type Stamp, type Stub } from '../draft/stub.ts';
import { BUILT_IN_STRATEGIES } from '../strategies/builtIn.ts';
import { continuationOf, offerContinuation } from './continueRequest.ts';
import type { StrategyMemory } from './strategyMemory.ts';

/** What a strategy is called with, the same in each attempt. */
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
  /** The person's settings of a built-in strategy. */
  readonly sectionOf: (builtIn: string) => Readonly<Record<string, unknown>>;
  readonly llm: SummaryModel;
  readonly report: (text: string, fraction?: number) => void;
  readonly timers: Timers;
}

/** What one attempt is to reach. */
export interface Aim {
  readonly attempt: number;
  /** Tokens of the whole request now. */
  readonly tokenCount: number;
  /** Uncalibrated tokens that the history should fit into. */
  readonly target: number;
  /** Uncalibrated tokens of the history at which the trigger is quiet; no less than `target`. */
  readonly threshold: number;
}

export interface StrategyRun {
  readonly context: CompactionContext;
  /** By message id: the stub that `hide` put in place of its text. */
  readonly stubs: ReadonlyMap<string, Stub>;
  /** Index in the history of the context; undefined for what is not in it. The first question looks at every message. */
  readonly indexOf: (id: string) => number | undefined;
  close(): void;
}

/** `soFar` is given what the strategy says is done; it throws for what could not stand. */
export function openRun(
  history: readonly ContextMessage[],
  call: StrategyCall,
  aim: Aim,
  stamp: Stamp,
  signal: AbortSignal,
  soFar: (messages: unknown) => void,
): StrategyRun {
  const stubs = new Map<string, Stub>();
  let open = true;
  let byId: Map<string, number> | null = null;
  const indexOf = (id: string) => {
    byId ??= new Map(history.map((message, index) => [message.id, index]));
    return byId.get(id);
  };
  /** The message that `given` is, or is a changed copy of. */
  const findOwn = ({ id }: ContextMessage) => history[indexOf(id) ?? -1];
  /** About messages as they are: what the strategy hid, cut or made itself is read as it left it, in a request of its own. */
  const lendContinuation = (llm: SummaryModel): SummaryModel => {
    const ask = continuationOf(call.llm);
    if (!ask) return Object.freeze(llm);
    return offerContinuation(Object.freeze(llm), async (question) => {
      if (!open || !question.covers.every((message) => findOwn(message) === message)) return null;
      return ask({ ...question, signal: AbortSignal.any([signal, question.signal]) });
    });
  };
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
    builtins: lendBuiltIns(
      () => context,
      call.sectionOf,
      () => open,
    ),
    sessionId: call.memory.sessionId,
    details: call.memory.details,
    previousSummary: call.memory.previousSummary,
    get files() {
      return call.memory.files;
    },
    get past() {
      return call.memory.past;
    },
    llm: lendContinuation({
      get maxInputTokens() {
        return call.llm.maxInputTokens;
      },
      complete: (request: Parameters<SummaryModel['complete']>[0]) =>
        open
          ? bindRequest(call.llm, signal)(request)
          : Promise.reject(new ModelError('aborted', 'This compaction is over.')),
    }),
    hide: <M extends ContextMessage>(message: M, reason?: string, always = false): M => {
      // What was handed out is frozen and need not be looked for, which in a long session would cost most of a run.
      const own = Object.isFrozen(message) ? message : findOwn(message);
      if (!own || own.hidden || own.protected || isKept(own, call.protectedTools)) return message;
      const stub = stubs.get(own.id) ?? stubFor(own, reason, always, stamp);
      if (!stub) return message;
      stubs.set(own.id, stub);
      return putBehind(message, stub, own);
    },
    tokensOf: (message: ContextMessage | NewSummary) =>
      message.id === undefined ? insertTokens(message.text) : tokensOf(message, findOwn(message)),
    report: (text: string, fraction?: number) => {
      if (open) call.report(String(text).slice(0, 500), toShare(fraction));
    },
    pause: () => new Promise<void>((resolve) => void call.timers.after(0, resolve)),
    soFar: (messages: unknown) => {
      if (open) soFar(messages);
    },
    signal,
  });
  return {
    context,
    stubs,
    indexOf,
    close: () => {
      open = false;
    },
  };
}

/** A question ends with `signal` even when the strategy ignores it: a late answer would have no use. */
export function bindRequest(llm: SummaryModel, signal: AbortSignal): SummaryModel['complete'] {
  return async (request) => {
    const own = request?.signal;
    return llm.complete({ ...request, signal: own ? AbortSignal.any([signal, own]) : signal });
  };
}

const isKept = (message: ContextMessage, tools: readonly string[]) =>
  message.role === 'tool' && tools.includes(message.toolName);

/** Null when it is not worth it because the stub would cost as much. */
function stubFor(own: ContextMessage, reason: string | undefined, always: boolean, stamp: Stamp): Stub | null {
  const stub = makeStub(own, toReason(reason), stamp);
  // A stub is at most some 30 tokens: longer bodies need no count.
  const isShort =
    imageTokens(own) === 0 && own.text.length < 4 * stub.text.length && countTokens(own.text) <= countTokens(stub.text);
  return isShort && always !== true ? null : stub;
}

/** The copy itself when it is behind its stub already. */
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

/** Tokens of `own` with what `given` makes of it. */
function tokensAs(given: ContextMessage, own: ContextMessage): number {
  const json = given.role === 'assistant' ? given.toolCalls.map((call) => call.arguments) : undefined;
  return tokensWith(own, given.text, json);
}

/** 0–1, or undefined for what is no number. */
function toShare(fraction: unknown): number | undefined {
  return typeof fraction === 'number' && !Number.isNaN(fraction) ? Math.min(1, Math.max(0, fraction)) : undefined;
}

/** Reasons of other wording are not put into the stub: its wording is fixed. */
function toReason(reason: string | undefined): HideReason {
  return reason === 'pruned' || reason === 'offloaded' ? reason : 'hidden';
}

/** New summaries that a history to run on may hold beside the messages of the context. */
const MOST_SUMMARIES = 100;

/** `sectionOf` gives the person's settings of a built-in strategy; `isOpen` is false when the call is over. */
function lendBuiltIns(
  context: () => CompactionContext,
  sectionOf: (id: string) => Readonly<Record<string, unknown>>,
  isOpen: () => boolean,
): BuiltIns {
  const run: BuiltIns['run'] = async (id, options = {}) => {
    const outer = context();
    const { history: given = outer.history, settings, targetTokens, attempt } = options;
    if (!isOpen()) throw new ModelError('aborted', 'This compaction is over.');
    const entry = BUILT_IN_STRATEGIES.find((each) => each.id === id);
    if (!entry) throw new TypeError(`builtins.run: ${String(id)} is none of ${idsOfAll()}.`);
    const { history, restore } = takeIn(given, outer.history);
    const isOurs = (message: ContextMessage) => !restore.has(message.id);
    const strategy = entry.factory.create({
      llm: outer.llm,
      countTokens,
      log: () => undefined,
      settings: () => ({ ...sectionOf(entry.id), ...settings }),
    });
    // By inheritance, so that what is looked for only when asked for is not looked for here.
    const inner = Object.create(outer, {
      history: { value: history },
      targetTokens: { value: atLeastOne(targetTokens, outer.targetTokens) },
      attempt: { value: atLeastOne(attempt, outer.attempt) },
      // A new summary cannot be recalled, so no stub can stand for it.
      hide: {
        value: <M extends ContextMessage>(message: M, reason?: string, always?: boolean) =>
          isOurs(message) ? outer.hide(message, reason, always) : message,
      },
      // The strategy that runs it says what stands.
      soFar: { value: () => undefined },
    }) as CompactionContext;
    const made = await strategy.compact(inner);
    if (made === null) return given;
    return Object.freeze(('messages' in made ? made.messages : made).map((each) => giveBack(each, restore)));
  };
  return Object.freeze({ run });
}

const idsOfAll = () => BUILT_IN_STRATEGIES.map(({ id }) => id).join(', ');

/** The list as a history, new summaries as messages with ids of their own. Throws for what could not be returned either. */
function takeIn(given: unknown, own: readonly ContextMessage[]) {
  const restore = new Map<string, NewSummary>();
  if (given === own) return { history: own, restore };
  const reject = (why: string) => new TypeError(`builtins.run: ${why}.`);
  if (!Array.isArray(given)) throw reject('history is no list');
  if (given.length > own.length + MOST_SUMMARIES) throw reject('history is longer than that of the context');
  const ids = new Set(own.map(({ id }) => id));
  let before: ContextMessage | undefined;
  const history = given.map((each: ContextMessage | NewSummary | undefined, i) => {
    if (each?.id === undefined) {
      if (each?.kind !== 'summary' || typeof each.text !== 'string') throw reject(`entry ${i} is no message`);
      const message = asMessage(each, i, before ?? own[0]);
      restore.set(message.id, each);
      return message;
    }
    if (!ids.has(each.id)) throw reject(`entry ${i} has an id that is not in the history`);
    before = each;
    return each;
  });
  return { history: Object.freeze(history), restore };
}

function asMessage({ text }: NewSummary, nth: number, beside: ContextMessage | undefined): UserMessage {
  const { round = 0, time = 0 } = beside ?? {};
  const place = { block: -1 - nth, round, time, tokens: insertTokens(text), protected: false, hidden: false };
  return Object.freeze({ role: 'user', kind: 'summary', id: `new${nth}`, text, ...place, attachments: [] });
}

function giveBack(made: ContextMessage | NewSummary, restore: ReadonlyMap<string, NewSummary>) {
  const summary = made.id === undefined ? undefined : restore.get(made.id);
  if (!summary || summary.text === made.text) return summary ?? made;
  return Object.freeze({ ...summary, text: made.text });
}

const atLeastOne = (given: number | undefined, byDefault: number): number =>
  given !== undefined && Number.isFinite(given) ? Math.max(1, Math.floor(given)) : byDefault;
