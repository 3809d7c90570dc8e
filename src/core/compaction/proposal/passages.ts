/**
 * Finds known texts in others by their passages of fixed length, in time proportional to the text searched. Blanks,
 * quotes and backslashes do not count, so that a text is also found where it was written as JSON.
 */

/** Length of a passage in characters. Shorter texts have none. */
const LENGTH = 24;
const BASE = 0x01000193;

/** Factor of the character that leaves a window of `LENGTH`. */
const LEAVING = Array.from({ length: LENGTH }).reduce<number>((power) => Math.imul(power, BASE), 1);

/** Size of the filter that passes over windows without a passage. */
const FILTER_BITS = 20;

export class Passages {
  /** By hash: the number of the passage. */
  readonly #numbers = new Map<number, number>();
  readonly #filter = new Uint8Array(1 << FILTER_BITS);

  /** A text without blanks, quotes and backslashes. */
  static plain(text: string): string {
    return text.replace(/\\[nrt]|[\s\\"]+/g, '');
  }

  /** The passages of a plain text, one after the other. */
  add(text: string): number[] {
    const found: number[] = [];
    for (let at = 0; at + LENGTH <= text.length; at += LENGTH) {
      let hash = 0;
      for (let i = at; i < at + LENGTH; i++) hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0;
      let number = this.#numbers.get(hash);
      if (number === undefined) {
        number = this.#numbers.size;
        this.#numbers.set(hash, number);
        this.#filter[hash >>> (32 - FILTER_BITS)] = 1;
      }
      found.push(number);
    }
    return found;
  }

  /** How often each passage occurs in a plain text, without overlaps with itself. */
  findIn(text: string): Map<number, number> {
    const times = new Map<number, number>();
    const free = new Map<number, number>();
    let hash = 0;
    for (let i = 0; i < text.length; i++) {
      hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0;
      if (i >= LENGTH) hash = (hash - Math.imul(LEAVING, text.charCodeAt(i - LENGTH))) | 0;
      if (i < LENGTH - 1 || this.#filter[hash >>> (32 - FILTER_BITS)] === 0) continue;
      const number = this.#numbers.get(hash);
      if (number === undefined || i < (free.get(number) ?? 0)) continue;
      times.set(number, (times.get(number) ?? 0) + 1);
      free.set(number, i + LENGTH);
    }
    return times;
  }
}
