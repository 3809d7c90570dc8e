/** How large the context may be after a compaction: what is aimed at, what is wanted, what must be. Pure. */

import type { MeterReading } from '../../tokens/meter.ts';
import type { TriggerSettings } from './triggerSettings.ts';
import { isStrict, triggerLimit } from './triggers.ts';

export interface Limits {
  /** What the history alone should fit into, uncalibrated: `targetTokens` of the first attempt. */
  readonly target: number;
  /** Calibrated tokens of the whole request: at or above it the trigger would fire again. Infinite for manual runs. */
  readonly soft: number;
  /** Calibrated tokens of the whole request that no model call may pass. Infinite when no window is known. */
  readonly hard: number;
}

/** How large the request is, and how large it may become. */
export interface Budget {
  readonly reading: MeterReading;
  readonly limits: Limits;
}

/** What the limits follow from. */
interface LimitInput {
  readonly reading: MeterReading;
  /** Uncalibrated tokens of the history, header excepted. */
  readonly history: number;
  /** 0 when unknown. */
  readonly window: number;
  /** Tokens of the window that the request keeps free for its answer (`answerRoom`). */
  readonly answer: number;
  readonly trigger: TriggerSettings;
  readonly targetRatio: number;
  readonly automatic: boolean;
  /** What the trigger compares now: the reading, a report, or a count of its own. */
  readonly compared: number;
  /** What it compared when it fired, a coming message or its margin included: counts where what is there would not fire. */
  readonly fired: number | null;
  /** What the trigger compares for one token of the reading: 2 or so when it counts characters / 2. */
  readonly scale: number;
  /** Calibrated tokens that stay whatever goes (`leastTokens`). */
  readonly least: number;
  /** How often the provider refused since its last answer; 0 without an overflow. */
  readonly overflows: number;
}

/** Each refusal says that our figure was too low, so each leaves less of what can go than the one before. */
const AFTER_OVERFLOW = 0.75;

export function computeLimits(input: LimitInput): Limits {
  const { reading, window, trigger } = input;
  let hard = hardLimit(window, input.answer, trigger);
  if (input.overflows > 0) {
    const movable = Math.max(0, reading.tokens - input.least);
    hard = Math.min(hard, input.least + movable * AFTER_OVERFLOW ** input.overflows);
  }
  // Counted down from the reading: what the trigger does not look at, such as an answer, is no reason to go on.
  const limit = triggerLimit(trigger, window) ?? Number.POSITIVE_INFINITY;
  const compared = input.compared < limit ? (input.fired ?? input.compared) : input.compared;
  const fires = reading.tokens - (compared - limit - (isStrict(trigger) ? 1 : 0)) / input.scale;
  const soft = input.automatic ? Math.min(fires, hard) : Number.POSITIVE_INFINITY;
  const fixed = (trigger.maxContextTokens || Number.POSITIVE_INFINITY) / input.scale;
  const maximum = Math.min(window || Number.POSITIVE_INFINITY, fixed, hard);
  const budget = historyRoom(maximum * input.targetRatio, reading, input.history);
  const half = input.history / 2;
  // Someone who compacts by hand wants less, however much room there is.
  const target = input.automatic && budget < input.history ? budget : Math.min(half, budget);
  return { target: Math.max(1, Math.floor(target)), soft, hard };
}

/** Calibrated tokens of the whole request that no model call may pass. Infinite when no window is known. */
export function hardLimit(window: number, answer: number, { reserve }: Pick<TriggerSettings, 'reserve'>): number {
  // The reserve belongs to the trigger: it must not take most of a small window.
  return window > 0 ? window - Math.max(answer, Math.min(reserve, window >> 2)) : Number.POSITIVE_INFINITY;
}

/** Many providers refuse a request whose input and longest answer together pass the window. */
export function answerRoom(window: number, model: { readonly maxOutputTokens?: number } | null): number {
  return Math.min(model?.maxOutputTokens ?? 0, window >> 1);
}

/**
 * Uncalibrated history tokens that fit when the whole request must stay below `limit`. Counted down from the reading,
 * because the reading holds what estimates leave out (a hidden preamble, a wrong factor), and that stays.
 */
export function historyRoom(limit: number, reading: MeterReading, history: number): number {
  return history - (reading.tokens - limit) / reading.factor;
}

/** Tokens of the whole request once `saved` uncalibrated tokens of the history are gone. */
export function requestTokens(reading: MeterReading, saved: number): number {
  return Math.max(0, reading.tokens - Math.round(reading.factor * saved));
}
