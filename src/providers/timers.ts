/** The timers of the machine, which Node and browsers share. */

import type { Timers } from '../core/ports.ts';

/** Only Node has it: the next turn of the event loop, where a timer of 0 milliseconds waits for one at least. */
const { setImmediate: soon, clearImmediate: notSoon } = globalThis as {
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly clearImmediate?: (handle: unknown) => void;
};

export const systemTimers: Timers = {
  after(ms, callback) {
    if (ms <= 0 && soon && notSoon) {
      const handle = soon(callback);
      return () => notSoon(handle);
    }
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};
