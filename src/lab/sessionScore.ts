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

  share(): Share {
    return { total: this.total, kept: this.kept };
  }
}

/** Tokens of system prompt and tools in every request. */
export const FIXED_TOKENS = 8000;
export const CACHED_WEIGHT = 0.1;
export const UNCACHED_WEIGHT = 1.25;

/** Weight of a summariser's output token: the typical price of output relative to input. */
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
