/** Intervals by resampling with a fixed seed: the same figures give the same bounds. Pure. */

import { seededRandom } from '../core/seededRandom.ts';

const RESAMPLES = 1000;
const SEED = 20_260_101;

/** The figures of as many samples as the bootstrap takes, each drawn from `all` with replacement and as large. */
export function resample<One extends object, Figures>(
  all: readonly One[],
  read: (drawn: readonly One[]) => Figures,
): readonly Figures[] {
  const random = seededRandom(SEED);
  const draw = () => all.flatMap(() => all[Math.floor(random() * all.length)] ?? []);
  return Array.from({ length: RESAMPLES }, () => read(draw()));
}

/** The bounds between which 95 % of the values lie; null without values. */
export function boundsOf(given: readonly number[]): readonly [number, number] | null {
  const values = given.toSorted((a, b) => a - b);
  const low = values[Math.floor(0.025 * values.length)];
  const high = values[Math.ceil(0.975 * values.length) - 1];
  return low === undefined || high === undefined ? null : [low, high];
}
