/**
 * The deterministic steps below every strategy, mildest first: hide old results, drop the oldest rounds, cut giants. None
 * needs a model, none repeats itself, and each is taken only when it makes the draft smaller.
 */

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

/**
 * Hiding down to the soft limit; dropping and cutting only for the hard one, because they take more away. While no model
 * may be asked, dropping is what is left in place of a summary: `dropSoon` drops down to the soft limit, too.
 */
export function climbDown(from: Draft, { reading, limits }: Budget, stamp: Stamp, dropSoon = false): Draft {
  let draft = from;
  const step = (limit: number, go: (target: number) => Draft) => {
    if (requestTokens(reading, from.history.tokens - draft.tokens) < limit) return;
    const made = go(historyRoom(limit, reading, from.history.tokens) * MARGIN);
    if (made.tokens < draft.tokens) draft = made;
  };
  step(limits.soft, (target) => hideResults(draft, Math.min(target, limits.target), stamp));
  step(dropSoon ? limits.soft : limits.hard, (target) => dropOldest(draft, target, stamp.nonce));
  step(limits.hard, (target) => hideResults(draft, target, stamp, true));
  for (let cuts = 0; cuts < MOST_CUTS; cuts++) step(limits.hard, (target) => cutGiant(draft, target, stamp));
  return draft;
}
