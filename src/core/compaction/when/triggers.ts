/**
 * When to compact: a pure decision from figures and settings. A strategy never decides it. Each clause that is on holds or
 * does not; one is enough, or all must hold.
 */

import type { MeterReading, OwnCount } from '../../tokens/meter.ts';
import type { TriggerSettings } from './triggerSettings.ts';

export type TriggerMoment =
  | { readonly at: 'beforeMessage'; readonly tokens: number }
  | { readonly at: 'beforeCall' }
  | { readonly at: 'afterResponse' };

interface TriggerFigures {
  readonly reading: MeterReading;
  /** The conversation by an estimator of a strategy's own; asked for only when that is the basis. */
  readonly counted: (by: OwnCount) => number;
  /** In the context, of all roles. */
  readonly messages: number;
  /** 0 when unknown. */
  readonly window: number;
}

interface Clause {
  readonly name: 'ratio' | 'reserve' | 'messages';
  /** In tokens or messages; infinite where nobody knows the maximum. */
  readonly limit: number;
}

export type TriggerDecision =
  | { readonly kind: 'below' }
  | {
      readonly kind: 'fire';
      readonly trigger: 'threshold' | 'precheck';
      /** Those that hold. */
      readonly clauses: readonly Clause['name'][];
      /** The tokens compared; of the reading where the basis has nothing to go by. */
      readonly tokens: number;
      /** What the ratio is a share of; 0 when unknown. */
      readonly maximum: number;
    };

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

/** Those that are on. */
function clausesOf(settings: TriggerSettings, window: number): Clause[] {
  const { ratio, reserve, messages } = settings;
  const maximum = maximumOf(settings, window) || Number.POSITIVE_INFINITY;
  const clauses: Clause[] = [];
  if (ratio > 0) clauses.push({ name: 'ratio', limit: Math.floor(maximum * ratio) });
  if (reserve > 0 && reserve < maximum) clauses.push({ name: 'reserve', limit: maximum - reserve });
  if (messages > 0) clauses.push({ name: 'messages', limit: messages });
  return clauses;
}

/** It fires above the ratio, and not at it. */
export function isStrict({ basis }: TriggerSettings): boolean {
  return basis === 'input' || basis === 'inputOutput';
}

/** Tokens at which it may fire: the first clause, or the last where all must hold. Null when no number of them is enough. */
export function triggerLimit(settings: TriggerSettings, window: number): number | null {
  const limits = clausesOf(settings, window).flatMap(({ name, limit }) => (name === 'messages' ? [] : [limit]));
  const limit = settings.require === 'all' ? Math.max(...limits) : Math.min(...limits);
  return Number.isFinite(limit) ? limit : null;
}

/** 0 when neither is known. */
function maximumOf({ maxContextTokens }: TriggerSettings, window: number): number {
  return maxContextTokens > 0 && window > 0 ? Math.min(maxContextTokens, window) : maxContextTokens || window;
}

/** What is compared at `moment`; null when the basis has nothing to go by yet. */
export function measure(settings: TriggerSettings, moment: TriggerMoment, figures: TriggerFigures): number | null {
  const { reading } = figures;
  const coming = moment.at === 'beforeMessage' ? moment.tokens : 0;
  switch (settings.basis) {
    case 'estimate':
      // After a response the report counts; what was appended since is checked before the next call.
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
    // Only what is there counts before a message is added; the message itself is checked before the call.
    case 'halfCharacters':
    case 'mixedText':
      return figures.counted(settings.basis);
  }
}
