/** Waiting for foreign work that may never end. */

/** Waits for an extension, until the signal is aborted. */
export async function untilAborted<T>(
  work: PromiseLike<T>,
  signal: AbortSignal,
): Promise<{ readonly value: T } | 'aborted'> {
  if (signal.aborted) return 'aborted';
  let stop = () => {};
  const aborted = new Promise<'aborted'>((resolve) => {
    stop = () => resolve('aborted');
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([Promise.resolve(work).then((value) => ({ value })), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
