/** The plain strategies of the lab's table by id. They are yardsticks and are not offered to users. */

import type { Baseline } from './baseline.ts';
import { digest, hideThenDigest } from './digest.ts';
import { hideBatched, hideEachStep, oracle, pruneEachStep } from './hiding.ts';
import { last40, none, truncate8050 } from './windows.ts';

export const BASELINES: ReadonlyMap<string, Baseline> = new Map([
  ['none', none],
  ['last-40', last40],
  ['truncate-80-50', truncate8050],
  ['hide-5-each-step', hideEachStep],
  ['hide-5-batched', hideBatched],
  ['prune-each-step', pruneEachStep],
  ['digest', digest],
  ['hide-then-digest', hideThenDigest],
  ['oracle', oracle],
]);

/** Their ids. */
export const PLAIN_STRATEGIES: readonly string[] = [...BASELINES.keys()];
