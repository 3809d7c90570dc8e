import { describe, expect, it } from 'vitest';
import type { CacheFacts } from '../../../src/core/cost/cacheFacts.ts';
import { requestCosts } from '../../../src/core/cost/spending.ts';
import type { Price } from '../../../src/core/money.ts';

const PRICE: Price = { currency: 'USD', input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, source: 'settings' };
const SIZES = { before: 40_000, after: 12_000, unchanged: 3_000 };
const facts = (says: CacheFacts['says'], writes = false): CacheFacts => ({ says, writes, usedAt: null, livesMs: null });
const amounts = ({ again, ...costs }: ReturnType<typeof requestCosts>) => [
  ...Object.values(costs).map(({ amount }) => Number(amount.toFixed(6))),
  again,
];

describe('what requests would cost before and after a compaction', { tags: ['B2'] }, () => {
  it('has the next one read again what it changes, and the later ones cheaper', () => {
    // 38,000 are in the cache and 2,000 fresh; afterwards only the unchanged 3,000 are.
    const [now, next] = [0.058, 0.093];
    expect(amounts(requestCosts(SIZES, 38_000, PRICE, facts('reported')))).toEqual([now, next, 0.04, 0.012, 9_000]);
  });

  it('takes what is fresh at the price of writing where the provider writes', () => {
    expect(amounts(requestCosts(SIZES, 38_000, PRICE, facts('reported', true)))).toEqual([
      0.038 + 0.025,
      Number((0.003 + 0.1125).toFixed(6)),
      0.04,
      0.012,
      9_000,
    ]);
  });

  it('counts nothing from a cache where the endpoint reported none, whatever the table says', () => {
    expect(amounts(requestCosts(SIZES, 0, PRICE, facts('none')))).toEqual([0.4, 0.12, 0.4, 0.12, 0]);
  });

  it('goes by the table while nothing was reported', () => {
    expect(amounts(requestCosts(SIZES, 38_000, PRICE, facts('unknown')))).toEqual([0.058, 0.093, 0.04, 0.012, 9_000]);
    const flat: Price = { currency: 'USD', input: 10, output: 50, source: 'settings' };
    expect(amounts(requestCosts(SIZES, 0, flat, facts('unknown')))).toEqual([0.4, 0.12, 0.4, 0.12, 0]);
  });

  it('has all of it read anew once the cache is cold, and the later ones from the cache', () => {
    expect(amounts(requestCosts(SIZES, 0, PRICE, facts('reported')))).toEqual([0.4, 0.12, 0.04, 0.012, 0]);
  });

  it('reads nothing again where only the end is changed', () => {
    const sizes = { before: 40_000, after: 39_000, unchanged: 38_500 };
    expect(requestCosts(sizes, 38_000, PRICE, facts('reported')).again).toBe(0);
  });
});
