/**
 * Counts from one strategy's replay of one session. Plain numbers, so that a worker can send them and reports can pool
 * them.
 */

import type { ModelUse } from './contender.ts';
import type { RunCounts } from './runAccount.ts';

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
  /** The recording says when its messages were said; else an even clock ran. */
  readonly isTimed: boolean;
  /** Requests sent so long after the one before that the cache held nothing of them. */
  readonly coldSteps: number;
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
  /** Line anchors that a step needed and its request lacked. */
  readonly missingLines: number;
  /** Messages to be read again for them, once for each step that lacks something of them. */
  readonly rereads: number;
  /** The same, once for each message between two rewrites: what was read again stays until then. */
  readonly firstRereads: number;
  /** Weighted tokens of `rereads`. */
  readonly rereadCost: number;
  /** Edits whose text was last said before the newest rewrite; kept: all of their lines are in the request. */
  readonly edits: Share;
  /** The three with the agent's help for a refused edit: rereads that it does not spare, with their cost and its own. */
  readonly unrepaired: number;
  readonly repairCost: number;
  readonly repairedEdits: Share;
  /** The first steps after each rewrite: their weighted tokens, and without compaction; their long-range anchors. */
  readonly tailCost: number;
  readonly tailFullCost: number;
  readonly tail: Share;
  /** Compactions: requests that were rewritten and became smaller. Kept: those that paid before the next one, or the end. */
  readonly paid: Share;
  /** Pairs of a compaction and the next one, and the requests from the one to the other. */
  readonly gaps: { readonly count: number; readonly steps: number };
  readonly model: ModelUse;
  /** Null for a strategy that cannot fail. */
  readonly runs: RunCounts | null;
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
