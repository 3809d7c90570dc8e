/** Prices of tokens relative to one another, for deciding what costs less. */

import type { Price } from '../money.ts';
import { type CacheFacts, NO_CACHE_FACTS, priceWithCache } from './cacheFacts.ts';

/** Prices of tokens, relative to one read without a cache. */
export interface PriceShares {
  readonly cached: number;
  /** A token that is read and written to the cache. */
  readonly uncached: number;
  readonly output: number;
}

/** The price of a compaction, in tokens of input: a model's reading and writing, and the rewritten part of the next request. */
export function priceOfCompacting(
  { read, written, rewritten }: { readonly read: number; readonly written: number; readonly rewritten: number },
  { cached, uncached, output }: PriceShares,
): number {
  return cached * read + output * written + uncached * rewritten;
}

/** For an unknown price: typical of most providers. */
const USUAL: Price = { currency: 'USD', input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, source: 'table' };

/** From the model's known price, and the cache that the endpoint reported in this session. */
export function sharesOf(price: Price | undefined, facts: CacheFacts): PriceShares {
  const usual = price && price.input > 0 ? price : USUAL;
  const { input, output, cacheRead = input, cacheWrite = input } = priceWithCache(usual, facts);
  return { cached: cacheRead / input, uncached: cacheWrite / input, output: output / input };
}

/** The shares where neither a price nor a report of the cache is known. */
export const USUAL_SHARES: PriceShares = sharesOf(undefined, NO_CACHE_FACTS);
