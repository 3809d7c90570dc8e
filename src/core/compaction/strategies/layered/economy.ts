/**
 * When a compaction pays: carrying what could go costs a little with each request, because even cached tokens are paid
 * for; compacting costs once, because what is rewritten is read again at full price.
 */

import type { ContextReading } from '../../../../api/index.ts';

/** What a token costs that the provider reads from its cache, and one that it does not, as shares of its price. */
const CACHED = 0.1;
const UNCACHED = 1.25;
/** What a written token costs, and how many a summary has. */
const OUTPUT = 5;
export const WRITTEN_TOKENS = 600;
/** What is lost weighs too: the rent must exceed the price so many times. */
const FACTOR = 3;
/** Most providers forget what nobody asked for in this time. */
const CACHE_LIFE_MS = 5 * 60_000;
/** Below this share of the window nothing is gained. */
const LEAST_SHARE = 0.47;
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
   * A request is about to be sent. True when it costs less to compact first. `recent` and `notes` in tokens; `asks`: a model
   * will be asked, which reads all of it from its cache and writes.
   */
  isDue(
    { tokenCount, maxContextSize, idleMs, cacheLivesMs }: ContextReading,
    recent: number,
    notes: number,
    asks: boolean,
  ): boolean {
    this.#after ??= tokenCount;
    this.#paid += CACHED * Math.max(0, tokenCount - this.#after);
    if (tokenCount <= LEAST_SHARE * maxContextSize) return false;
    // What no cache holds is read at full price in any case.
    const isCold = idleMs === null || idleMs > (cacheLivesMs ?? CACHE_LIFE_MS);
    if (isCold) return tokenCount - (this.#compacted ? this.#after : 0) > recent + notes;
    const written = asks ? WRITTEN_TOKENS : 0;
    const asking = asks ? CACHED * tokenCount + OUTPUT * written : 0;
    return this.#paid > FACTOR * (UNCACHED * (recent + FILLED * notes + written) + asking);
  }
}
