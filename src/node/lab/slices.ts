/** Splits work in the extension host into slices of a few milliseconds, so that everything else there gets its turn. */

const SLICE_MS = 8;

export class Slices {
  #begun = performance.now();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Resolves at once within a slice, else in the next turn of the event loop. Rejects when the work should stop. */
  readonly pause = async (): Promise<void> => {
    if (performance.now() - this.#begun < SLICE_MS) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#signal.throwIfAborted();
    this.#begun = performance.now();
  };
}
