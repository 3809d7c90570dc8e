/**
 * Computes the limits of a compaction from the reading and the settings: the target, the soft limit and the hard
 * limit. Pure.
 */

import type { MeterReading } from '../../tokens/meter.ts';
import { historyRoom, type Limits, requestTokens } from '../draft/budget.ts';
import type { TriggerSettings } from '../sections/generalSettings.ts';
import { TriggerClauses } from './triggers.ts';

interface LimitInput {
  readonly reading: MeterReading;
  /** Uncalibrated tokens of the history, without the header. */
  readonly history: number;
  /** 0 when unknown. */
  readonly window: number;
  /** Tokens of the window that the request keeps free for its answer. */
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
  /** Calibrated tokens that it must free to be worth it. */
  readonly gain: number;
  /** True while nothing known of the size says that it cannot fit (`Gauge.mayFit`). */
  readonly mayFit: boolean;
  /** The next request does not fit. */
  readonly mustFit: boolean;
}

/** Each refusal shows that the estimate was too low, so each leaves a smaller share of the removable content. */
const AFTER_OVERFLOW = 0.75;

export function computeLimits(input: LimitInput): Limits {
  const { reading, window, trigger } = input;
  const clauses = new TriggerClauses(trigger, window);
  let hard = clauses.hardLimit(input.answer);
  let most = window > 0 ? window - input.answer : hard;
  if (input.overflows > 0) {
    const movable = Math.max(0, reading.tokens - input.least);
    const less = input.least + movable * AFTER_OVERFLOW ** input.overflows;
    hard = input.mayFit && input.least >= hard ? less : Math.min(hard, less);
    most = hard;
  }
  // Counted down from the reading: content that the trigger ignores, such as an answer, is no reason to continue.
  const limit = clauses.limit ?? Number.POSITIVE_INFINITY;
  const compared = input.compared < limit ? (input.fired ?? input.compared) : input.compared;
  const fires = reading.tokens - (compared - limit - (clauses.isStrict ? 1 : 0)) / input.scale;
  const fixed = (trigger.maxContextTokens || Number.POSITIVE_INFINITY) / input.scale;
  const maximum = Math.min(window || Number.POSITIVE_INFINITY, fixed, hard);
  // Where what cannot go fills much of the maximum, some of the room beside it stays filled.
  const aimed = Math.max(maximum * input.targetRatio, input.least + (maximum - input.least) * input.targetRatio * 0.5);
  const budget = historyRoom(Math.min(aimed, maximum), reading, input.history);
  const half = input.history / 2;
  // A person who compacts by hand wants less, however much room there is.
  const target = Math.max(1, Math.floor(input.automatic && budget < input.history ? budget : Math.min(half, budget)));
  // A trigger that fires whatever is removed asks for the target and no more.
  const reachable = fires > input.least + input.gain ? 0 : requestTokens(reading, input.history - target) + 1;
  // A compaction that frees just enough would be due again at once.
  const enough = Math.min(fires, reading.tokens - input.gain + 1);
  const soft = input.automatic ? Math.min(Math.max(enough, reachable), hard) : Number.POSITIVE_INFINITY;
  // Where the next request must fit, so much room is made that it is not due again at once.
  const drop = input.mustFit ? Math.min(hard, reading.tokens - input.gain + 1) : hard;
  return { target, soft, hard, most, drop };
}
