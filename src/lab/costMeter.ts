/** Tokens, weighted cost and rewrites of one replay, counted request by request. */

import type { PreparedSession } from './prepareSession.ts';
import { commonPrefix, type ModelCharge, type Part, tokensOfPart } from './request.ts';

/** Tokens of system prompt and tools in every request. */
export const FIXED_TOKENS = 8000;

export const CACHED_WEIGHT = 0.1;

export const UNCACHED_WEIGHT = 1.25;

/** Steps that count as the tail of a rewrite, itself included: a session that ends there has paid for it. */
const SHORT_TAIL = 10;

/** Weight of a summariser's output token: the typical price of output relative to input. */
export const OUTPUT_WEIGHT = 5;

export class CostMeter {
  input = 0;
  cached = 0;
  fullInput = 0;
  cost = 0;
  fullCost = 0;
  peak = 0;
  rewrites = 0;
  /** Index of the message before which the newest rewrite happened; null before the first. */
  rewrittenAt: number | null = null;
  tailCost = 0;
  tailFullCost = 0;
  #tailLeft = 0;
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
    if (this.#before && same < this.#before.length) {
      this.rewrites++;
      this.rewrittenAt = step;
      this.#tailLeft = SHORT_TAIL;
    } else if (this.#tailLeft > 0) this.#tailLeft--;
    this.#before = parts;
    this.input += size;
    this.cached += cached;
    let cost = CACHED_WEIGHT * cached + UNCACHED_WEIGHT * (size - cached);
    if (charge) {
      const { input, output, cached: read = 0 } = charge;
      cost += CACHED_WEIGHT * read + UNCACHED_WEIGHT * input + OUTPUT_WEIGHT * output;
    }
    this.cost += cost;
    this.peak = Math.max(this.peak, size);
    const full = FIXED_TOKENS + (ends[step] ?? 0);
    this.fullInput += full;
    const fullCost = CACHED_WEIGHT * this.#fullBefore + UNCACHED_WEIGHT * (full - this.#fullBefore);
    this.fullCost += fullCost;
    this.#fullBefore = full;
    if (this.isTail) {
      this.tailCost += cost;
      this.tailFullCost += fullCost;
    }
    return size;
  }

  /** True while the newest request is one of the first after a rewrite. */
  get isTail(): boolean {
    return this.#tailLeft > 0;
  }
}
