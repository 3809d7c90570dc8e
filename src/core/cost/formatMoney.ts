/**
 * Money as people read it, the same in the core, in documents and in the panel: an amount, the cost of requests.
 * Currencies are never added up.
 */

import type { Costs, Money } from '../money.ts';
import { verbatim, type Words, words } from '../words.ts';

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

/** `$0.12`, `$0.12 + €0.03`, `≥ $0.12`; empty when nothing is known. */
export function formatCosts({ known, unknown }: Costs): string {
  const sums = known.map(formatMoney).join(' + ');
  return sums !== '' && unknown > 0 ? `≥ ${sums}` : sums;
}

/** The same with the unknown part: `≥ $0.12, without 3 requests of unknown price`. Empty when nothing is known. */
export function explainCosts(costs: Costs): Words {
  const sums = formatCosts(costs);
  const { unknown } = costs;
  if (unknown === 0 || sums === '') return verbatim(sums);
  return unknown === 1
    ? words('{0}, without 1 request of unknown price', sums)
    : words('{0}, without {1} requests of unknown price', sums, unknown);
}
