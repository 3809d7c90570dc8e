/**
 * The steps that the compactor takes by itself while the window still holds the context. Below the hard limit the
 * strategy and its settings decide; above it the request must fit in any case. Pure.
 */

import type { CompactionContext } from '../../../api/index.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { ResultPolicy, StrategyEntry } from '../strategies/strategyEntry.ts';

export interface CompactorSteps {
  /** Which results of the strategy are final, even if its trigger would fire again. */
  readonly finalResult: NonNullable<ResultPolicy['finalResult']>;
  /** Newest rounds that no step changes. */
  readonly wholeRounds: number;
  /** Drop the oldest messages, instead of a summary, while no model may be asked. */
  readonly drops: boolean;
  /** Which results of reading files stay. The others are hidden before the strategy runs. */
  readonly reads: CompactionSettings['keep']['reads'];
}

/** `cooling`: no model may be asked. */
export function compactorSteps(
  { resultPolicy }: StrategyEntry,
  { section, keep }: Pick<CompactionSettings, 'section' | 'keep'>,
  whole: Pick<CompactionContext, 'history' | 'maxContextSize'>,
  cooling: boolean,
): CompactorSteps {
  return { finalResult: 'none', wholeRounds: 0, ...resultPolicy?.(section, whole), drops: cooling, reads: keep.reads };
}
