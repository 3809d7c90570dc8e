/** What the compactor knows of a strategy, built in or contributed. */

import type { CompactionContext, StrategyFactory, StrategyPorts } from '../../../api/index.ts';
import type { Leaves } from '../when/rent.ts';

export type AnyFactory = StrategyFactory<keyof StrategyPorts>;

/** What a picker shows of a strategy. */
export interface ListedStrategy {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Null for the built-in ones. */
  readonly publisher: string | null;
  /** Path of the person's own file that it was loaded from; absent for all others. */
  readonly file?: string;
}

export interface StrategyEntry extends ListedStrategy {
  readonly factory: AnyFactory;
  /** What it says about results that the window holds. Nothing when left out. */
  readonly lastWord?: (
    section: Readonly<Record<string, unknown>>,
    whole: Pick<CompactionContext, 'history' | 'maxContextSize'>,
  ) => LastWord;
  /** What a compaction of it leaves in a window of so many tokens; when left out, what compactions aim at. */
  readonly leaves?: (section: Readonly<Record<string, unknown>>, window: number) => Leaves;
}

export interface LastWord {
  /**
   * What stands as long as the window holds it, also where its trigger would fire again: what it gave first, or whatever it
   * answered, that there is nothing to do included. `none` when left out.
   */
  readonly resultStands?: 'none' | 'first' | 'every';
  /** Newest rounds that stay whole. */
  readonly wholeRounds?: number;
}
