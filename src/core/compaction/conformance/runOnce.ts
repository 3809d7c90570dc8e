/**
 * One call of a strategy for an author's own test: on a given history, with the product's own host, reader and rules.
 * Returns the result that would be committed, or the broken rule.
 */

import type { Asked, RunOnceOptions, RunOnceResult } from '../../../api/testing.ts';
import type { Timers } from '../../clock.ts';
import type { Message } from '../../context/message.ts';
import { inEnglish } from '../../words.ts';
import { Draft } from '../draft/draft.ts';
import { StrategyHost } from '../hosting/strategyHost.ts';
import type { AttemptOutcome } from '../hosting/strategyRun.ts';
import type { AnyFactory } from '../strategies/strategyEntry.ts';
import { Conversation } from './conversation.ts';
import { testModel } from './kitModel.ts';
import { HEADER, NEVER } from './session.ts';
import { Watch } from './watch.ts';

const ID = 'test';

/** The part of a result that is there whatever became of the call. */
type Observed = Pick<RunOnceResult, 'log' | 'reports' | 'requests'>;

/** Rejects with `TypeError` for invalid options, never because of the strategy. */
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
  const log: RunOnceResult['log'][number][] = [];
  const reports: RunOnceResult['reports'][number][] = [];
  const requests: Asked[] = [];
  const observed: Observed = { log, reports, requests };
  const host = new StrategyHost((level, text) => log.push({ level, text: text.replace(`${ID}: `, '') }));
  const watch = new Watch(factory, timers);
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
  host.release();
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

/** Throws `TypeError` naming the option and the allowed values. */
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
