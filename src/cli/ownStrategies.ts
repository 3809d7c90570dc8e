/** Strategies in files that a person names to the lab, loaded by the product's own rules for such files. */

import { resolve } from 'node:path';
import { StrategyRegistry } from '../core/compaction/run/registry.ts';
import { compileStrategyFile, loadStrategyFile } from '../host/strategyFiles/loadStrategyFile.ts';
import { readStrategyFile } from '../host/strategyFiles/readStrategyFile.ts';

/** A path, as opposed to the name of a strategy. */
export function isStrategyPath(asked: string): boolean {
  return /\.m?[jt]s$/i.test(asked) || /[\\/]/.test(asked) || /\.\w+$/.test(asked);
}

/** The product's strategies, and those of `asked` that are paths: a path is the id. Throws what is wrong with a file. */
export async function openStrategies(asked: readonly string[]): Promise<StrategyRegistry> {
  const registry = new StrategyRegistry();
  for (const id of new Set(asked.filter(isStrategyPath))) {
    const file = await readStrategyFile(resolve(id), []);
    const factory = await loadStrategyFile(file, await compileStrategyFile(file));
    registry.register({ id, label: id, description: '', publisher: null, file: file.path, factory });
  }
  return registry;
}
