/**
 * Whether a compaction pays: its price beside what it saves until the next one. The prices are those by which the product
 * decides when to compact.
 */

import { type PriceShares, priceOfCompacting, USUAL_SHARES } from '../core/cost/priceShares.ts';

/** Prices of a token relative to one of input. */
export const { cached: CACHED_WEIGHT, uncached: UNCACHED_WEIGHT, output: OUTPUT_WEIGHT } = USUAL_SHARES;

/** Input of a request, of which the cache holds `held` tokens. */
export const costOfRequest = (size: number, held: number, { cached, uncached } = USUAL_SHARES): number =>
  cached * held + uncached * (size - held);

/** A request with a compaction and the same one without it. In tokens. */
export interface Compacting {
  readonly size: number;
  /** Of `size`, what the cache still holds: up to the first message that changed. */
  readonly held: number;
  readonly sizeWithout: number;
  readonly heldWithout: number;
  /** Price of the requests for its summary; 0 without one. */
  readonly asking: number;
}

/** The price of a compaction less what it saves in its own request, in tokens of input; below 0 if it pays at once. */
export function priceOf(
  { size, held, sizeWithout, heldWithout, asking }: Compacting,
  shares: PriceShares = USUAL_SHARES,
): number {
  const rewriting = priceOfCompacting({ read: held, written: 0, rewritten: size - held }, shares);
  return asking + rewriting - costOfRequest(sizeWithout, heldWithout, shares);
}

/** Follows a compaction over the requests after it. */
export class Payback {
  readonly #freed: number;
  #open: number;
  /** Requests so far, its own included. */
  requests = 1;

  constructor(compacting: Compacting) {
    this.#freed = compacting.sizeWithout - compacting.size;
    this.#open = priceOf(compacting);
  }

  /** A later request, which would have read the freed tokens too. */
  next(isCold: boolean): void {
    this.requests++;
    this.#open -= (isCold ? UNCACHED_WEIGHT : CACHED_WEIGHT) * this.#freed;
  }

  get isPaid(): boolean {
    return this.#open <= 0;
  }
}
