/**
 * What a slot shows: the last of its operations whose compaction is active decides, and collapsing takes back every
 * `show` before it. Functions of the slot, the compactions that are undone (`inactive`) and the pins.
 */

import type { ContextItem } from './item.ts';
import { factsOf, replaceBody, type Slot, type SlotFacts, type SlotOp } from './slot.ts';
import type { ShownSlot } from './snapshot.ts';

/** Null when nothing of the slot is visible. */
export function showSlot(slot: Slot, inactive: ReadonlySet<number>, pins: ReadonlySet<string>): ContextItem | null {
  if (isAbsent(slot, inactive)) return null;
  const op = decisiveOp(slot, inactive);
  if (op?.op === 'drop') return null;
  const by = op?.op === 'replace' ? op.by : null;
  const { message } = slot.body;
  const time = typeof slot.time === 'number' ? slot.time : Date.parse(slot.time);
  slot.time = time;
  return {
    id: slot.id,
    kind: slot.kind,
    message: by ? replaceBody(message, by) : message,
    tokens: by?.tokens ?? slot.tokens,
    block: slot.block,
    round: slot.round,
    time,
    seq: slot.seq,
    pinned: pins.has(slot.id),
    hidden: by?.hidden ?? false,
  };
}

/** The slot as a person may want to read it. */
export function describeSlot(slot: Slot, inactive: ReadonlySet<number>): SlotFacts {
  if (isAbsent(slot, inactive)) return factsOf(slot, 'absent');
  const op = decisiveOp(slot, inactive);
  if (op === null) return factsOf(slot, 'whole');
  return op.op === 'replace' ? factsOf(slot, 'replaced', op.by.hidden) : factsOf(slot, 'dropped');
}

/** The slot as a snapshot remembers it; null when nothing of it is visible. */
export function rememberSlot(slot: Slot, inactive: ReadonlySet<number>): ShownSlot | null {
  if (isAbsent(slot, inactive)) return null;
  const op = decisiveOp(slot, inactive);
  if (op?.op === 'drop') return null;
  const { id, block, round } = slot;
  return op ? { id, block, round, replacedBy: op.seq } : { id, block, round };
}

/** True when an active compaction hides the slot, so that collapsing it would have an effect. */
export function isHideable(slot: Slot, inactive: ReadonlySet<number>): boolean {
  return slot.ops.some(({ seq, op }) => (op === 'drop' || op === 'replace') && !inactive.has(seq));
}

function isAbsent({ by }: Slot, inactive: ReadonlySet<number>): boolean {
  return by !== null && inactive.has(by);
}

/** Null is "whole". */
function decisiveOp({ ops }: Slot, inactive: ReadonlySet<number>): Exclude<SlotOp, { op: 'show' | 'collapse' }> | null {
  let collapsed = false;
  for (let i = ops.length - 1; i >= 0; i--) {
    const op = ops[i];
    if (!op || inactive.has(op.seq)) continue;
    if (op.op === 'collapse') collapsed = true;
    else if (op.op !== 'show') return op;
    else if (!collapsed) return null;
  }
  return null;
}
