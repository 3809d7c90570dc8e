/** Timers whose time passes only when a test says so. */

import type { Timers } from '../../../src/core/clock.ts';

export class HandTimers implements Timers {
  /** Milliseconds of every timer that was ever set, in order. */
  readonly set: number[] = [];
  readonly #pending = new Set<{ readonly ms: number; readonly callback: () => void }>();

  after(ms: number, callback: () => void): () => void {
    const timer = { ms, callback };
    this.set.push(ms);
    this.#pending.add(timer);
    return () => this.#pending.delete(timer);
  }

  /** Milliseconds of the timers that are waiting. */
  get pending(): number[] {
    return [...this.#pending].map(({ ms }) => ms);
  }

  /** Fires all waiting timers. */
  elapse(): void {
    for (const timer of [...this.#pending]) if (this.#pending.delete(timer)) timer.callback();
  }
}

/** Timers of which the short ones fire by themselves, without any time, and the others never. */
export function shortTimers(longestMs: number): Timers {
  return {
    after(ms, callback) {
      if (ms > longestMs) return () => undefined;
      const waiting = setImmediate(callback);
      return () => clearImmediate(waiting);
    },
  };
}
