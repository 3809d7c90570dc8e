/** What it costs to lose the prompt cache, as a person reads it before an action that invalidates it. */

import type { Money } from '../money.ts';
import { type Words, words } from '../words.ts';
import type { CacheClock } from './cacheFacts.ts';
import { formatMoney } from './formatMoney.ts';

/** Whether the cache still holds what it was used for, as far as is known. `now` in milliseconds. */
export function isWarm(
  { usedAt, livesMs, held }: Pick<CacheClock, 'usedAt' | 'livesMs' | 'held'>,
  now: number,
): boolean {
  return held > 0 && usedAt !== null && (livesMs === null || now <= usedAt + livesMs);
}

/** In any currency: nobody decides by less. */
const NOTABLE = 0.01;

/** Shown before an action that invalidates the prompt cache. Empty where there is nothing notable to lose. */
export function describeLoss(clock: CacheClock | null, now: number): Words {
  const loss = notableLoss(clock, now);
  return loss ? words('Gives up the prompt cache: up to about {0} to read all of it again.', formatMoney(loss)) : [];
}

/** The same where only some of several choices move the conversation. */
export function describeLossOfMove(clock: CacheClock | null, now: number): Words {
  const loss = notableLoss(clock, now);
  return loss
    ? words('Going back in the conversation gives up the prompt cache: up to {0} to read it again.', formatMoney(loss))
    : [];
}

function notableLoss(clock: CacheClock | null, now: number): Money | null {
  if (!clock?.loss || clock.loss.amount < NOTABLE || !isWarm(clock, now)) return null;
  return clock.loss;
}
