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
  layered: { kept: 90, cost: 37.1 },
  selective: { kept: 69.9, cost: 35 },
  'llm-summary': { kept: 68, cost: 36.4 },
  'tool-result-hiding': { kept: 79.7, cost: 48.8 },
  'hiding-then-summary': { kept: 78.9, cost: 44.1 },
  'prune-then-summary': { kept: 66.6, cost: 32.2 },
  'round-summary': { kept: 46.3, cost: 28.8 },
};
