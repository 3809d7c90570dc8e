/** The time, and calls that wait for it. Tests turn it by hand. */

export interface Clock {
  /** In milliseconds since the epoch. */
  now(): number;
}

export interface Timers {
  /** Calls `callback` once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}
