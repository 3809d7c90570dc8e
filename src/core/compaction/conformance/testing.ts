/** Helpers for authors' own tests, in plain Node: `palimpsest-api/testing` is this file, bundled. */

import type { StrategyFactory, StrategyPorts } from '../../../api/index.ts';
import type { RunOnceOptions, RunOnceResult } from '../../../api/testing.ts';
import type { Message } from '../../context/message.ts';
import { seededRandom } from '../../seededRandom.ts';
import type { AnyFactory } from '../strategies/strategyEntry.ts';
import { generateHistory as generate } from './generateHistory.ts';
import { TIMERS } from './kitModel.ts';
import { runStrategyOnce } from './runOnce.ts';

export { ModelError } from '../../errors.ts';
export { readRecorded } from './readRecorded.ts';

/** A history with this many turns for a test; the same for the same seed. */
export function generateHistory(seed = 1, turns = 4): Message[] {
  return generate(seededRandom(seed), turns, `g${seed}`);
}

/** Calls the strategy once on this history: returns the result that would be committed, or the broken rule. */
export async function runOnce<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  history: readonly Message[],
  options: RunOnceOptions = {},
): Promise<RunOnceResult> {
  return runStrategyOnce(factory as unknown as AnyFactory, history, options, TIMERS);
}
