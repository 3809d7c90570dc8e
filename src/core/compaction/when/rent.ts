/**
 * When a compaction pays: carrying what could go costs a little with each request, because even cached tokens are paid
 * for; compacting costs once, because what is rewritten is read again at full price.
 */

import type { ContextReading } from '../../../api/index.ts';
import type { Price } from '../../cost/money.ts';
import type { PaysRule } from './triggerSettings.ts';

/** What tokens cost, as shares of the price of one that is read without a cache. */
interface PriceShares {
  readonly cached: number;
  /** One that is read and put into the cache. */
  readonly uncached: number;
  readonly output: number;
}

/** What a compaction leaves, in tokens that must then be read again. */
export interface Leaves {
  /** The newest part. */
  readonly recent: number;
  /** The most that stands in place of the rest. */
  readonly notes: number;
}

/** Where no price is known: as those of most providers. */
const USUAL: PriceShares = { cached: 0.1, uncached: 1.25, output: 5 };
/** Tokens of a summary. */
export const WRITTEN_TOKENS = 600;
/** Usual share of their room that new notes take. */
const FILLED = 0.7;

export class Rent {
  #paid = 0;
  /** Size of the first request seen, or of the first one after the newest compaction; null until it is sent. */
  #after: number | null = null;
  /** Whether that request came after a compaction: then nothing of it could go. */
  #compacted = false;

  /** Another compaction takes place. */
  reset(): void {
    this.#paid = 0;
    this.#after = null;
    this.#compacted = true;
  }

  /**
   * A request is about to be sent. True when it costs less to compact first. `asks`: a model will be asked, which reads all
   * of it from its cache and writes.
   */
  isDue(
    { tokenCount, maxContextSize, idleMs, cacheLivesMs }: ContextReading,
    { recent, notes }: Leaves,
    { share, factor, idleMinutes }: PaysRule,
    price: Price | undefined,
    asks: boolean,
  ): boolean {
    const { cached, uncached, output } = sharesOf(price);
    this.#after ??= tokenCount;
    this.#paid += cached * Math.max(0, tokenCount - this.#after);
    if (tokenCount <= share * maxContextSize) return false;
    // What no cache holds is read at full price in any case.
    const isCold = idleMs === null || idleMs > (cacheLivesMs ?? idleMinutes * 60_000);
    if (isCold) return tokenCount - (this.#compacted ? this.#after : 0) > recent + notes;
    const written = asks ? WRITTEN_TOKENS : 0;
    const asking = asks ? cached * tokenCount + output * written : 0;
    return this.#paid > factor * (uncached * (recent + FILLED * notes + written) + asking);
  }
}

/** Those of the model's known price, as its requests are charged. */
function sharesOf(price: Price | undefined): PriceShares {
  if (!price || price.input <= 0) return USUAL;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  return { cached: cacheRead / input, uncached: cacheWrite / input, output: output / input };
}
