/**
 * The deterministic steps below every strategy, mildest first: hide old results, drop the oldest rounds, cut giants.
 * None needs a model, none repeats itself, and each applies only when it makes the draft smaller.
 */

import { type Budget, historyRoom, requestTokens } from './budget.ts';
import { cutGiant } from './cutGiant.ts';
import type { Draft } from './draft.ts';
import { dropOldest } from './dropOldest.ts';
import { hideResults } from './hideResults.ts';
import type { Stamp } from './stub.ts';

/** Estimates differ slightly from the provider's counts, so aim below the limit. */
const MARGIN = 0.95;

/** Maximum giants cut in sequence: as many as one answer may bring at once. */
const MOST_CUTS = 32;

/** Limits of the steps, by the strategy and the state of its model. */
interface Allowed {
  /** Newest rounds that no step changes. */
  readonly wholeRounds: number;
  /** Drop the oldest messages, instead of a summary, while no model may be asked. */
  readonly drops: boolean;
}

/** Parameters of the steps. */
interface Descent {
  readonly budget: Budget;
  readonly stamp: Stamp;
  readonly own: Allowed;
  /** Tools whose results are not hidden for the soft limit. */
  readonly protectedTools: readonly string[];
}

/** Hides results down to the soft limit; drops and cuts only where it must fit, because that removes more. */
export function climbDown(from: Draft, { budget, stamp, own, protectedTools }: Descent): Draft {
  const { reading, limits } = budget;
  const newest = (from.history.messages.at(-1)?.round ?? 0) - own.wholeRounds;
  let draft = from;
  const step = (limit: number, go: (target: number) => Draft) => {
    if (requestTokens(reading, draft.freed) < limit) return;
    const made = go(historyRoom(limit, reading, from.history.tokens) * MARGIN);
    if (made.tokens < draft.tokens) draft = made;
  };
  const spared = { upTo: newest, but: protectedTools };
  step(limits.soft, (target) => hideResults(draft, Math.min(target, limits.target), stamp, spared));
  // In place of a summary it goes as far as a summary would, so that the prefix is not broken again at each turn.
  const dropTo = (target: number) => (own.drops ? Math.min(target, limits.target) : target);
  if (own.drops) step(limits.soft, (target) => dropOldest(draft, dropTo(target), stamp, newest));
  step(limits.drop, (target) => hideResults(draft, Math.min(target, limits.target), stamp));
  step(limits.drop, (target) => dropOldest(draft, dropTo(target), stamp));
  step(limits.drop, (target) => hideResults(draft, target, stamp, { inOpenLoop: true }));
  for (let cuts = 0; cuts < MOST_CUTS; cuts++) step(limits.drop, (target) => cutGiant(draft, target, stamp));
  return draft;
}
