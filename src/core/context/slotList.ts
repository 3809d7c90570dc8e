/**
 * The conversation's slots in order. A slot is never moved or removed, and putting one in costs the same anywhere, so a
 * compaction costs what its plan names and not what was ever said.
 */

import type { Slot } from './slot.ts';

export class SlotList {
  readonly #byId = new Map<string, Slot>();
  #first: Slot | null = null;
  #last: Slot | null = null;

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  get(id: string): Slot | null {
    return this.#byId.get(id) ?? null;
  }

  push(slot: Slot): void {
    this.insertAfter(slot, this.#last);
  }

  /** Behind the slot `before`, which is in the list; at the front when null. */
  insertAfter(slot: Slot, before: Slot | null): void {
    const after = before ? before.after : this.#first;
    slot.before = before;
    slot.after = after;
    if (before) before.after = slot;
    else this.#first = slot;
    if (after) after.before = slot;
    else this.#last = slot;
    this.#byId.set(slot.id, slot);
  }

  *[Symbol.iterator](): Generator<Slot> {
    for (let slot = this.#first; slot; slot = slot.after) yield slot;
  }

  /** Slots of the same block, in order. They stand together, but for what compactions put between them. */
  blockOf(slot: Slot): Slot[] {
    const { block } = slot;
    let first = slot;
    for (let each = slot.before; each && (each.block === block || each.by !== null); each = each.before) {
      if (each.block === block) first = each;
    }
    const found: Slot[] = [];
    for (let each: Slot | null = first; each && (each.block === block || each.by !== null); each = each.after) {
      if (each.block === block) found.push(each);
    }
    return found;
  }
}
