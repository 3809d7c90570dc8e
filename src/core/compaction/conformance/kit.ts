/**
 * The conformance kit as other repositories use it: plain Node, no VS Code, one import. `palimpsest-api/conformance` is
 * this file, bundled.
 */

import type { ConformanceReport } from '../../../api/conformance.ts';
import type { StrategyFactory, StrategyPorts } from '../../../api/index.ts';
import type { AnyFactory } from '../strategies/strategyEntry.ts';
import type { Machine } from './check.ts';
import { checkConformance } from './checkConformance.ts';
import { TIMERS } from './kitModel.ts';
import type { KitOptions } from './kitOptions.ts';
import { describeBroken } from './report.ts';

export { readRecorded } from './readRecorded.ts';

declare const performance: { readonly now: () => number };

const MACHINE: Machine = { timers: TIMERS, now: () => performance.now() };

/**
 * Runs the strategy over generated histories and any recorded ones; `broken` names every broken rule. Rejects with
 * `TypeError` when an option is misspelt or of a wrong type.
 */
export async function checkStrategy<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  options: KitOptions = {},
): Promise<ConformanceReport> {
  return checkConformance(factory as unknown as AnyFactory, options, MACHINE);
}

/** Rejects with every broken rule in its message, for use in a test. */
export async function assertConforms<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  options: KitOptions = {},
): Promise<ConformanceReport> {
  const report = await checkStrategy(factory, options);
  if (report.broken.length === 0) return report;
  throw new Error(describeBroken(report));
}
