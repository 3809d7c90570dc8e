/**
 * Decides from figures and settings when to compact, and how large the context may be afterwards: the target, the soft
 * limit and the hard limit. Each enabled clause holds or not; one is enough, or all must hold. Pure.
 */

import type { MeterReading, OwnCount } from '../../tokens/meter.ts';
import type { TriggerSettings } from '../sections/generalSettings.ts';

export type TriggerMoment =
  | { readonly at: 'beforeMessage'; readonly tokens: number }
  | { readonly at: 'beforeCall' }
  | { readonly at: 'afterResponse' };

interface TriggerFigures {
  readonly reading: MeterReading;
  /** Counts the conversation with a strategy's own estimator; called only when that is the basis. */
  readonly counted: (by: OwnCount) => number;
  /** In the context, of all roles. */
  readonly messages: number;
  /** 0 when unknown. */
  readonly window: number;
}

interface Clause {
  readonly name: 'ratio' | 'reserve' | 'messages';
  /** In tokens or messages; infinite for an unknown maximum. */
  readonly limit: number;
}

export type TriggerDecision =
  | { readonly kind: 'below' }
  | {
      readonly kind: 'fire';
      readonly trigger: 'threshold' | 'precheck';
      readonly clauses: readonly Clause['name'][];
      /** The compared tokens; the reading where the basis has no data. */
      readonly tokens: number;
      /** The maximum that the ratio refers to; 0 when unknown. */
      readonly maximum: number;
    };

type Limiting = Pick<TriggerSettings, 'ratio' | 'reserve' | 'messages' | 'maxContextTokens'>;

export function decideTrigger(
  settings: TriggerSettings,
  moment: TriggerMoment,
  figures: TriggerFigures,
): TriggerDecision {
  const { reading, messages, window } = figures;
  const tokens = measure(settings, moment, figures);
  const clauses = clausesOf(settings, window);
  const holding = clauses.filter(({ name, limit }) => {
    if (name === 'messages') return messages >= limit;
    if (tokens === null) return false;
    return name === 'ratio' && isStrict(settings) ? tokens > limit : tokens >= limit;
  });
  if (holding.length < (settings.require === 'all' ? Math.max(1, clauses.length) : 1)) return { kind: 'below' };
  return {
    kind: 'fire',
    trigger: moment.at === 'afterResponse' ? 'threshold' : 'precheck',
    clauses: holding.map(({ name }) => name),
    tokens: tokens ?? reading.tokens,
    maximum: maximumOf(settings, window),
  };
}

/** Those that are turned on. */
export function clausesOf(settings: Limiting, window: number): Clause[] {
  const { ratio, reserve, messages } = settings;
  const maximum = maximumOf(settings, window) || Number.POSITIVE_INFINITY;
  const clauses: Clause[] = [];
  if (ratio > 0) clauses.push({ name: 'ratio', limit: Math.floor(maximum * ratio) });
  if (reserve > 0 && reserve < maximum) clauses.push({ name: 'reserve', limit: maximum - reserve });
  if (messages > 0) clauses.push({ name: 'messages', limit: messages });
  return clauses;
}

/** It fires above the ratio, and not at it. */
function isStrict({ basis }: TriggerSettings): boolean {
  return basis === 'input' || basis === 'inputOutput';
}

/** Tokens at which it may fire: the first clause, or the last where all must hold. Null when no number is enough. */
export function triggerLimit(settings: TriggerSettings, window: number): number | null {
  const limits = clausesOf(settings, window).flatMap(({ name, limit }) => (name === 'messages' ? [] : [limit]));
  const limit = settings.require === 'all' ? Math.max(...limits) : Math.min(...limits);
  return Number.isFinite(limit) ? limit : null;
}

/** 0 when neither is known. */
function maximumOf({ maxContextTokens }: Pick<Limiting, 'maxContextTokens'>, window: number): number {
  return maxContextTokens > 0 && window > 0 ? Math.min(maxContextTokens, window) : maxContextTokens || window;
}

/** The value compared at `moment`; null when the basis has no data yet. */
export function measure(settings: TriggerSettings, moment: TriggerMoment, figures: TriggerFigures): number | null {
  const { reading } = figures;
  const coming = moment.at === 'beforeMessage' ? moment.tokens : 0;
  switch (settings.basis) {
    case 'estimate':
      // After a response the report counts; messages appended since are checked before the next call.
      if (moment.at === 'afterResponse') return reading.reported ? reading.tokens - reading.appended : reading.tokens;
      return (
        reading.tokens + (moment.at === 'beforeCall' ? settings.safetyMargin : Math.round(coming * reading.factor))
      );
    case 'usage':
      return reading.reported ? reading.reported.input + reading.reported.output : null;
    case 'input':
      return reading.reported ? reading.reported.input : null;
    case 'inputOutput':
      return reading.reported ? reading.reported.input + reading.reported.output : null;
    // Before a message is added only the present context counts; the message itself is checked before the call.
    case 'halfCharacters':
    case 'mixedText':
      return figures.counted(settings.basis);
  }
}

interface Limits {
  /** Target size of the history alone, uncalibrated: `targetTokens` of the first attempt. */
  readonly target: number;
  /** Calibrated tokens of the whole request from which the trigger would fire again. Infinite for manual runs. */
  readonly soft: number;
  /** Calibrated maximum of the whole request for any model call. Infinite for an unknown window. */
  readonly hard: number;
}

export interface Budget {
  readonly reading: MeterReading;
  readonly limits: Limits;
}

interface LimitInput {
  readonly reading: MeterReading;
  /** Uncalibrated tokens of the history, without the header. */
  readonly history: number;
  /** 0 when unknown. */
  readonly window: number;
  /** Tokens of the window that the request keeps free for its answer (`answerRoom`). */
  readonly answer: number;
  readonly trigger: TriggerSettings;
  readonly targetRatio: number;
  readonly automatic: boolean;
  /** The trigger's present value: the reading, a report, or its own count. */
  readonly compared: number;
  /**
   * The value compared when it fired, including a coming message or the margin: used where the present value would not
   * fire.
   */
  readonly fired: number | null;
  /** The trigger's unit per token of the reading: about 2 when it counts characters / 2. */
  readonly scale: number;
  /** Calibrated tokens that cannot be removed (`leastTokens`). */
  readonly least: number;
  /** Number of provider refusals since the last answer; 0 without an overflow. */
  readonly overflows: number;
}

/** Each refusal shows that the estimate was too low, so each leaves a smaller share of the removable content. */
const AFTER_OVERFLOW = 0.75;

export function computeLimits(input: LimitInput): Limits {
  const { reading, window, trigger } = input;
  let hard = hardLimit(window, input.answer, trigger);
  if (input.overflows > 0) {
    const movable = Math.max(0, reading.tokens - input.least);
    hard = Math.min(hard, input.least + movable * AFTER_OVERFLOW ** input.overflows);
  }
  // Counted down from the reading: content that the trigger ignores, such as an answer, is no reason to continue.
  const limit = triggerLimit(trigger, window) ?? Number.POSITIVE_INFINITY;
  const compared = input.compared < limit ? (input.fired ?? input.compared) : input.compared;
  const fires = reading.tokens - (compared - limit - (isStrict(trigger) ? 1 : 0)) / input.scale;
  const soft = input.automatic ? Math.min(fires, hard) : Number.POSITIVE_INFINITY;
  const fixed = (trigger.maxContextTokens || Number.POSITIVE_INFINITY) / input.scale;
  const maximum = Math.min(window || Number.POSITIVE_INFINITY, fixed, hard);
  const budget = historyRoom(maximum * input.targetRatio, reading, input.history);
  const half = input.history / 2;
  // A person who compacts by hand wants less, however much room there is.
  const target = input.automatic && budget < input.history ? budget : Math.min(half, budget);
  return { target: Math.max(1, Math.floor(target)), soft, hard };
}

/** Calibrated maximum of the whole request for any model call. Infinite for an unknown window. */
export function hardLimit(window: number, answer: number, { reserve }: Pick<TriggerSettings, 'reserve'>): number {
  // The reserve belongs to the trigger: it must not take most of a small window.
  return window > 0 ? window - Math.max(answer, Math.min(reserve, window >> 2)) : Number.POSITIVE_INFINITY;
}

/** Many providers refuse a request whose input and longest answer together exceed the window. */
export function answerRoom(window: number, model: { readonly maxOutputTokens?: number } | null): number {
  return Math.min(model?.maxOutputTokens ?? 0, window >> 1);
}

/**
 * Uncalibrated history tokens that fit when the whole request must stay below `limit`. Counted down from the reading,
 * because the reading includes content that estimates miss (a hidden preamble, a wrong factor), which stays.
 */
export function historyRoom(limit: number, reading: MeterReading, history: number): number {
  return history - (reading.tokens - limit) / reading.factor;
}

/** Tokens of the whole request after removing `saved` uncalibrated tokens of the history. */
export function requestTokens(reading: MeterReading, saved: number): number {
  return Math.max(0, reading.tokens - Math.round(reading.factor * saved));
}
