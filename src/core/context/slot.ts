/**
 * Slots: one for each message ever appended and one for each message that a compaction inserted. A slot never moves and
 * never leaves. The last of its operations whose compaction is active decides its display; collapsing takes back every
 * `show` before it. A slot keeps only the operations that can still decide, so its size does not grow with their
 * number.
 */

import { insertId, messageId, type Replacement } from '../journal/entry.ts';
import { type ContextItem, kindOf } from './item.ts';
import type { Message } from './message.ts';

/** Operation of a compaction, whose entry is `seq`, on a slot. Slots without earlier operations share it. */
export type Hide = {
  readonly seq: number;
  readonly earlier: Hide | null;
} & ({ readonly op: 'drop' } | { readonly op: 'replace'; readonly by: Replacement });

/** A person's mark, made in entry `seq`. The newest overrides all earlier ones, so a slot has one. */
interface SlotMark {
  readonly seq: number;
  readonly op: 'show' | 'collapse';
}

/** Default content of a slot. */
export interface SlotBody {
  /** ISO 8601. */
  readonly time: string;
  readonly tokens: number;
  readonly message: Message;
}

export class Slot {
  /** `seq` of the entry that appended it. */
  readonly seq: number;
  /** Index among the inserts of its compaction, from 0; null for an appended message. */
  readonly nth: number | null;
  readonly block: number;
  readonly round: number;
  readonly body: SlotBody;
  /** The newest; changed by `addHide`. */
  hide: Hide | null;
  mark: SlotMark | null = null;
  /** The item from the last time the slot was shown whole. */
  whole: ContextItem | null = null;
  /** Neighbours in the slot list. */
  before: Slot | null = null;
  after: Slot | null = null;

  constructor(seq: number, nth: number | null, body: SlotBody, block: number, round: number, hide: Hide | null = null) {
    this.seq = seq;
    this.nth = nth;
    this.body = body;
    this.block = block;
    this.round = round;
    this.hide = hide;
  }

  /** Computed on demand: most slots are never looked up by id. */
  get id(): string {
    return this.nth === null ? messageId(this.seq) : insertId(this.seq, this.nth);
  }
}

/**
 * Of the operations of one entry only the last counts, however often its plan names the item. A new compaction also
 * ends every possible redo: the `inactive` ones never decide again.
 */
export function addHide(slot: Slot, hide: Hide, inactive: ReadonlySet<number>): void {
  let earlier = slot.hide;
  while (earlier && (earlier.seq === hide.seq || inactive.has(earlier.seq))) earlier = earlier.earlier;
  slot.hide = earlier ? { ...hide, earlier } : hide;
}

/** The state of a slot, for a person or a tool to read: slots never leave. */
export interface SlotState {
  readonly id: string;
  readonly message: Message;
  readonly tokens: number;
  /** Tokens that it had in the context when the compaction `seq` was made; `tokens` where that is no longer known. */
  readonly tokensBefore: (seq: number) => number;
  /** `seq` of the compaction that decides it; null where none does, or it is no longer known. */
  readonly by: number | null;
  readonly shown: 'whole' | 'replaced' | 'dropped' | 'absent';
  /** Replaced by a stub, not merely shortened. */
  readonly hidden: boolean;
}

/** The item that the slot shows; null when it shows nothing. `inactive` are the undone compactions. */
export function showSlot(slot: Slot, inactive: ReadonlySet<number>, pins: ReadonlySet<string>): ContextItem | null {
  const last = lastOp(slot, inactive);
  if (last?.op === 'drop' || isAbsent(slot, inactive)) return null;
  const { id, time } = slot.whole ?? { id: slot.id, time: Date.parse(slot.body.time) };
  const pinned = pins.has(id);
  if (!last && slot.whole?.pinned === pinned) return slot.whole;
  const { seq, block, round } = slot;
  const { message, tokens } = slot.body;
  const kind = kindOf(message);
  slot.whole = { id, kind, message, tokens, block, round, time, seq, pinned, hidden: false };
  if (!last) return slot.whole;
  const { by } = last;
  return { ...slot.whole, message: replaceBody(message, by), tokens: by.tokens, hidden: by.hidden ?? false };
}

export function describeSlot(slot: Slot, inactive: ReadonlySet<number>): SlotState {
  const last = lastOp(slot, inactive);
  const more = { by: last?.seq ?? null, tokensBefore: (seq: number) => tokensBefore(slot, seq, inactive) };
  if (isAbsent(slot, inactive)) return stateOf(slot.id, slot.body, 'absent', false, more);
  if (!last) return stateOf(slot.id, slot.body, 'whole', false, more);
  if (last.op === 'drop') return stateOf(slot.id, slot.body, 'dropped', false, more);
  return stateOf(slot.id, slot.body, 'replaced', last.by.hidden, more);
}

function tokensBefore({ hide: newest, mark, body }: Slot, seq: number, inactive: ReadonlySet<number>): number {
  let hide = newest;
  while (hide && (hide.seq >= seq || inactive.has(hide.seq))) hide = hide.earlier;
  const isExpanded = hide && mark?.op === 'show' && mark.seq > hide.seq && mark.seq < seq;
  return hide?.op === 'replace' && !isExpanded ? hide.by.tokens : body.tokens;
}

/** The body is read when `message` is first accessed. */
export function stateOf(
  id: string,
  body: Pick<SlotBody, 'message' | 'tokens'>,
  shown: SlotState['shown'],
  hidden = false,
  more: Pick<SlotState, 'by' | 'tokensBefore'> = { by: null, tokensBefore: () => body.tokens },
): SlotState {
  return {
    id,
    ...more,
    get message() {
      return body.message;
    },
    tokens: body.tokens,
    shown,
    hidden,
  };
}

/** True when an active compaction hides the slot, so that collapsing it would have an effect. */
export function isHideable(slot: Slot, inactive: ReadonlySet<number>): boolean {
  return newestActive(slot, inactive) !== null;
}

/** True for an insert of a compaction that is undone. */
export function isAbsent({ nth, seq }: Slot, inactive: ReadonlySet<number>): boolean {
  return nth !== null && inactive.has(seq);
}

/** The operation that hides the slot; null when it is shown whole. */
export function lastOp(slot: Slot, inactive: ReadonlySet<number>): Hide | null {
  const { mark } = slot;
  const hide = newestActive(slot, inactive);
  return hide && mark?.op === 'show' && mark.seq > hide.seq ? null : hide;
}

function newestActive(slot: Slot, inactive: ReadonlySet<number>): Hide | null {
  let { hide } = slot;
  while (hide && inactive.has(hide.seq)) hide = hide.earlier;
  return hide;
}

/** The message with its body replaced; ids, names and the number of calls stay. */
function replaceBody(whole: Message, by: Replacement): Message {
  const message = by.withoutAttachments ? withoutAttachments(whole) : whole;
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

function withoutAttachments(message: Message): Message {
  if (message.role === 'assistant') return message;
  const { attachments, ...rest } = message;
  return rest;
}
