/** Waits that an abort ends early. */

import type { Timers } from './clock.ts';

/** Resolves after `ms`, or at once when the signal is aborted: callers check the signal. */
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

/** The value of the work, or `aborted` as soon as the signal is, whatever becomes of the work. Rejects as the work does. */
export function orAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<{ readonly value: T } | 'aborted'> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve('aborted');
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    const end = () => signal.removeEventListener('abort', abort);
    work.then(
      (value) => {
        end();
        resolve({ value });
      },
      (thrown: unknown) => {
        end();
        reject(thrown);
      },
    );
  });
}

/** The same, but rejects with the signal's reason when aborted. */
export async function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const settled = await orAborted(work, signal);
  if (settled === 'aborted') throw signal.reason;
  return settled.value;
}
