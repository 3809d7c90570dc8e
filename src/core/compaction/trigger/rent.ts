/**
 * Carrying removable content costs a little with each request, because even cached tokens are charged; compacting
 * costs once, because rewritten content is read again at full price.
 */

import type { ContextReading } from '../../../api/index.ts';
import { type PriceShares, priceOfCompacting } from '../../cost/priceShares.ts';
import { WRITTEN_TOKENS } from '../draft/summaryLength.ts';
import type { PaysRule } from '../sections/generalSettings.ts';
import type { Leaves } from '../strategies/strategyEntry.ts';

export class Rent {
  #paid = 0;
  /** Size of the first request seen, or of the first one after the newest compaction; null until it is sent. */
  #after: number | null = null;
  /** True when that request came after a compaction: then nothing in it could be removed. */
  #compacted = false;

  reset(): void {
    this.#paid = 0;
    this.#after = null;
    this.#compacted = true;
  }

  /** Call once when a request is about to be sent. */
  carry({ tokenCount }: ContextReading, { cached }: PriceShares): void {
    this.#after ??= tokenCount;
    this.#paid += cached * Math.max(0, tokenCount - this.#after);
  }

  /** True when compacting first costs less. `asks`: a model will be asked, which reads everything from its cache and writes. */
  isDue(
    { tokenCount, maxContextSize, idleMs, cacheLivesMs }: ContextReading,
    { recent, notes }: Leaves,
    { share, factor, idleMinutes }: PaysRule,
    shares: PriceShares,
    asks: boolean,
  ): boolean {
    if (tokenCount <= share * maxContextSize) return false;
    // Uncached content is read at full price in any case.
    const isCold = idleMs === null || idleMs > (cacheLivesMs ?? idleMinutes * 60_000);
    if (isCold) return tokenCount - (this.#compacted ? (this.#after ?? 0) : 0) > recent + notes;
    const written = asks ? WRITTEN_TOKENS : 0;
    const rewritten = recent + FILLED * notes + written;
    return this.#paid > factor * priceOfCompacting({ read: asks ? tokenCount : 0, written, rewritten }, shares);
  }
}

/** Typical share of their room that new notes fill. */
export const FILLED = 0.7;
