/** Work that a person may cancel once it turns out slow: what is quick shows nothing. */

import type { Timers } from '../../core/ports.ts';

/** Shows that the work goes on until `ended` resolves, with a way to cancel it. */
export type ShowProgress = (cancel: () => void, ended: Promise<unknown>) => void;

export async function slowWork<T>(
  act: (signal: AbortSignal) => Promise<T>,
  { show, timers, afterMs }: { readonly show: ShowProgress; readonly timers: Timers; readonly afterMs: number },
): Promise<T> {
  const abort = new AbortController();
  const work = act(abort.signal);
  const ended = Promise.allSettled([work]);
  const stopWaiting = timers.after(afterMs, () => show(() => abort.abort(), ended));
  try {
    return await work;
  } finally {
    stopWaiting();
  }
}
