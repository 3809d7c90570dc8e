/** Waiting for foreign code with a time limit. */

/** Waits for a foreign promise with a time limit. Rejects on timeout or when `signal` aborts. */
export function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      settle();
    };
    const stop = () => end(() => reject(new Error('it was stopped')));
    const timer = setTimeout(() => end(() => reject(new Error(`it took longer than ${ms / 1_000} seconds`))), ms);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(
      (value) => end(() => resolve(value)),
      (thrown: unknown) => end(() => reject(thrown)),
    );
  });
}
