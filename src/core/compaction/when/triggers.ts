/** When to compact: a pure decision from figures and settings. A strategy never decides it. */

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
  /** 0 when unknown. */
  readonly window: number;
}

export type TriggerDecision =
  | { readonly kind: 'below' }
  | {
      readonly kind: 'fire';
      readonly trigger: 'threshold' | 'precheck';
      readonly clause: 'ratio' | 'reserve';
      /** The figure compared, and the tokens at which its clause fires. */
      readonly tokens: number;
      readonly limit: number;
      /** What the ratio is a share of. */
      readonly maximum: number;
    };

export function decideTrigger(
  settings: TriggerSettings,
  moment: TriggerMoment,
  figures: TriggerFigures,
): TriggerDecision {
  const maximum = maximumOf(settings, figures.window);
  if (!(maximum > 0)) return { kind: 'below' };
  const tokens = measure(settings, moment, figures);
  if (tokens === null) return { kind: 'below' };
  const trigger = moment.at === 'afterResponse' ? 'threshold' : 'precheck';
  if (settings.ratio > 0) {
    const limit = Math.floor(maximum * settings.ratio);
    if (isStrict(settings) ? tokens > limit : tokens >= limit)
      return { kind: 'fire', trigger, clause: 'ratio', tokens, limit, maximum };
  }
  if (settings.reserve > 0 && settings.reserve < maximum && tokens + settings.reserve >= maximum) {
    return { kind: 'fire', trigger, clause: 'reserve', tokens, limit: maximum - settings.reserve, maximum };
  }
  return { kind: 'below' };
}

/** It fires above the ratio, and not at it. */
export function isStrict({ basis }: TriggerSettings): boolean {
  return basis === 'input' || basis === 'inputOutput';
}

/** Tokens at which the first clause fires, for the mark in the meter; null when none can. */
export function triggerLimit(settings: TriggerSettings, window: number): number | null {
  const maximum = maximumOf(settings, window);
  if (!(maximum > 0)) return null;
  const limits: number[] = [];
  if (settings.ratio > 0) limits.push(Math.floor(maximum * settings.ratio));
  if (settings.reserve > 0 && settings.reserve < maximum) limits.push(maximum - settings.reserve);
  return limits.length ? Math.min(...limits) : null;
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
