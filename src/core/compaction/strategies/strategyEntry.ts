/** A strategy as the compactor knows it, built in or contributed. */

import type { CompactionContext, StrategyFactory, StrategyPorts } from '../../../api/index.ts';

/** Ports that a factory can name in `needs`. */
export const PORT_NAMES = ['llm', 'countTokens', 'log', 'settings'] as const satisfies readonly (keyof StrategyPorts)[];

export type AnyFactory = StrategyFactory<keyof StrategyPorts>;

/** A strategy as a picker shows it. */
export interface ListedStrategy {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Null for built-in ones. */
  readonly publisher: string | null;
  /** Path of the person's own file that it was loaded from; absent for others. */
  readonly file?: string;
}

export interface StrategyEntry extends ListedStrategy {
  readonly factory: AnyFactory;
  /** Its rules for results that the window holds. Default: none. */
  readonly resultPolicy?: (
    section: Readonly<Record<string, unknown>>,
    whole: Pick<CompactionContext, 'history' | 'maxContextSize'>,
  ) => ResultPolicy;
  /** Tokens that its compaction leaves in a window of this size; default: the target of compactions. */
  readonly leaves?: (section: Readonly<Record<string, unknown>>, window: number) => Leaves;
}

export interface ResultPolicy {
  /**
   * Which results are final as long as the window holds them, even if its trigger would fire again: the first result,
   * or every answer, including that there is nothing to do. Default: `none`.
   */
  readonly finalResult?: 'none' | 'first' | 'every';
  /** Newest rounds that stay whole. */
  readonly wholeRounds?: number;
}

/** The size of a compaction's result, in tokens that must then be read again. */
export interface Leaves {
  readonly recent: number;
  /** Maximum size of the replacement for the rest. */
  readonly notes: number;
}
