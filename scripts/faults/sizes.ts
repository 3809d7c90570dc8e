/** How hard the gates look: what every test run can afford, and what RELIABILITY §5 asks of every checked run. */

export interface FaultSizes {
  /** Writers killed, over all failpoints. */
  readonly kills: number;
  /** Length in bytes of the journal that is cut at every byte. */
  readonly truncated: number;
  /** Damaged lines that must not be believed. */
  readonly flips: number;
  /** Journals with garbage in them. */
  readonly garbage: number;
  /** Disks that fail at random, beside those that fail at each call in turn. */
  readonly disks: number;
  /** How often each of the competing writers is killed. */
  readonly lives: number;
}

/** Small, but every failpoint and every kind is there. */
export const TEST_SIZES: FaultSizes = {
  kills: 12,
  truncated: 600,
  flips: 20_000,
  garbage: 30,
  disks: 60,
  lives: 4,
};

const CHECKED_SIZES: FaultSizes = {
  kills: 1_000,
  truncated: 100_000,
  flips: 1_000_000,
  garbage: 4_000,
  disks: 10_000,
  lives: 250,
};

/** `times` the sizes of a checked run. */
export function checkedSizes(times: number): FaultSizes {
  const scaled = Object.entries(CHECKED_SIZES).map(([name, size]) => [name, Math.max(1, Math.ceil(size * times))]);
  return Object.fromEntries(scaled) as FaultSizes;
}
