/** What the compactor knows of a strategy, built in or contributed. */

import type { StrategyFactory, StrategyPorts } from '../../../api/index.ts';

export type AnyFactory = StrategyFactory<keyof StrategyPorts>;

/** What a picker shows of a strategy. */
export interface ListedStrategy {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Null for the built-in ones. */
  readonly publisher: string | null;
}

export interface StrategyEntry extends ListedStrategy {
  readonly factory: AnyFactory;
  /** Newest rounds that stay whole: below the hard limit no step of the ladder touches them. None when left out. */
  readonly wholeRounds?: (section: Readonly<Record<string, unknown>>) => number;
  /** False: what it gave stands below the hard limit, also above the soft one. True when left out. */
  readonly remeasured?: (section: Readonly<Record<string, unknown>>) => boolean;
}
