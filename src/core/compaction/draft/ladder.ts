/**
 * The deterministic steps below every strategy, mildest first: hide old results, drop the oldest rounds, cut giants. None
 * needs a model, none repeats itself, and each is taken only when it makes the draft smaller.
 */

import type { OwnSteps } from '../ownSteps.ts';
import { type Budget, historyRoom, requestTokens } from '../when/limits.ts';
import { cutGiant } from './cutGiant.ts';
import type { Draft } from './draft.ts';
import { dropOldest } from './dropOldest.ts';
import { hideResults } from './hideResults.ts';
import type { Stamp } from './stub.ts';

/** Estimates differ a little from what the provider counts: aim below the limit. */
const MARGIN = 0.95;
/** Giants that are cut one after the other: as many as one answer may bring at once. */
const MOST_CUTS = 32;

/** What the steps go by. */
interface Descent {
  readonly budget: Budget;
  readonly stamp: Stamp;
  /** What may be done for the soft limit. */
  readonly own: OwnSteps;
  /** Tools whose results are not hidden for the soft limit. */
  readonly protectedTools: readonly string[];
}

/** Hiding down to the soft limit; dropping and cutting only for the hard one, because they take more away. */
export function climbDown(from: Draft, { budget, stamp, own, protectedTools }: Descent): Draft {
  const { reading, limits } = budget;
  const newest = (from.history.messages.at(-1)?.round ?? 0) - own.wholeRounds;
  let draft = from;
  const step = (limit: number, go: (target: number) => Draft) => {
    if (requestTokens(reading, from.history.tokens - draft.tokens) < limit) return;
    const made = go(historyRoom(limit, reading, from.history.tokens) * MARGIN);
    if (made.tokens < draft.tokens) draft = made;
  };
  const spared = { upTo: newest, but: protectedTools };
  step(limits.soft, (target) => hideResults(draft, Math.min(target, limits.target), stamp, spared));
  // In place of a summary it goes as far as that would, so that the prefix is not broken again at each turn.
  const dropTo = (target: number) => (own.drops ? Math.min(target, limits.target) : target);
  if (own.drops) step(limits.soft, (target) => dropOldest(draft, dropTo(target), stamp.nonce, newest));
  step(limits.hard, (target) => hideResults(draft, Math.min(target, limits.target), stamp));
  step(limits.hard, (target) => dropOldest(draft, dropTo(target), stamp.nonce));
  step(limits.hard, (target) => hideResults(draft, target, stamp, { inOpenLoop: true }));
  for (let cuts = 0; cuts < MOST_CUTS; cuts++) step(limits.hard, (target) => cutGiant(draft, target, stamp));
  return draft;
}
