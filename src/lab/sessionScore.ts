/**
 * Counts from one strategy's replay of one session. Plain numbers, so that a worker can send them and reports can pool
 * them.
 */

import type { PreparedSession } from './prepareSession.ts';
import { commonPrefix, type ModelCharge, type Part, tokensOfPart } from './request.ts';

export interface Share {
  readonly total: number;
  readonly kept: number;
}

/** A strategy's use of a model. */
export interface ModelUse {
  /** Source of the answers; empty without a model. */
  readonly name: string;
  readonly answered: number;
  readonly refused: number;
}

export interface SessionScore {
  readonly session: string;
  readonly steps: number;
  /** Tokens over all requests: of the strategy, and without compaction. */
  readonly input: number;
  readonly cached: number;
  readonly fullInput: number;
  /** Weighted tokens: 0.1 cached, 1.25 uncached, plus the strategy's own model calls. */
  readonly cost: number;
  readonly fullCost: number;
  /** Tokens of the largest request. */
  readonly peak: number;
  /** Steps at which the earlier prefix changed. */
  readonly rewrites: number;
  readonly invalid: number;
  readonly all: Share;
  readonly longRange: Share;
  readonly verbatim: Share;
  readonly wholeLine: Share;
  readonly toolOnly: Share;
  readonly reachable: Share;
  readonly path: Share;
  readonly identifier: Share;
  readonly line: Share;
  readonly pair: Share;
  /** Characters, over all requests. */
  readonly user: Share;
  /** Edited files, over all requests. */
  readonly files: Share;
  /** Missing line anchors. */
  readonly refetches: number;
  /** Weighted tokens for reading them again. */
  readonly refetchCost: number;
  /** Edits whose text was last said before the newest rewrite; kept: all of their lines are in the request. */
  readonly edits: Share;
  /** The three with the agent's help for a refused edit: missing lines that it does not bring, with their cost and its own. */
  readonly unrepaired: number;
  readonly repairCost: number;
  readonly repairedEdits: Share;
  /** The first steps after each rewrite: their weighted tokens, and without compaction; their long-range anchors. */
  readonly tailCost: number;
  readonly tailFullCost: number;
  readonly tail: Share;
  readonly model: ModelUse;
  /** Compactions that were due but failed. */
  readonly failures: number;
}

/** A share being counted. */
export class Tally implements Share {
  total = 0;
  kept = 0;

  count(kept: boolean): void {
    this.total++;
    if (kept) this.kept++;
  }

  add(total: number, kept: number): void {
    this.total += total;
    this.kept += kept;
  }
}

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
