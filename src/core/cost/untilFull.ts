/**
 * The requests that still fit before the context is compacted by itself, and the cost of their input. A session is taken to
 * grow as it has lately.
 */

import type { Entry } from '../journal/entry.ts';
import type { Money, Price } from '../money.ts';
import { type CacheFacts, caches, costOfInput } from './cacheFacts.ts';

/** Newest requests that tell how a session grows. */
const TELLING = 50;

/**
 * Mean tokens by which a request exceeds the one before it, as estimated without calibration; null before the first
 * answer. `backward`: entries of the path, newest first.
 */
export function growthOf(backward: Iterable<Entry>): number | null {
  let [tokens, requests, open] = [0, 0, 0];
  for (const entry of backward) {
    if (entry.type !== 'message') continue;
    open += entry.tokens;
    if (entry.message.role !== 'assistant') continue;
    // An answer with what followed it.
    tokens += open;
    open = 0;
    requests += 1;
    if (requests === TELLING) break;
  }
  return requests === 0 ? null : Math.max(1, tokens / requests);
}

export interface Growing {
  /** Tokens of the next request. */
  readonly next: number;
  /** Of these, what the cache holds now. */
  readonly cached: number;
  /** Tokens that each request adds. */
  readonly growth: number;
  /** Tokens at which it is full. */
  readonly full: number;
}

export interface UntilFull {
  /** 0 where the next request is too large. */
  readonly requests: number;
  /** Of the input of all, without the answers; null without a price. */
  readonly cost: Money | null;
}

/** Beyond it nobody counts. */
const MOST = 100_000;

export function untilFull({ next, cached, growth, full }: Growing, price: Price | null, facts: CacheFacts): UntilFull {
  const requests = Math.min(MOST, Math.max(0, Math.ceil((full - next) / growth)));
  if (!price) return { requests, cost: null };
  let amount = 0;
  for (let nth = 0, held = cached; nth < requests; nth++) {
    const input = Math.round(next + nth * growth);
    amount += costOfInput(input, Math.min(held, input), price, facts).amount;
    held = caches(price, facts) ? input : 0;
  }
  return { requests, cost: { amount, currency: price.currency } };
}
