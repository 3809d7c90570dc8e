/** Work in the extension host in slices of a few milliseconds, between which everything else there has its turn. */

const SLICE_MS = 8;

export class Slices {
  #begun = performance.now();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Resolves at once while the slice lasts, else in the next turn of the event loop. Rejects when it should stop. */
  readonly pause = async (): Promise<void> => {
    if (performance.now() - this.#begun < SLICE_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#signal.throwIfAborted();
    this.#begun = performance.now();
  };
}
