/** A signal that is aborted when it is looked at for the `times`-th time, so that a test needs no clock to cancel work. */
export function abortAfter(times: number): AbortSignal {
  const abort = new AbortController();
  const { signal } = abort;
  let looked = 0;
  signal.throwIfAborted = () => {
    if (++looked >= times) abort.abort();
    AbortSignal.prototype.throwIfAborted.call(signal);
  };
  return signal;
}
