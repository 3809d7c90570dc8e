/** A part of `npm test`: something that runs tests and counts them. */

export interface Counts {
  readonly passed: number;
  /** A suite that broke off counts as at least one. */
  readonly failed: number;
  readonly skipped: number;
  /** Where it ran, or why it did not; may be empty. */
  readonly note: string;
}

/** Runs the tests whose name contains `filter`; all when it is empty. Throws when it cannot run at all. */
export type Part = (filter: string) => Promise<Counts>;
