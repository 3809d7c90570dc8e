/** The messages that a compaction removed from the model's view. */

import { type ItemKind, kindOf } from '../context/item.ts';
import type { Message } from '../context/message.ts';
import type { CompactionEntry } from '../journal/entry.ts';

export interface RemovedMessage {
  readonly id: string;
  readonly how: 'dropped' | 'hidden' | 'shortened';
  readonly kind: ItemKind;
  /** The tokens of the message as appended, and of its replacement. Uncalibrated. */
  readonly tokens: number;
  readonly left: number;
  readonly message: Message;
}

type SlotOf = (id: string) => { readonly message: Message; readonly tokens: number } | null;

/** Computed from its plan and the appended messages. */
export function* listRemoved({ plan }: CompactionEntry, slotOf: SlotOf): Generator<RemovedMessage> {
  for (const op of plan) {
    if (op.op === 'drop') for (const id of op.ids) yield* removed(id, 'dropped', 0, slotOf);
    if (op.op === 'replace') yield* removed(op.id, op.by.hidden ? 'hidden' : 'shortened', op.by.tokens, slotOf);
  }
}

function* removed(id: string, how: RemovedMessage['how'], left: number, slotOf: SlotOf): Generator<RemovedMessage> {
  const slot = slotOf(id);
  if (slot) yield { id, how, kind: kindOf(slot.message), tokens: slot.tokens, left, message: slot.message };
}

/** The number of messages that a compaction names. */
export function countNamed({ plan }: CompactionEntry): number {
  let named = 0;
  for (const op of plan) named += op.op === 'drop' ? op.ids.length : op.op === 'replace' ? 1 : 0;
  return named;
}
