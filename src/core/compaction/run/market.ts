/** The facts about the provider's cache and prices when a compaction begins. */

import type { CompactionContext } from '../../../api/index.ts';
import { priceWithCache } from '../../cost/cacheFacts.ts';
import { priceFor } from '../../cost/money.ts';
import type { Gauge } from '../when/gauge.ts';

export type Market = Pick<CompactionContext, 'cache' | 'prices'>;

export const NO_MARKET: Market = {
  cache: Object.freeze({ says: 'unknown', heldTokens: 0, usedAt: null, livesMs: null, last: null }),
  prices: null,
};

export function readMarket(gauge: Gauge): Market {
  const { clock, cache, reading, price } = gauge;
  const { says, held, usedAt, livesMs } = clock;
  const { reported } = reading;
  const last = reported && Object.freeze({ input: reported.input, cached: reported.cached });
  const now = price && priceWithCache(priceFor(price, reading.tokens), cache);
  const { currency = '', input = 0, output = 0, cacheRead = input, cacheWrite = input } = now ?? {};
  return {
    cache: Object.freeze({ says, heldTokens: held, usedAt, livesMs, last }),
    prices: now ? Object.freeze({ currency, input, output, cacheRead, cacheWrite }) : null,
  };
}
