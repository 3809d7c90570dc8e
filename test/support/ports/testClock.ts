/** A clock that tests move by hand. It starts at a fixed time and never moves by itself. */

import type { Clock } from '../../../src/core/clock.ts';

export interface TestClock extends Clock {
  /** Moves by milliseconds; backwards when negative. */
  advance(ms: number): void;
}

export function testClock(start = Date.UTC(2026, 0, 1, 12)): TestClock {
  let now = start;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}
