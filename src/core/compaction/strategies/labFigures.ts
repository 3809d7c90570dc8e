/**
 * The lab's figures of the built-in strategies, by id, as `docs/results.md` reports it for a window of 64,000 tokens and
 * their default settings. `scripts/lab/writeFigures.ts` writes the figures; a strategy that was never measured has none.
 */

/** In percent. */
export interface LabFigures {
  /** Share of the information that an agent needed again much later. */
  readonly kept: number;
  /** With rereads, as a share of the sessions' cost without compaction. */
  readonly cost: number;
}

export const LAB_FIGURES: Readonly<Record<string, LabFigures>> = {
  layered: { kept: 95.7, cost: 41.5 },
  selective: { kept: 68.8, cost: 33.8 },
  'llm-summary': { kept: 67.7, cost: 35.3 },
  'tool-result-hiding': { kept: 79.9, cost: 49.4 },
  'hiding-then-summary': { kept: 78.7, cost: 43.6 },
  'prune-then-summary': { kept: 66.6, cost: 30.8 },
  'round-summary': { kept: 45.3, cost: 28.3 },
};
