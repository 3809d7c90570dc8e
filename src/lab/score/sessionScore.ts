/** What one strategy's replay of one session counted. Plain numbers, so that a worker can send them and reports can pool. */

export interface Share {
  readonly total: number;
  readonly kept: number;
}

/** What a strategy asked a model for. */
export interface ModelUse {
  /** Where answers came from; empty when there was no model. */
  readonly name: string;
  readonly answered: number;
  readonly refused: number;
}

export interface SessionScore {
  readonly session: string;
  readonly steps: number;
  /** Tokens over all requests: of the strategy, and of no compaction. */
  readonly input: number;
  readonly cached: number;
  readonly fullInput: number;
  /** Weighted tokens: 0.1 cached, 1.25 uncached, and what the strategy's own model calls cost. */
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
  /** Weighted tokens that reading them again would cost. */
  readonly refetchCost: number;
  readonly model: ModelUse;
  /** Compactions that were wanted and did not come about. */
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
