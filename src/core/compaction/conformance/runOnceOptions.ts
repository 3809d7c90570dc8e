/** The options of `runOnce`, checked before anything runs: a mistake in them must not look like a passed test. */

import type { JsonValue } from '../../../api/index.ts';
import type { TestAnswer } from './testModel.ts';

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
export function checkRunOptions(given: RunOnceOptions, messages: number): void {
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
