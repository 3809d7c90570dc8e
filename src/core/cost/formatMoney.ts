/**
 * Money as people read it, the same in the core, in documents and in the panel: an amount, the cost of requests, the cost
 * of losing the prompt cache. Currencies are never added up.
 */

import { verbatim, type Words, words } from '../words.ts';
import type { CacheClock } from './cacheFacts.ts';
import type { Money } from './money.ts';

/** Two significant digits, and whole cents from ten cents on: `$0.0042`, `$0.13`, `$12.40`. */
export function formatMoney({ amount, currency }: Money): string {
  const digits = amount === 0 || amount >= 0.1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(amount)));
  const money = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
  const least = 10 ** -digits;
  return amount > 0 && amount < least ? `<${money.format(least)}` : money.format(amount);
}

/** The known cost of requests: one sum for each currency, and the number of requests with an unknown price. */
export interface Costs {
  readonly known: readonly Money[];
  readonly unknown: number;
}

export const NO_COSTS: Costs = { known: [], unknown: 0 };

/** `$0.12`, `$0.12 + €0.03`, `≥ $0.12`; empty when nothing is known. */
export function formatCosts({ known, unknown }: Costs): string {
  const sums = known.map(formatMoney).join(' + ');
  return sums !== '' && unknown > 0 ? `≥ ${sums}` : sums;
}

/** The same with the unknown part: `≥ $0.12, 3 requests unknown`. Empty without requests. */
export function explainCosts(costs: Costs): Words {
  const sums = formatCosts(costs);
  const { unknown } = costs;
  if (unknown === 0) return sums === '' ? [] : verbatim(sums);
  if (sums === '') return words('unknown');
  return unknown === 1 ? words('{0}, 1 request unknown', sums) : words('{0}, {1} requests unknown', sums, unknown);
}

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
export function tellLoss(clock: CacheClock | null, now: number): Words {
  const loss = notableLoss(clock, now);
  return loss ? words('Gives up the prompt cache: up to about {0} to read all of it again.', formatMoney(loss)) : [];
}

/** The same where only some of several choices move the conversation. */
export function tellLossOfMove(clock: CacheClock | null, now: number): Words {
  const loss = notableLoss(clock, now);
  return loss
    ? words('Going back in the conversation gives up the prompt cache: up to {0} to read it again.', formatMoney(loss))
    : [];
}

function notableLoss(clock: CacheClock | null, now: number): Money | null {
  if (!clock?.loss || clock.loss.amount < NOTABLE || !isWarm(clock, now)) return null;
  return clock.loss;
}
