/**
 * Slots: the places of the conversation, one for each message that was ever appended and each note a compaction put in.
 * A slot never moves and never leaves; what it shows is decided by its operations.
 */

import type { CompactionEntry, Replacement } from '../journal/entry.ts';
import type { ItemKind } from './item.ts';
import type { Message } from './message.ts';

export type SlotOp =
  | { readonly seq: number; readonly op: 'drop' | 'show' | 'collapse' }
  | { readonly seq: number; readonly op: 'replace'; readonly by: Replacement };

export interface Slot {
  readonly id: string;
  readonly seq: number;
  /** Of its entry: ISO 8601 as written until the slot is first shown, then milliseconds since the epoch. */
  time: string | number;
  readonly block: number;
  readonly round: number;
  /** The compaction that inserted it; null for an appended message. */
  readonly by: number | null;
  /** Holds the message, or reads it when looked at. */
  readonly body: { readonly message: Message };
  readonly kind: ItemKind;
  readonly tokens: number;
  /** Changed by `addOp`. */
  ops: readonly SlotOp[];
  /** Neighbours in the list that the slot stands in. */
  before: Slot | null;
  after: Slot | null;
}

/** Most slots never have an operation. */
export const NO_OPS: readonly SlotOp[] = [];

export function addOp(slot: Slot, op: SlotOp): void {
  slot.ops = [...slot.ops, op];
}

/** A compaction by its number; the entry is read when looked at. */
export interface CompactionRef {
  readonly seq: number;
  readonly entry: CompactionEntry;
}

/** Index to splice at; past the end when a damaged file lost the compaction. */
export function findTarget(stack: readonly CompactionRef[], target: number): number {
  const index = stack.findLastIndex(({ seq }) => seq === target);
  return index < 0 ? stack.length : index;
}

/** What the slot holds now, as a person may want to read it: nothing ever leaves. */
export interface SlotFacts {
  readonly id: string;
  readonly message: Message;
  readonly tokens: number;
  readonly shown: 'whole' | 'replaced' | 'dropped' | 'absent';
  /** Replaced by a stub, not merely shortened. */
  readonly hidden: boolean;
}

/** The body stays unread until somebody looks at `message`. */
export function factsOf(
  slot: Pick<Slot, 'id' | 'body' | 'tokens'>,
  shown: SlotFacts['shown'],
  hidden = false,
): SlotFacts {
  const { id, body, tokens } = slot;
  return {
    id,
    get message() {
      return body.message;
    },
    tokens,
    shown,
    hidden,
  };
}

/** The message with its body replaced; ids, names and the number of calls stay. */
export function replaceBody(message: Message, by: Replacement): Message {
  const text = by.text ?? message.text;
  switch (message.role) {
    case 'user':
      return { ...message, text };
    case 'assistant': {
      if (!message.toolCalls || !by.arguments) return { ...message, text };
      const toolCalls = message.toolCalls.map((call, i) => ({
        ...call,
        arguments: by.arguments?.[i] ?? call.arguments,
      }));
      return { ...message, text, toolCalls };
    }
    case 'tool':
      return by.offload ? { ...message, text, offload: by.offload } : { ...message, text };
  }
}
