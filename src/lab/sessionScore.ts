/**
 * Counts from one strategy's replay of one session. Plain numbers, so that a worker can send them and reports can pool
 * them.
 */

import type { ModelUse } from './contender.ts';

export interface Share {
  readonly total: number;
  readonly kept: number;
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
