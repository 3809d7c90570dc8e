/**
 * Restores a page of the panel whose script ended while it was on screen. The page reports when it is unloaded; a page
 * that the editor itself reloads, or has hidden, is left alone.
 */

/** Milliseconds to wait for the editor's own reload. */
const WAIT_MS = 250;

/** A page that ends each time it is loaded is not reloaded for ever. */
const MOST_IN_A_ROW = 3;

/** Milliseconds after which an end starts a new series. */
const ROW_MS = 60_000;

export class Revival {
  readonly #load: () => void;
  readonly #isVisible: () => boolean;
  readonly #now: () => number;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #loading = false;
  #revived: readonly number[] = [];

  /** `load` reloads the page. */
  constructor(load: () => void, isVisible: () => boolean, now: () => number) {
    this.#load = load;
    this.#isVisible = isVisible;
    this.#now = now;
  }

  /** A page has started. */
  ready(): void {
    this.#loading = false;
    this.dispose();
  }

  /** A page has ended. */
  gone(): void {
    if (this.#loading) return;
    this.#timer ??= setTimeout(() => this.#revive(), WAIT_MS);
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #revive(): void {
    this.#timer = null;
    const now = this.#now();
    this.#revived = this.#revived.filter((time) => now - time < ROW_MS);
    if (!this.#isVisible() || this.#revived.length >= MOST_IN_A_ROW) return;
    this.#revived = [...this.#revived, now];
    this.#loading = true;
    this.#load();
  }
}
