/**
 * The fold of a journal's path into the context (DESIGN §3). Slots stand in append order, never move and never leave;
 * what a slot shows is decided by the last of its operations whose compaction is active. Folding the same path twice
 * gives the same result, and undoing a compaction gives back exactly the view before it.
 */

import {
  type CheckpointEntry,
  type CompactionEntry,
  type ConfiguredEntry,
  type HeaderEntry,
  insertId,
  isShapeEntry,
  messageId,
  type Replacement,
  type TreeEntry,
} from '../journal/entry.ts';
import { type Context, type ContextItem, kindOf } from './item.ts';
import type { Message, Usage } from './message.ts';

type SlotOp =
  | { readonly seq: number; readonly op: 'drop' | 'show' | 'collapse' }
  | { readonly seq: number; readonly op: 'replace'; readonly by: Replacement };

interface Slot {
  readonly id: string;
  readonly seq: number;
  readonly time: number;
  readonly block: number;
  readonly round: number;
  /** The compaction that inserted it; null for an appended message. */
  readonly by: number | null;
  readonly message: Message;
  readonly tokens: number;
  readonly ops: SlotOp[];
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

export class Projection implements Context {
  header: HeaderEntry | null = null;
  configured: ConfiguredEntry | null = null;
  lastUsage: { readonly usage: Usage; readonly seq: number; readonly model: string } | null = null;
  epoch = -1;
  /** `seq` of the newest entry folded; null before the first. */
  head: number | null = null;
  readonly checkpoints: CheckpointEntry[] = [];
  #slots: Slot[] = [];
  readonly #slotById = new Map<string, Slot>();
  readonly #inactive = new Set<number>();
  readonly #pins = new Set<string>();
  readonly #stack: CompactionEntry[] = [];
  readonly #undone: CompactionEntry[] = [];
  #view: ContextItem[] | null = [];
  /** Block of the newest appended message: its results join it, whatever a compaction inserted meanwhile. */
  #block = 0;
  #blocks = 0;
  /** Newest shape entry of the path itself. */
  #shape = -1;
  #round = 0;

  /** `movedBy` is the `seq` of the journal's newest revert: a move of the head begins a new epoch too. */
  static of(path: Iterable<TreeEntry>, movedBy = -1): Projection {
    const projection = new Projection();
    for (const entry of path) projection.apply(entry);
    projection.epoch = Math.max(projection.epoch, movedBy);
    return projection;
  }

  /** Why `entry` cannot come next, in words; null when it can. Asked before an append: `apply` itself never refuses. */
  refusalOf(entry: TreeEntry): string | null {
    if (entry.parent !== this.head) return `it follows ${entry.parent}, but the head is ${this.head}`;
    switch (entry.type) {
      case 'compaction':
        return this.#planRefusal(entry);
      case 'compactionUndone':
        return this.#stack.at(-1)?.seq === entry.target
          ? null
          : `compaction ${entry.target} is not the newest active one`;
      case 'compactionRedone':
        return this.#undone.at(-1)?.seq === entry.target
          ? null
          : `compaction ${entry.target} is not the one undone last`;
      case 'expanded':
      case 'collapsed':
      case 'pinned':
      case 'unpinned': {
        const missing = entry.ids.find((id) => !this.#slotById.has(id));
        return missing === undefined ? null : `no item ${missing} on this path`;
      }
      default:
        return null;
    }
  }

  /**
   * Folds the next entry of the path. What names something that a damaged file lost is skipped: the rest must load.
   */
  apply(entry: TreeEntry): void {
    switch (entry.type) {
      case 'message':
        this.#append(entry.seq, Date.parse(entry.time), entry.message, entry.tokens);
        break;
      case 'header':
        this.header = entry;
        break;
      case 'configured':
        this.configured = entry;
        break;
      case 'usage':
        if (!entry.estimated) this.lastUsage = { usage: entry.usage, seq: entry.seq, model: entry.model };
        break;
      case 'checkpoint':
        this.checkpoints.push(entry);
        break;
      case 'compaction':
        this.#compact(entry);
        break;
      case 'compactionUndone': {
        const [undone] = this.#stack.splice(findTarget(this.#stack, entry.target), 1);
        if (!undone) break;
        this.#inactive.add(undone.seq);
        this.#undone.push(undone);
        this.#view = null;
        break;
      }
      case 'compactionRedone': {
        const [redone] = this.#undone.splice(findTarget(this.#undone, entry.target), 1);
        if (!redone) break;
        this.#inactive.delete(redone.seq);
        this.#stack.push(redone);
        this.#view = null;
        break;
      }
      case 'expanded':
        this.#mark(entry.seq, entry.ids, 'show');
        break;
      case 'collapsed':
        this.#mark(entry.seq, entry.ids, 'collapse');
        break;
      case 'pinned':
        this.#mark(entry.seq, entry.ids, 'show');
        for (const id of entry.ids) this.#pins.add(id);
        break;
      case 'unpinned':
        for (const id of entry.ids) this.#pins.delete(id);
        this.#view = null;
        break;
      case 'request':
      case 'files':
      case 'compactionFailed':
      case 'note':
        break;
    }
    if (isShapeEntry(entry)) {
      this.epoch = entry.seq;
      this.#shape = entry.seq;
      this.lastUsage = null;
    }
    this.head = entry.seq;
  }

  /** Visible items in order. The same array object until something other than an append changes the view. */
  get conversation(): readonly ContextItem[] {
    this.#view ??= this.#slots.flatMap((slot) => this.#show(slot) ?? []);
    return this.#view;
  }

  /** True when a shape entry came after `base` on this path: a plan made at `base` no longer fits. */
  reshapedAfter(base: number): boolean {
    return this.#shape > base;
  }

  /** Active compactions, oldest first: undo takes the last. */
  get activeCompactions(): readonly CompactionEntry[] {
    return this.#stack;
  }

  /** Undone compactions that redo would bring back, the next one last. */
  get undoneCompactions(): readonly CompactionEntry[] {
    return this.#undone;
  }

  /** Every slot, hidden and dropped ones included, in order. */
  *slots(): Generator<SlotFacts> {
    for (const slot of this.#slots) yield this.#facts(slot);
  }

  /** One slot by item id, or null when the id is not on this path. */
  slot(id: string): SlotFacts | null {
    const slot = this.#slotById.get(id);
    return slot ? this.#facts(slot) : null;
  }

  /** Ids of all items of the tool block that `id` belongs to, in order. */
  blockOf(id: string): readonly string[] {
    const { block } = this.#slot(id);
    return this.#slots.filter((slot) => slot.block === block).map((slot) => slot.id);
  }

  /** True when an active compaction hides the item, so that collapsing it would have an effect. */
  canCollapse(id: string): boolean {
    const slot = this.#slot(id);
    return slot.ops.some(({ seq, op }) => (op === 'drop' || op === 'replace') && !this.#inactive.has(seq));
  }

  isPinned(id: string): boolean {
    return this.#pins.has(id);
  }

  #append(seq: number, time: number, message: Message, tokens: number): void {
    if (message.role === 'user' && message.kind === 'user') this.#round++;
    if (message.role !== 'tool') this.#block = ++this.#blocks;
    const slot: Slot = {
      id: messageId(seq),
      seq,
      time,
      block: this.#block,
      round: this.#round,
      by: null,
      message,
      tokens,
      ops: [],
    };
    this.#slots.push(slot);
    this.#slotById.set(slot.id, slot);
    const item = this.#view && this.#show(slot);
    if (item) this.#view?.push(item);
  }

  #compact(entry: CompactionEntry): void {
    const inserts = new Map<number, Slot[]>();
    let at = -1;
    let inserted = 0;
    for (const op of entry.plan) {
      switch (op.op) {
        case 'keep':
        case 'drop':
          for (const id of op.ids) {
            const slot = this.#slotById.get(id);
            if (!slot) continue;
            at = this.#indexAfter(slot, at);
            if (op.op === 'drop') slot.ops.push({ seq: entry.seq, op: 'drop' });
          }
          break;
        case 'replace': {
          const slot = this.#slotById.get(op.id);
          if (!slot) continue;
          at = this.#indexAfter(slot, at);
          slot.ops.push({ seq: entry.seq, op: 'replace', by: op.by });
          break;
        }
        case 'insert': {
          const slot: Slot = {
            id: insertId(entry.seq, inserted++),
            seq: entry.seq,
            time: Date.parse(entry.time),
            block: ++this.#blocks,
            round: this.#slots[at]?.round ?? 0,
            by: entry.seq,
            message: op.message,
            tokens: op.tokens,
            ops: [],
          };
          const here = inserts.get(at);
          if (here) here.push(slot);
          else inserts.set(at, [slot]);
          this.#slotById.set(slot.id, slot);
          break;
        }
      }
    }
    if (inserts.size > 0) this.#splice(inserts);
    this.#stack.push(entry);
    this.#undone.length = 0;
    this.#view = null;
  }

  /** Puts the inserts behind the slots whose index they are listed under, in one pass; -1 is the front. */
  #splice(inserts: ReadonlyMap<number, readonly Slot[]>): void {
    const slots = [...(inserts.get(-1) ?? [])];
    this.#slots.forEach((slot, i) => {
      slots.push(slot, ...(inserts.get(i) ?? []));
    });
    this.#slots = slots;
  }

  /** Plans name items in order, so the search goes on from the item named before. */
  #indexAfter(slot: Slot, at: number): number {
    const index = this.#slots.indexOf(slot, at + 1);
    return index < 0 ? at : index;
  }

  #planRefusal(entry: CompactionEntry): string | null {
    if (entry.base > (this.head ?? -1)) return `its base ${entry.base} is newer than the head ${this.head}`;
    if (this.#shape > entry.base)
      return `the context was reshaped by entry ${this.#shape} after its base ${entry.base}`;
    let at = -1;
    for (const op of entry.plan) {
      if (op.op === 'insert') continue;
      for (const id of op.op === 'replace' ? [op.id] : op.ids) {
        const slot = this.#slotById.get(id);
        if (!slot) return `its plan names ${id}, which is not on this path`;
        const index = this.#slots.indexOf(slot, at + 1);
        if (index < 0) return `its plan names ${id} out of order`;
        at = index;
      }
    }
    return null;
  }

  #mark(seq: number, ids: readonly string[], op: 'show' | 'collapse'): void {
    for (const id of ids) this.#slotById.get(id)?.ops.push({ seq, op });
    this.#view = null;
  }

  #slot(id: string): Slot {
    const slot = this.#slotById.get(id);
    if (!slot) throw new Error(`No item ${id} on this path`);
    return slot;
  }

  /** The operation that decides what the slot shows: null is "whole". */
  #decisive(slot: Slot): SlotOp | null {
    let collapsed = false;
    for (let i = slot.ops.length - 1; i >= 0; i--) {
      const op = slot.ops[i];
      if (!op || this.#inactive.has(op.seq)) continue;
      if (op.op === 'collapse') collapsed = true;
      else if (op.op !== 'show') return op;
      else if (!collapsed) return null;
    }
    return null;
  }

  #show(slot: Slot): ContextItem | null {
    if (slot.by !== null && this.#inactive.has(slot.by)) return null;
    const op = this.#decisive(slot);
    if (op?.op === 'drop') return null;
    const by = op?.op === 'replace' ? op.by : null;
    const message = by ? replaceBody(slot.message, by) : slot.message;
    return {
      id: slot.id,
      kind: kindOf(message),
      message,
      tokens: by?.tokens ?? slot.tokens,
      block: slot.block,
      round: slot.round,
      time: slot.time,
      seq: slot.seq,
      pinned: this.#pins.has(slot.id),
      hidden: by?.hidden ?? false,
    };
  }

  #facts(slot: Slot): SlotFacts {
    const { id, message, tokens } = slot;
    if (slot.by !== null && this.#inactive.has(slot.by)) return { id, message, tokens, shown: 'absent', hidden: false };
    const op = this.#decisive(slot);
    const shown = op === null ? 'whole' : op.op === 'drop' ? 'dropped' : 'replaced';
    return { id, message, tokens, shown, hidden: op?.op === 'replace' && (op.by.hidden ?? false) };
  }
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

/** Index to splice at; past the end when a damaged file lost the compaction. */
function findTarget(stack: readonly CompactionEntry[], target: number): number {
  const index = stack.findLastIndex(({ seq }) => seq === target);
  return index < 0 ? stack.length : index;
}
