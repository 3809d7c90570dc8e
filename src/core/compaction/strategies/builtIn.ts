/** The strategies that come with the product, in the order in which they are offered. */

import type { BuiltInStrategy } from './defineStrategy.ts';
import { hidingThenSummary } from './hidingThenSummary.ts';
import { layered } from './layered/layered.ts';
import { llmSummary } from './llmSummary.ts';
import { pruneThenSummary } from './pruneThenSummary.ts';
import { roundSummary } from './roundSummary.ts';
import { selective } from './selective.ts';
import { toolResultHiding } from './toolResultHiding.ts';

export const BUILT_IN_STRATEGIES: readonly BuiltInStrategy[] = [
  layered,
  selective,
  llmSummary,
  toolResultHiding,
  hidingThenSummary,
  pruneThenSummary,
  roundSummary,
];

/** Used when none is chosen, and when the chosen one is missing or unusable. */
export const DEFAULT_STRATEGY = layered.id;
