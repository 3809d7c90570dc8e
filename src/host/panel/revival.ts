/**
 * Brings back a page of the panel whose script has ended while it was on screen. The page says with its last breath that
 * it is gone; one that the editor itself loads again, or has taken off the screen, is left alone.
 */

/** Milliseconds in which the editor's own page may come. */
const WAIT_MS = 250;
/** A page that ends each time it is loaded is not loaded for ever. */
const MOST_IN_A_ROW = 3;
/** Milliseconds after which an end is a new one. */
const ROW_MS = 60_000;

export interface RevivalPorts {
  readonly isVisible: () => boolean;
  /** Loads the page again. */
  readonly load: () => void;
  readonly now: () => number;
}

export class Revival {
  readonly #ports: RevivalPorts;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #loading = false;
  #revived: readonly number[] = [];

  constructor(ports: RevivalPorts) {
    this.#ports = ports;
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
    const now = this.#ports.now();
    this.#revived = this.#revived.filter((time) => now - time < ROW_MS);
    if (!this.#ports.isVisible() || this.#revived.length >= MOST_IN_A_ROW) return;
    this.#revived = [...this.#revived, now];
    this.#loading = true;
    this.#ports.load();
  }
}
