/** The machine's timers, which Node and browsers share. */

import type { Timers } from '../core/clock.ts';

/** Only Node has it: the next turn of the event loop, whereas a timer of 0 milliseconds waits for at least one. */
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
