/** What requests would cost before and after a compaction: it makes each later one cheaper, and the first one read again. */

import type { Usage } from '../context/message.ts';
import { costOf, type Money, type Price } from './money.ts';

interface Sizes {
  /** Tokens of the next request as the context is now, and after the compaction. */
  readonly before: number;
  readonly after: number;
  /** Tokens at the beginning that the compaction leaves as they are. */
  readonly unchanged: number;
}

export interface RequestCosts {
  /** The next request, as the context is now. */
  readonly now: Money;
  /** The next request, after the compaction. */
  readonly next: Money;
  /** A later one, with all but its end in the cache where the provider has one. */
  readonly laterBefore: Money;
  readonly laterAfter: Money;
  /** Tokens in the cache now that the next request would read again. */
  readonly again: number;
}

/** For input alone: an answer costs the same either way. `last` is what the provider counted last; null when unknown. */
export function requestCosts({ before, after, unchanged }: Sizes, last: Usage | null, price: Price): RequestCosts {
  const caches = last !== null && (last.cached > 0 || (last.written ?? 0) > 0);
  const held = caches ? Math.min(last.input, before) : 0;
  const kept = Math.min(unchanged, held, after);
  const cost = (input: number, cached: number) => {
    // Where the provider writes to its cache for money, what is fresh is written.
    const written = last?.written ? { written: input - cached } : {};
    return costOf({ input, cached, ...written, output: 0, reasoning: 0 }, price);
  };
  return {
    now: cost(before, held),
    next: cost(after, kept),
    laterBefore: cost(before, caches ? before : 0),
    laterAfter: cost(after, caches ? after : 0),
    again: Math.max(0, Math.min(held, after) - kept),
  };
}
