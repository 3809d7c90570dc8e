/**
 * The clock of the prompt cache: until when it holds the context, and what the next message costs then and afterwards.
 * Pure: it says when, and not how long ago, so that it need not be read again to stay true.
 */

import type { Usage } from '../context/message.ts';
import { type CacheFacts, caches, priceWithCache } from './cacheFacts.ts';
import { costOf, costOfReadingAgain, type Money, type Price, priceFor } from './money.ts';

export interface CacheClock {
  readonly says: CacheFacts['says'];
  /** When the cache was last used, in milliseconds since the epoch; null where that was never reported. */
  readonly usedAt: number | null;
  /** Milliseconds that it lives after that; null where nobody documents it. */
  readonly livesMs: number | null;
  /** Tokens of the next request that the cache holds as long as it lives; 0 after the context changed. */
  readonly held: number;
  /** Input of the next message while the cache lives; null where it holds nothing of it, or no price is known. */
  readonly warm: Money | null;
  /** The same once it does not; null where no price is known. */
  readonly cold: Money | null;
  /** The extra cost of reading again instead of from the cache: the loss when the cache expires. */
  readonly loss: Money | null;
}

interface ClockFacts {
  readonly facts: CacheFacts;
  readonly livesMs: number | null;
  /** Of the next request, as the context is now. */
  readonly tokens: number;
  /** The last report since the context changed its shape; null without one. */
  readonly last: Usage | null;
  readonly price: Price | undefined;
}

export function readCacheClock({ facts, livesMs, tokens, last, price: given }: ClockFacts): CacheClock {
  const held = last && caches(given, facts) ? Math.min(last.input, tokens) : 0;
  const price = given && priceWithCache(priceFor(given, tokens), facts);
  const cost = (cached: number): Money | null => (given ? costOfInput(tokens, cached, given, facts) : null);
  return {
    says: facts.says,
    usedAt: facts.usedAt,
    livesMs,
    held,
    warm: held > 0 ? cost(held) : null,
    cold: cost(0),
    loss: held > 0 && price ? costOfReadingAgain(held, price) : null,
  };
}

/** Of a request's input, of which the cache holds `cached` tokens. What is fresh is written where the provider writes. */
export function costOfInput(input: number, cached: number, given: Price, facts: CacheFacts): Money {
  const price = priceWithCache(priceFor(given, input), facts);
  const written = facts.writes ? { written: input - cached } : {};
  return costOf({ input, cached, ...written, output: 0, reasoning: 0 }, price);
}
