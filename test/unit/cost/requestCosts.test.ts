import { describe, expect, it } from 'vitest';
import type { Price } from '../../../src/core/cost/money.ts';
import { requestCosts } from '../../../src/core/cost/spending.ts';

const PRICE: Price = { currency: 'USD', input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, source: 'settings' };
const SIZES = { before: 40_000, after: 12_000, unchanged: 3_000 };
const last = (cached: number, written?: number) => ({
  ...{ input: 38_000, cached, output: 500, reasoning: 0 },
  ...(written === undefined ? {} : { written }),
});
const amounts = ({ again, ...costs }: ReturnType<typeof requestCosts>) => [
  ...Object.values(costs).map(({ amount }) => Number(amount.toFixed(6))),
  again,
];

describe('what requests would cost before and after a compaction', { tags: ['B2'] }, () => {
  it('has the next one read again what it changes, and the later ones cheaper', () => {
    // 38,000 are in the cache and 2,000 fresh; afterwards only the unchanged 3,000 are.
    const [now, next] = [0.058, 0.093];
    expect(amounts(requestCosts(SIZES, last(30_000), PRICE))).toEqual([now, next, 0.04, 0.012, 9_000]);
  });

  it('takes what is fresh at the price of writing where the provider writes', () => {
    expect(amounts(requestCosts(SIZES, last(30_000, 8_000), PRICE))).toEqual([
      0.038 + 0.025,
      Number((0.003 + 0.1125).toFixed(6)),
      0.04,
      0.012,
      9_000,
    ]);
  });

  it('counts nothing from a cache that nobody has reported', () => {
    expect(amounts(requestCosts(SIZES, last(0), PRICE))).toEqual([0.4, 0.12, 0.4, 0.12, 0]);
    expect(amounts(requestCosts(SIZES, null, PRICE))).toEqual([0.4, 0.12, 0.4, 0.12, 0]);
  });

  it('reads nothing again where only the end is changed', () => {
    expect(requestCosts({ before: 40_000, after: 39_000, unchanged: 38_500 }, last(30_000), PRICE).again).toBe(0);
  });
});
