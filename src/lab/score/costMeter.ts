/**
 * What the requests of one replay cost with a prompt cache: what a request shares with the one before is read from the
 * cache, the rest is written to it. The same is worked out beside it for no compaction.
 */

import type { PreparedSession } from '../prepareSession.ts';
import { commonPrefix, type ModelCharge, type Part, tokensOfPart } from '../request.ts';

/** Tokens of system prompt and tools in every request. */
export const FIXED_TOKENS = 8000;
export const CACHED_WEIGHT = 0.1;
export const UNCACHED_WEIGHT = 1.25;
/** What a token a summariser writes costs; the usual price of output against input. */
const OUTPUT_WEIGHT = 5;

export class CostMeter {
  input = 0;
  cached = 0;
  fullInput = 0;
  cost = 0;
  fullCost = 0;
  peak = 0;
  rewrites = 0;
  readonly #prepared: PreparedSession;
  #before: readonly Part[] | null = null;
  #fullBefore = 0;

  constructor(prepared: PreparedSession) {
    this.#prepared = prepared;
  }

  /** Takes the request for `step`. Returns its size in tokens, fixed part included. */
  add(step: number, parts: readonly Part[], charge: ModelCharge | undefined): number {
    const { tokens, ends } = this.#prepared;
    let size = FIXED_TOKENS;
    let cached = 0;
    const same = this.#before ? commonPrefix(this.#before, parts) : 0;
    for (const [i, part] of parts.entries()) {
      if (i === same && this.#before) cached = size;
      size += tokensOfPart(tokens, part);
    }
    if (this.#before && same === parts.length) cached = size;
    if (this.#before && same < this.#before.length) this.rewrites++;
    this.#before = parts;
    this.input += size;
    this.cached += cached;
    this.cost += CACHED_WEIGHT * cached + UNCACHED_WEIGHT * (size - cached);
    if (charge) {
      const { input, output, cached: read = 0 } = charge;
      this.cost += CACHED_WEIGHT * read + UNCACHED_WEIGHT * input + OUTPUT_WEIGHT * output;
    }
    this.peak = Math.max(this.peak, size);
    const full = FIXED_TOKENS + (ends[step] ?? 0);
    this.fullInput += full;
    this.fullCost += CACHED_WEIGHT * this.#fullBefore + UNCACHED_WEIGHT * (full - this.#fullBefore);
    this.#fullBefore = full;
    return size;
  }
}
