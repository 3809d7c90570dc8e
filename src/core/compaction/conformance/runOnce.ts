/**
 * One call of a strategy as an author's own test makes it: on a history of the test's choosing, by the product's own host,
 * reader and rules. What comes back is what would be committed, or which rule is broken.
 */

import type { ContextMessage, JsonValue } from '../../../api/index.ts';
import type { Message } from '../../context/message.ts';
import type { Timers } from '../../ports.ts';
import { inEnglish } from '../../words.ts';
import { Draft } from '../draft/draft.ts';
import type { AnyFactory } from '../run/strategyEntry.ts';
import { StrategyHost } from '../run/strategyHost.ts';
import type { AttemptOutcome } from '../run/strategyRun.ts';
import { type Asked, type TestAnswer, testModel } from './kitModel.ts';
import { Conversation, HEADER, NEVER, Watch } from './session.ts';

/** What a strategy did besides its result. */
interface Observed {
  readonly log: readonly { readonly level: string; readonly text: string }[];
  readonly reports: readonly { readonly text: string; readonly fraction?: number }[];
  /** What it asked its model, as it would be sent. */
  readonly requests: readonly Asked[];
}

interface Result extends Observed {
  /** The history after it, as the strategy would get it the next time. */
  readonly history: readonly ContextMessage[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** More is left than `targetTokens`: it would be called once more, with half of that. */
  readonly overTarget: boolean;
  /** What was mended before the result was accepted. */
  readonly repairs: readonly string[];
  /** What it keeps for its next compaction. */
  readonly details?: JsonValue;
  /** It failed after it had called `soFar`: the result is what it had done by then. */
  readonly failure?: { readonly by: 'strategy' | 'model'; readonly reason: string; readonly thrown?: unknown };
}

export type RunOnceResult =
  | ({ readonly kind: 'compacted' } & Result)
  /** The product would reject it: it has no fewer tokens. */
  | ({ readonly kind: 'notSmaller' } & Result)
  | ({ readonly kind: 'unchanged' } & Observed)
  /** The model failed, and the strategy let that through. It is no fault of its own. */
  | ({ readonly kind: 'modelFailed'; readonly reason: string } & Observed)
  /** `thrown` is what the strategy threw, if it did. */
  | ({ readonly kind: 'broken'; readonly rule: string; readonly thrown?: unknown } & Observed)
  | ({ readonly kind: 'stopped' } & Observed);

const ID = 'test';
/** Rejects with `TypeError` for wrong options, never for what the strategy does. */
export async function runStrategyOnce(
  factory: AnyFactory,
  given: readonly Message[],
  options: RunOnceOptions,
  timers: Timers,
): Promise<RunOnceResult> {
  checkRunOptions(options, given.length);
  const { trigger = 'manual', instructions, maxContextSize = 0, reservedContextSize = 0, attempt = 1 } = options;
  const { protectedTools = [], pins = [], deadlineMs = 10_000 } = options;
  const conversation = new Conversation(ID, 'test', given);
  if (pins.length > 0) conversation.apply({ type: 'pinned', ids: pins.map((at) => `m${at}`) });
  const before = conversation.read();
  const log: Observed['log'][number][] = [];
  const reports: Observed['reports'][number][] = [];
  const requests: Asked[] = [];
  const observed: Observed = { log, reports, requests };
  const host = new StrategyHost((level, text) => log.push({ level, text: text.replace(`${ID}: `, '') }));
  const watch = new Watch(factory);
  const entry = { id: ID, label: '', description: '', publisher: ID, factory: watch.factory };
  const hosted = host.use(entry);
  if (hosted.kind === 'broken') return { kind: 'broken', rule: inEnglish(hosted.reason), ...observed };
  const target = options.targetTokens ?? Math.floor(before.tokens / 2);
  const aim = {
    attempt,
    target,
    threshold: options.thresholdTokens ?? target,
    tokenCount: options.tokenCount ?? before.tokens + HEADER,
  };
  const call = {
    trigger,
    instructions,
    window: maxContextSize,
    reserve: reservedContextSize,
    protectedTools,
    memory: { ...conversation.recall(before), details: options.details },
    section: options.settings ?? {},
    sectionOf: () => ({}),
    llm: testModel(options.model, maxContextSize, timers, (asked) => requests.push(asked)),
    stamp: conversation.stamp,
    report: (text: string, fraction?: number) =>
      void reports.push({ text, ...(fraction === undefined ? {} : { fraction }) }),
    deadlineMs,
    timers,
  };
  const outcome = await host.run(entry, call, (run) => run.attempt(Draft.of(before), aim, options.signal ?? NEVER));
  host.letGo();
  return conclude(outcome, conversation, target, watch.newest.threw, observed);
}

function conclude(
  outcome: AttemptOutcome,
  conversation: Conversation,
  target: number,
  threw: { readonly thrown: unknown } | null,
  observed: Observed,
): RunOnceResult {
  switch (outcome.kind) {
    case 'unchanged':
      return { kind: 'unchanged', ...observed };
    case 'aborted':
      return { kind: 'stopped', ...observed };
    case 'failed': {
      const reason = inEnglish(outcome.reason);
      return outcome.by === 'model'
        ? { kind: 'modelFailed', reason, ...observed }
        : { kind: 'broken', rule: reason, ...threw, ...observed };
    }
    case 'draft': {
      const { draft, failure } = outcome;
      const [tokensBefore, tokensAfter] = [draft.history.tokens, draft.tokens];
      conversation.commit(draft, 1);
      return {
        kind: tokensAfter < tokensBefore ? 'compacted' : 'notSmaller',
        history: conversation.read().messages,
        tokensBefore,
        tokensAfter,
        overTarget: tokensAfter > target,
        repairs: draft.repairs.map(inEnglish),
        ...(draft.details === undefined ? {} : { details: draft.details }),
        ...(failure ? { failure: { by: failure.by, reason: inEnglish(failure.reason), ...threw } } : {}),
        ...observed,
      };
    }
  }
}

/** What the strategy is called with. The names are those of its context. */
export interface RunOnceOptions {
  /** `manual` when left out. */
  readonly trigger?: string;
  readonly instructions?: string;
  /** 1 when left out. */
  readonly attempt?: number;
  /** Places in the history, from 0, of the messages that the person pinned. */
  readonly pins?: readonly number[];
  /** What an earlier compaction by this strategy kept. */
  readonly details?: JsonValue;
  /** Tools whose results the person keeps. */
  readonly protectedTools?: readonly string[];
  /** What the `settings` port gives. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the `llm` port answers; a short text when left out. Null: no model can be reached. */
  readonly model?: TestAnswer;
  /** Tokens; half of the history's when left out. */
  readonly targetTokens?: number;
  /** Tokens; `targetTokens` when left out. */
  readonly thresholdTokens?: number;
  /** Tokens of the whole request; the history's and 400 when left out. */
  readonly tokenCount?: number;
  /** Tokens of the window; 0 (unknown) when left out. */
  readonly maxContextSize?: number;
  /** Tokens; 0 when left out. */
  readonly reservedContextSize?: number;
  /** Milliseconds that the call may take. 10,000 when left out. */
  readonly deadlineMs?: number;
  /** The person's stop. */
  readonly signal?: AbortSignal;
}

type Name = keyof RunOnceOptions;

const isAmount = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;

const isText = (value: unknown) => typeof value === 'string';

const isList = (each: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(each);

const AMOUNT = { is: isAmount, wanted: 'a number, 0 or more' };
const TEXT = { is: isText, wanted: 'a text' };

const CHECKS: { readonly [K in Name]-?: { readonly is: (value: unknown) => boolean; readonly wanted: string } } = {
  trigger: TEXT,
  instructions: TEXT,
  attempt: { is: (value) => value === 1 || value === 2, wanted: '1 or 2' },
  pins: { is: isList(Number.isSafeInteger), wanted: 'a list of places in the history, from 0' },
  protectedTools: { is: isList(isText), wanted: 'a list of names of tools' },
  details: { is: () => true, wanted: 'JSON' },
  settings: {
    is: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    wanted: 'an object of settings and their values',
  },
  model: {
    is: (value) => value === null || isText(value) || typeof value === 'function',
    wanted: 'a text, a function that gives one, or null',
  },
  targetTokens: AMOUNT,
  thresholdTokens: AMOUNT,
  tokenCount: AMOUNT,
  maxContextSize: AMOUNT,
  reservedContextSize: AMOUNT,
  deadlineMs: AMOUNT,
  signal: {
    is: (value) => typeof value === 'object' && value !== null && 'aborted' in value,
    wanted: 'an AbortSignal',
  },
};

/** Throws `TypeError` naming the option and what it may be. */
function checkRunOptions(given: RunOnceOptions, messages: number): void {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(CHECKS, name))
      throw new TypeError(`runOnce has no option ${name}: it has ${Object.keys(CHECKS).join(', ')}.`);
    const { is, wanted } = CHECKS[name as Name];
    if (value !== undefined && !is(value)) throw new TypeError(`The option ${name} of runOnce must be ${wanted}.`);
  }
  const outside = given.pins?.find((at) => at < 0 || at >= messages);
  if (outside !== undefined)
    throw new TypeError(`The option pins of runOnce names the place ${outside} in a history of ${messages} messages.`);
}
