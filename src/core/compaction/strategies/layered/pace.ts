/** Lets others run after so much work, however fast the machine is: a frame of the editor must not wait for a compaction. */

/** About what a slow machine does in some milliseconds, in tokens of text. */
const AT_ONCE = 8_000;

export class Pace {
  readonly #pause: () => Promise<void>;
  #left = AT_ONCE;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Work that is about as much as reading so many tokens. Await the result. */
  spend(tokens: number): Promise<void> | undefined {
    this.#left -= tokens;
    if (this.#left > 0) return undefined;
    this.#left = AT_ONCE;
    return this.#pause();
  }
}
