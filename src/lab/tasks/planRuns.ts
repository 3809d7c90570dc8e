/**
 * The order of runs: each task, each time it is tried, is a round of all strategies one after the other, so that whatever
 * changes at a provider in the course of a day meets all of them alike. Both orders are random and fixed by a seed. Pure.
 */

import { type Random, seededRandom } from '../../core/seededRandom.ts';

export interface Round {
  readonly task: string;
  /** From 1. */
  readonly attempt: number;
  /** In the order in which they run. */
  readonly strategies: readonly string[];
}

export interface RunPlan {
  readonly tasks: readonly string[];
  readonly strategies: readonly string[];
  readonly tries: number;
  readonly seed: number;
}

export function planRuns({ tasks, strategies, tries, seed }: RunPlan): Round[] {
  const random = seededRandom(seed);
  const rounds = tasks.flatMap((task) => Array.from({ length: tries }, (_, at) => ({ task, attempt: at + 1 })));
  return shuffle(rounds, random).map((round) => ({ ...round, strategies: shuffle(strategies, random) }));
}

/** Fisher and Yates. */
function shuffle<One>(given: readonly One[], random: Random): One[] {
  const all = [...given];
  for (let last = all.length - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1));
    [all[last], all[at]] = [all[at] as One, all[last] as One];
  }
  return all;
}
