/** Timers as a port: waits end early on abort, and tests turn the clock by hand. */

import type { Timers } from '../core/compaction/run/runStrategy.ts';

export type { Timers };

export const systemTimers: Timers = {
  after(ms, callback) {
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};

/** Resolves after `ms`, or at once when the signal is aborted: the caller looks at the signal. */
export function sleep(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms <= 0) {
      resolve();
      return;
    }
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
