/**
 * How tall the entries of a long list are, and where each begins. An entry that was never drawn has an estimate. Pure.
 * A change costs only the entries after it, so that a last entry that grows costs nothing.
 */

export class Extents {
  #sizes: number[] = [];
  /** Where each entry begins; true up to `#known`. */
  #tops: number[] = [0];
  #known = 0;

  get count(): number {
    return this.#sizes.length;
  }

  reset(sizes: readonly number[]): void {
    this.#sizes = [...sizes];
    this.#tops = [0];
    this.#known = 0;
  }

  /** False when it was so already. */
  resize(index: number, size: number): boolean {
    if (this.#sizes[index] === size || index >= this.#sizes.length) return false;
    this.#sizes[index] = size;
    this.#known = Math.min(this.#known, index);
    return true;
  }

  size(index: number): number {
    return this.#sizes[index] ?? 0;
  }

  /** Where an entry begins; of the number of entries, where the list ends. */
  top(index: number): number {
    const wanted = Math.min(Math.max(index, 0), this.#sizes.length);
    for (let at = this.#known; at < wanted; at++) this.#tops[at + 1] = (this.#tops[at] ?? 0) + this.size(at);
    this.#known = Math.max(this.#known, wanted);
    return this.#tops[wanted] ?? 0;
  }

  get total(): number {
    return this.top(this.count);
  }

  /** The entry at a height; the first or last one for what lies outside. */
  indexAt(y: number): number {
    let low = 0;
    let high = Math.max(this.count - 1, 0);
    this.top(this.count);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.top(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The entries between two heights, and those of `kept`: in order, each once. */
  between(from: number, to: number, kept: Iterable<number>): number[] {
    if (this.count === 0) return [];
    const chosen = new Set<number>();
    const last = this.indexAt(to);
    for (let index = this.indexAt(from); index <= last; index++) chosen.add(index);
    for (const index of kept) if (index >= 0 && index < this.count) chosen.add(index);
    return [...chosen].sort((a, b) => a - b);
  }
}
