/** Waiting for foreign code with a time limit. */

import { orAborted } from '../../core/sleep.ts';

/** Waits for a foreign promise with a time limit. Rejects on timeout or when `signal` aborts. */
export async function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    const settled = await orAborted(promise, AbortSignal.any([signal, late.signal]));
    if (settled !== 'aborted') return settled.value;
  } finally {
    clearTimeout(timer);
  }
  throw new Error(signal.aborted ? 'it was stopped' : `it took longer than ${ms / 1_000} seconds`);
}
