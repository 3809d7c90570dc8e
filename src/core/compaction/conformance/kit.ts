/**
 * The conformance kit as other repositories use it: plain Node, no VS Code, one import. `palimpsest-api/conformance` is
 * this file, bundled.
 */

import type { StrategyFactory, StrategyPorts } from '../../../api/index.ts';
import type { AnyFactory } from '../run/strategyEntry.ts';
import { type ConformanceOptions, type ConformanceReport, checkConformance } from './checkConformance.ts';

export { readRecorded } from './readRecorded.ts';

export type KitOptions = Omit<ConformanceOptions, 'timers'>;

/** Every JavaScript host has these; the core itself takes its timers from outside. */
declare const setTimeout: (callback: () => void, ms: number) => unknown;
declare const clearTimeout: (handle: unknown) => void;

const timers = {
  after: (ms: number, callback: () => void) => {
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};

/** Runs the strategy over generated histories, and recorded ones where given; `broken` names every broken rule. */
export function checkStrategy<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  options: KitOptions = {},
): Promise<ConformanceReport> {
  return checkConformance(factory as unknown as AnyFactory, { ...options, timers });
}

/** Rejects with every broken rule in its message, for use in a test. */
export async function assertConforms<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  options: KitOptions = {},
): Promise<ConformanceReport> {
  const report = await checkStrategy(factory, options);
  if (report.broken.length === 0) return report;
  const lines = report.broken.slice(0, 20).map(({ rule, where }) => `- ${where}: ${rule}`);
  throw new Error(`The strategy breaks the rules in ${report.broken.length} of its compactions:\n${lines.join('\n')}`);
}
