/**
 * The conversation's slots in order. A slot is never moved or removed, and putting one in costs the same anywhere, so a
 * compaction costs what its plan names and not what was ever said.
 */

import { messageSeq } from '../journal/entry.ts';
import type { Slot } from './slot.ts';

export class SlotList {
  /** Appended messages by their `seq`: a table of that size costs the same to add to at any length. */
  readonly #messages: (Slot | undefined)[] = [];
  readonly #inserts = new Map<string, Slot>();
  #first: Slot | null = null;
  #last: Slot | null = null;

  has(id: string): boolean {
    return this.get(id) !== null;
  }

  get(id: string): Slot | null {
    const seq = messageSeq(id);
    return (seq < 0 ? this.#inserts.get(id) : this.#messages[seq]) ?? null;
  }

  push(slot: Slot): Slot {
    return this.insertAfter(slot, this.#last);
  }

  /** After the slot `before`, which is in the list; at the front when null. */
  insertAfter(slot: Slot, before: Slot | null): Slot {
    const after = before ? before.after : this.#first;
    slot.before = before;
    slot.after = after;
    if (before) before.after = slot;
    else this.#first = slot;
    if (after) after.before = slot;
    else this.#last = slot;
    if (slot.nth === null) this.#messages[slot.seq] = slot;
    else this.#inserts.set(slot.id, slot);
    return slot;
  }

  *[Symbol.iterator](): Generator<Slot> {
    for (let slot = this.#first; slot; slot = slot.after) yield slot;
  }

  /** Slots of the same block, in order. They stand together, but for what compactions put between them. */
  blockOf(slot: Slot): Slot[] {
    const { block } = slot;
    let first = slot;
    for (let each = slot.before; each && (each.block === block || each.nth !== null); each = each.before) {
      if (each.block === block) first = each;
    }
    const found: Slot[] = [];
    for (let each: Slot | null = first; each && (each.block === block || each.nth !== null); each = each.after) {
      if (each.block === block) found.push(each);
    }
    return found;
  }
}
