/** The input, the result and the thoroughness of a gate: in every test run, and in a checked run. */

export interface GateResult {
  readonly name: string;
  readonly tried: number;
  /** One sentence each; empty when the gate holds. */
  readonly violations: readonly string[];
}

/** Resources of each gate: its own folder, one in memory if there is such a disk, and the sizes. */
export interface GateOptions {
  readonly folder: string;
  /**
   * For gates in which no process dies: what they try does not depend on a disk, and waiting for one would take most of
   * the time.
   */
  readonly memory: string;
  readonly sizes: FaultSizes;
}

export interface FaultSizes {
  /** Writers killed, over all failpoints. */
  readonly kills: number;
  /** Length in bytes of the journal that is cut at every byte. */
  readonly truncated: number;
  /** Damaged lines that must not be believed. */
  readonly flips: number;
  /** Journals with garbage in them. */
  readonly garbage: number;
  /** Disks that fail at random, besides those that fail at each call in turn. */
  readonly disks: number;
  /** How often each of the competing writers is killed. */
  readonly lives: number;
}

/** Small, but with every failpoint and every kind. */
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
