/**
 * The conversation's slots in order. A slot is never moved or removed, and putting one in costs the same anywhere, so a
 * compaction costs what its plan names and not what was ever said.
 */

import type { Slot } from './slot.ts';

interface Link {
  readonly slot: Slot;
  before: Link | null;
  after: Link | null;
}

export class SlotList {
  readonly #links = new Map<string, Link>();
  #first: Link | null = null;
  #last: Link | null = null;

  has(id: string): boolean {
    return this.#links.has(id);
  }

  get(id: string): Slot | null {
    return this.#links.get(id)?.slot ?? null;
  }

  push(slot: Slot): void {
    this.#insert(slot, this.#last);
  }

  /** Behind the slot `anchor`; at the front when null. */
  insertAfter(slot: Slot, anchor: Slot | null): void {
    this.#insert(slot, anchor === null ? null : (this.#links.get(anchor.id) ?? this.#last));
  }

  *[Symbol.iterator](): Generator<Slot> {
    for (let link = this.#first; link; link = link.after) yield link.slot;
  }

  /** Slots of the same block, in order. They stand together, but for what compactions put between them. */
  blockOf(slot: Slot): Slot[] {
    let first = this.#links.get(slot.id) ?? null;
    const belongs = (link: Link) => link.slot.block === slot.block;
    for (let link = first?.before ?? null; link && (belongs(link) || link.slot.by !== null); link = link.before) {
      if (belongs(link)) first = link;
    }
    const block: Slot[] = [];
    for (let link = first; link && (belongs(link) || link.slot.by !== null); link = link.after) {
      if (belongs(link)) block.push(link.slot);
    }
    return block;
  }

  #insert(slot: Slot, before: Link | null): void {
    const after = before ? before.after : this.#first;
    const link: Link = { slot, before, after };
    if (before) before.after = link;
    else this.#first = link;
    if (after) after.before = link;
    else this.#last = link;
    this.#links.set(slot.id, link);
  }
}
