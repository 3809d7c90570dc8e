/**
 * The endpoint's reports about its prompt cache in one session: whether there is one, when it was last used, and how long
 * its content will live. They determine the prices of coming requests; without reports the table does. Invariant: reports
 * from another window, or from before an import, do not count. The clock tells until when the cache holds the context, and
 * what the next message costs then and afterwards.
 */

import type { Usage } from '../context/message.ts';
import type { Entry } from '../journal/entry.ts';
import { type Money, type Price, priceFor } from '../money.ts';
import { costOf, costOfReadingAgain } from './costOf.ts';

export interface CacheFacts {
  /**
   * `reported`: of a request it said that some was read or written. `none`: it counted several requests and said so of
   * none. `unknown`: too few were counted yet.
   */
  readonly says: 'reported' | 'none' | 'unknown';
  /** It reports what it writes, which may have a price of its own. */
  readonly writes: boolean;
  /** When the newest request that read or wrote was sent, in milliseconds since the epoch; null where none did. */
  readonly usedAt: number | null;
  /** Milliseconds that what was written last lives after its last use, as far as that was reported; else null. */
  readonly livesMs: number | null;
}

export const NO_CACHE_FACTS: CacheFacts = { says: 'unknown', writes: false, usedAt: null, livesMs: null };

/** The first request finds nothing, so one that counts none says nothing. */
const TELLING = 2;

/** Milliseconds of the two lifetimes that providers tell apart. */
export const LIVES_MS = { '5m': 300_000, '1h': 3_600_000 } as const;

interface Seen extends Omit<CacheFacts, 'says'> {
  readonly counted: number;
}

/** Follows a session's entries in the order of its file. */
export class CacheFollower {
  /** By endpoint and model. */
  readonly #seen = new Map<string, Seen>();
  #endpoint: string;
  #sentAt: number | null = null;

  /** `endpoint`: where the model is before an entry says so. */
  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  of(endpoint: string, model: string): CacheFacts {
    const seen = this.#seen.get(keyOf(endpoint, model));
    if (!seen) return NO_CACHE_FACTS;
    const { counted, ...facts } = seen;
    const says = facts.usedAt !== null ? 'reported' : counted >= TELLING ? 'none' : 'unknown';
    return { says, ...facts };
  }

  follow(entry: Entry): void {
    switch (entry.type) {
      case 'opened':
        if (entry.imported) this.#seen.clear();
        break;
      case 'configured':
        this.#endpoint = entry.endpoint;
        break;
      case 'request':
        if (entry.purpose === 'turn') this.#sentAt = Date.parse(entry.time);
        break;
      case 'usage':
        if (!entry.estimated) this.#count(entry.model, entry.usage, this.#sentAt ?? Date.parse(entry.time));
        this.#sentAt = null;
        break;
      default:
        break;
    }
  }

  #count(model: string, { cached, written = 0, writtenLong }: Usage, at: number): void {
    const key = keyOf(this.#endpoint, model);
    const { counted, ...before } = this.#seen.get(key) ?? { counted: 0, ...NO_CACHE_FACTS };
    const used = cached > 0 || written > 0;
    this.#seen.set(key, {
      writes: before.writes || written > 0,
      usedAt: used ? at : before.usedAt,
      livesMs: written === 0 ? before.livesMs : livesMsOf(written, writtenLong),
      counted: counted + 1,
    });
  }
}

/** Content marked to live for an hour precedes the rest: the whole lives as long as its end. */
export function livesMsOf(written: number, long: number | undefined): number | null {
  if (long === undefined || written === 0) return null;
  return long >= written ? LIVES_MS['1h'] : LIVES_MS['5m'];
}

const keyOf = (endpoint: string, model: string) => `${endpoint} ${model}`;

/**
 * The price of what is to come, for its length (`priceFor`), with the cache that was reported: without one, nothing is
 * cheaper for being read before.
 */
export function priceWithCache(price: Price, { says, writes, livesMs }: CacheFacts): Price {
  const { input, cacheWriteLong } = price;
  if (says === 'none') return { ...price, cacheRead: input, cacheWrite: input };
  if (says === 'reported' && !writes) return { ...price, cacheWrite: input };
  // New content will be written with the same lifetime as the last content.
  return livesMs === LIVES_MS['1h'] && cacheWriteLong !== undefined ? { ...price, cacheWrite: cacheWriteLong } : price;
}

/** Whether a request finds what the one before it held; where nothing was reported yet, the price says so. */
export function caches(price: Price | undefined, { says }: CacheFacts): boolean {
  if (says !== 'unknown') return says === 'reported';
  return price?.cacheRead !== undefined && price.cacheRead < price.input;
}

/** It says when, and not how long ago, so that it need not be read again to stay true. */
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
