/** The tokens that a request may have after a compaction, and how the history's tokens relate to them. Pure. */

import type { MeterReading } from '../../tokens/meter.ts';

export interface Limits {
  /** Target size of the history alone, uncalibrated: `targetTokens` of the first attempt. */
  readonly target: number;
  /** Calibrated tokens of the whole request from which the trigger would fire again. Infinite for manual runs. */
  readonly soft: number;
  /** Calibrated maximum of the whole request that leaves the reserve. Infinite for an unknown window. */
  readonly hard: number;
  /** Calibrated tokens from which the whole request does not fit, reserve or not; at least `hard`. */
  readonly most: number;
  /** Calibrated tokens of the whole request down to which messages are dropped if a strategy leaves more; at most `hard`. */
  readonly drop: number;
}

export interface Budget {
  readonly reading: MeterReading;
  readonly limits: Limits;
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
