/**
 * Decides from figures and settings when to compact. Each enabled clause holds or not; one is enough, or all must hold. Pure.
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

type TriggerDecision =
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

/** A reserve must not take most of a small window: at most a quarter of `maximum` tokens. */
export const cappedReserve = (reserve: number, maximum: number): number => Math.min(reserve, maximum >> 2);

/** Those that are turned on. */
export function clausesOf(settings: Limiting, window: number): Clause[] {
  const { ratio, reserve, messages } = settings;
  const maximum = maximumOf(settings, window) || Number.POSITIVE_INFINITY;
  const clauses: Clause[] = [];
  if (ratio > 0) clauses.push({ name: 'ratio', limit: Math.floor(maximum * ratio) });
  if (reserve > 0 && Number.isFinite(maximum))
    clauses.push({ name: 'reserve', limit: maximum - cappedReserve(reserve, maximum) });
  if (messages > 0) clauses.push({ name: 'messages', limit: messages });
  return clauses;
}

/** It fires above the ratio, and not at it. */
export function isStrict({ basis }: TriggerSettings): boolean {
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
      if (moment.at === 'afterResponse')
        return reading.reported && !reading.doubt ? reading.tokens - reading.appended : reading.tokens;
      return (
        reading.tokens + (moment.at === 'beforeCall' ? settings.safetyMargin : Math.round(coming * reading.factor))
      );
    case 'usage':
    case 'inputOutput':
      if (reading.doubt) return reading.tokens;
      return reading.reported ? reading.reported.input + reading.reported.output : null;
    case 'input':
      if (reading.doubt) return reading.tokens;
      return reading.reported ? reading.reported.input : null;
    // Before a message is added only the present context counts; the message itself is checked before the call.
    case 'halfCharacters':
    case 'mixedText':
      return figures.counted(settings.basis);
  }
}
