/** The messages that a compaction changed or removed, with their tokens as the meter counts them. */

import { type ItemKind, kindOf } from '../context/item.ts';
import type { Message } from '../context/message.ts';
import type { SlotState } from '../context/slot.ts';
import type { CompactionEntry } from '../journal/entry.ts';
import { fatesIn, type NamedFate } from '../journal/removal.ts';

/** A message that stands no longer as it was. */
export interface RemovedMessage extends NamedFate {
  readonly kind: ItemKind;
  /** Before this compaction. */
  readonly tokens: number;
  readonly message: Message;
}

export interface Removed {
  readonly messages: readonly RemovedMessage[];
  /** Tokens of the inserted texts. */
  readonly added: number;
  /** Tokens as the meter counts them for one of an estimate. */
  readonly scale: number;
}

type SlotOf = (id: string) => Pick<SlotState, 'message' | 'tokensBefore'> | null;

/**
 * From the entry and the appended messages. The estimates of single messages are scaled to the totals of the entry, so
 * that what left, less what stands for it, is what was freed.
 */
export function listRemoved(entry: CompactionEntry, slotOf: SlotOf): Removed {
  const found: RemovedMessage[] = [];
  for (const named of fatesIn(entry)) {
    const slot = slotOf(named.id);
    if (!slot) continue;
    const { message } = slot;
    found.push({ ...named, kind: kindOf(message), tokens: slot.tokensBefore(entry.seq), message });
  }
  const added = entry.plan.reduce((sum, op) => sum + (op.op === 'insert' ? op.tokens : 0), 0);
  const freed = found.reduce((sum, { tokens, left }) => sum + tokens - left, -added);
  const counted = entry.tokensBefore - entry.tokensAfter;
  const scale = freed > 0 && counted > 0 ? counted / freed : 1;
  return {
    messages: found.map((each) => ({ ...each, tokens: each.tokens * scale, left: each.left * scale })),
    added: added * scale,
    scale,
  };
}
