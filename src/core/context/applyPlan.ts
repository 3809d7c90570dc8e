/** Carries out a compaction's plan on the slots: operations for what it names, new slots for what it inserts. */

import { type CompactionEntry, insertId } from '../journal/entry.ts';
import { kindOf } from './item.ts';
import { addOp, NO_OPS, type Slot } from './slot.ts';
import type { SlotList } from './slotList.ts';

/** What a plan put behind each slot; behind null stands the front. */
export type Inserts = ReadonlyMap<Slot | null, readonly Slot[]>;

/** An insert stands behind the item that the plan names before it. Items that a damaged file lost are passed over. */
export function applyPlan(entry: CompactionEntry, slots: SlotList, nextBlock: () => number): Inserts {
  const { seq, time } = entry;
  const inserts = new Map<Slot | null, Slot[]>();
  let anchor: Slot | null = null;
  let inserted = 0;
  for (const op of entry.plan) {
    switch (op.op) {
      case 'keep':
      case 'drop':
        for (const id of op.ids) {
          const slot = slots.get(id);
          if (!slot) continue;
          anchor = slot;
          if (op.op === 'drop') addOp(slot, { seq, op: 'drop' });
        }
        break;
      case 'replace': {
        const slot = slots.get(op.id);
        if (!slot) continue;
        anchor = slot;
        addOp(slot, { seq, op: 'replace', by: op.by });
        break;
      }
      case 'insert': {
        const { message, tokens } = op;
        const slot: Slot = {
          id: insertId(seq, inserted++),
          seq,
          time,
          block: nextBlock(),
          round: anchor?.round ?? 0,
          by: seq,
          body: op,
          kind: kindOf(message),
          tokens,
          ops: NO_OPS,
          before: null,
          after: null,
        };
        const here = inserts.get(anchor) ?? [];
        slots.insertAfter(slot, here.at(-1) ?? anchor);
        inserts.set(anchor, [...here, slot]);
        break;
      }
    }
  }
  return inserts;
}

/** Why the plan does not fit what is visible, in words; null when it does. */
export function refusePlan({ plan }: CompactionEntry, visible: readonly { readonly id: string }[]): string | null {
  const places = new Map(visible.map(({ id }, place) => [id, place]));
  let last = -1;
  for (const op of plan) {
    if (op.op === 'insert') continue;
    for (const id of op.op === 'replace' ? [op.id] : op.ids) {
      const place = places.get(id);
      if (place === undefined) return `its plan names ${id}, which is not in the context`;
      if (place <= last) return `its plan names ${id} out of order`;
      last = place;
    }
  }
  return null;
}
