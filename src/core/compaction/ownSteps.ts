/**
 * What the compactor does by itself while the window still holds the context. Below the hard limit the strategy and its
 * settings have the last word; above it the request must fit, whatever they say. Pure.
 */

import type { CompactionContext } from '../../api/index.ts';
import type { Reads } from './draft/keepingSettings.ts';
import type { LastWord, StrategyEntry } from './run/strategyEntry.ts';
import type { CompactionSettings } from './settings.ts';

export interface OwnSteps {
  /** Which results of the strategy stand, also where its trigger would fire again. */
  readonly resultStands: NonNullable<LastWord['resultStands']>;
  /** Newest rounds that nothing touches. */
  readonly wholeRounds: number;
  /** The oldest messages are dropped: that stands in for the summary while no model may be asked. */
  readonly drops: boolean;
  /** Which results of reading files stay. The others are hidden before the strategy looks. */
  readonly reads: Reads;
}

/** `cooling`: no model may be asked. */
export function ownSteps(
  { lastWord }: StrategyEntry,
  { section, keep }: Pick<CompactionSettings, 'section' | 'keep'>,
  whole: Pick<CompactionContext, 'history' | 'maxContextSize'>,
  cooling: boolean,
): OwnSteps {
  return { resultStands: 'none', wholeRounds: 0, ...lastWord?.(section, whole), drops: cooling, reads: keep.reads };
}
