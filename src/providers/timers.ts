/** The timers of the machine, which Node and browsers share. */

import type { Timers } from '../core/ports.ts';

export const systemTimers: Timers = {
  after(ms, callback) {
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};
