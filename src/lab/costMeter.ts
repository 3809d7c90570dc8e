/** Tokens, weighted cost, rewrites and compactions of one replay, counted request by request. */

import { type Compacting, costOfRequest, OUTPUT_WEIGHT, Payback } from './payback.ts';
import type { PreparedSession } from './prepareSession.ts';
import { commonPrefix, type ModelCharge, type Part, tokensOfPart } from './request.ts';
import { type Share, Tally } from './sessionScore.ts';

/** Tokens of system prompt and tools in every request. */
export const FIXED_TOKENS = 8000;

/** Steps that count as the tail of a rewrite, itself included: a session that ends there has paid for it. */
const SHORT_TAIL = 10;

export class CostMeter {
  input = 0;
  cached = 0;
  fullInput = 0;
  cost = 0;
  fullCost = 0;
  peak = 0;
  rewrites = 0;
  /** Requests of which the cache held nothing any more. */
  coldSteps = 0;
  /** Index of the message before which the newest rewrite happened; null before the first. */
  rewrittenAt: number | null = null;
  /** Pairs of a compaction and the next one, and the requests from the one to the other. */
  readonly gaps = { count: 0, steps: 0 };
  tailCost = 0;
  tailFullCost = 0;
  #tailLeft = 0;
  readonly #prepared: PreparedSession;
  #before: readonly Part[] | null = null;
  #sizeBefore = 0;
  #fullBefore = 0;
  readonly #judged = new Tally();
  /** Of the newest compaction. */
  #payback: Payback | null = null;

  constructor(prepared: PreparedSession) {
    this.#prepared = prepared;
  }

  /** Takes the request for `step`. Returns its size in tokens, fixed part included. */
  add(step: number, parts: readonly Part[], charge: ModelCharge | undefined): number {
    const { tokens, ends, times } = this.#prepared;
    const isCold = times.isCold(step);
    let size = FIXED_TOKENS;
    let cached = 0;
    const same = this.#before ? commonPrefix(this.#before, parts) : 0;
    for (const [i, part] of parts.entries()) {
      if (i === same && this.#before) cached = size;
      size += tokensOfPart(tokens, part);
    }
    if (this.#before && same === parts.length) cached = size;
    if (isCold) cached = 0;
    const heldWithout = isCold ? 0 : this.#sizeBefore;
    const full = FIXED_TOKENS + (ends[step] ?? 0);
    const asking = charge
      ? costOfRequest(charge.input + (charge.cached ?? 0), charge.cached ?? 0) + OUTPUT_WEIGHT * charge.output
      : 0;
    if (this.#before && same < this.#before.length) {
      this.rewrites++;
      this.rewrittenAt = step;
      this.#tailLeft = SHORT_TAIL;
      const sizeWithout = this.#sizeBefore + full - this.#fullBefore;
      if (size < sizeWithout) this.#compacts({ size, held: cached, sizeWithout, heldWithout, asking });
      else this.#payback?.next(isCold);
    } else {
      if (this.#tailLeft > 0) this.#tailLeft--;
      this.#payback?.next(isCold);
    }
    if (isCold) this.coldSteps++;
    this.#before = parts;
    this.#sizeBefore = size;
    this.input += size;
    this.cached += cached;
    const cost = costOfRequest(size, cached) + asking;
    this.cost += cost;
    this.peak = Math.max(this.peak, size);
    this.fullInput += full;
    const fullCost = costOfRequest(full, isCold ? 0 : this.#fullBefore);
    this.fullCost += fullCost;
    this.#fullBefore = full;
    if (this.isTail) {
      this.tailCost += cost;
      this.tailFullCost += fullCost;
    }
    return size;
  }

  #compacts(compacting: Compacting): void {
    if (this.#payback) {
      this.#judged.count(this.#payback.isPaid);
      this.gaps.count++;
      this.gaps.steps += this.#payback.requests;
    }
    this.#payback = new Payback(compacting);
  }

  /** Compactions, and of them those that paid before the next one, the newest before the session's end. */
  get paid(): Share {
    const { total, kept } = this.#judged;
    return this.#payback ? { total: total + 1, kept: kept + Number(this.#payback.isPaid) } : { total, kept };
  }

  /** True while the newest request is one of the first after a rewrite. */
  get isTail(): boolean {
    return this.#tailLeft > 0;
  }
}
