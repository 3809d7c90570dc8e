/** A binary heap, the item of the highest rank on top. */

export class Heap<T> {
  readonly #items: { readonly item: T; readonly rank: number }[] = [];

  /** Rank of the top item; below every rank when empty. */
  get best(): number {
    return this.#items[0]?.rank ?? Number.NEGATIVE_INFINITY;
  }

  push(item: T, rank: number): void {
    const items = this.#items;
    const added = { item, rank };
    let at = items.push(added) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const above = items[up];
      if (!above || above.rank >= rank) break;
      items[at] = above;
      at = up;
    }
    items[at] = added;
  }

  pop(): { readonly item: T; readonly rank: number } | null {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (!top || !last) return null;
    if (items.length === 0) return top;
    let at = 0;
    for (;;) {
      const left = items[2 * at + 1];
      const right = items[2 * at + 2];
      const below = left && right && right.rank > left.rank ? right : left;
      if (!below || below.rank <= last.rank) break;
      items[at] = below;
      at = 2 * at + (below === left ? 1 : 2);
    }
    items[at] = last;
    return top;
  }
}
