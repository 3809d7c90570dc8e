/** Finds the strategy an id names: a plain one of the lab's table, or one of the product's own registry. */

import { StrategyRegistry } from '../core/compaction/run/registry.ts';
import { BASELINES } from './baselines/baselines.ts';
import { type LiveOptions, makeLiveContender } from './live/liveContender.ts';
import type { PreparedSession } from './prepareSession.ts';
import type { Contender } from './request.ts';

/** `window` in tokens of the lab; the fixed part for system prompt and tools comes on top. */
export type Contestant = LiveOptions;

/** Ids in the order of the lab's table, then the product's own. */
export function knownStrategies(registry: StrategyRegistry = new StrategyRegistry()): string[] {
  return [...BASELINES.keys(), ...registry.list().map((entry) => entry.id)];
}

export async function makeContender(id: string, prepared: PreparedSession, options: Contestant): Promise<Contender> {
  const baseline = BASELINES.get(id);
  if (baseline) return baseline(prepared, options.window);
  if (options.registry.get(id)) return makeLiveContender(id, prepared, options);
  throw new Error(`There is no strategy ${id}; known are ${knownStrategies(options.registry).join(', ')}.`);
}
