/**
 * Folds a journal's path into the context: slots in append order, with the effects of compactions and of people's
 * marks, and the settings in force. Pure, so folding the same path twice gives the same result, and undoing a
 * compaction restores exactly what was shown before. It knows entries, not how they are stored.
 */

import {
  type AgentEntry,
  type CompactionEntry,
  type ConfiguredEntry,
  type HeaderEntry,
  type MessageEntry,
  messageSeq,
  type TreeEntry,
  type UsageEntry,
} from '../journal/entry.ts';
import { isShapeEntry } from '../journal/entryTypes.ts';
import { type ItemKind, kindOf } from './item.ts';
import { addHide, type Hide, Slot } from './slot.ts';

/** An entry of the path. A message may state its kind, so that its body need not be read. */
export type PathEntry = Exclude<TreeEntry, MessageEntry> | (MessageEntry & { readonly kind?: ItemKind });

/** A compaction of the path, active or undone. */
export interface FoldedCompaction {
  readonly seq: number;
  readonly entry: CompactionEntry;
  /**
   * The first slot that its plan inserted or named: every slot before it looks the same with and without the
   * compaction.
   */
  readonly first: Slot | null;
}

/** One without a count stands for an answer of which nothing was reported. */
export type FoldedUsage = Pick<UsageEntry, 'seq' | 'usage' | 'model' | 'estimated' | 'doubted'>;

export class Fold {
  /** `seq` of the newest entry folded; null before the first. */
  head: number | null = null;
  header: HeaderEntry | null = null;
  configured: ConfiguredEntry | null = null;
  agent: AgentEntry | null = null;
  /** `seq` of the newest shape entry; -1 when there is none. */
  shape = -1;
  /** The compaction that this entry made, undid or redid: its own counts say how large the context was then. */
  counted: number | null = null;
  /** Providers' reports since then. */
  usage: FoldedUsage[] = [];
  readonly slots = new SlotList();
  readonly pins = new Set<string>();
  /** Undone compactions, including those that redo can no longer restore. */
  readonly inactive = new Set<number>();
  /** By `seq`; undo takes the last. */
  readonly active = new Map<number, FoldedCompaction>();
  /** By `seq`; redo takes the last. */
  readonly undone = new Map<number, FoldedCompaction>();
  /** Block of the newest appended message: its results join it, whatever a compaction inserted meanwhile. */
  block = 0;
  blocks = 0;
  round = 0;

  static of(path: Iterable<PathEntry>): Fold {
    const fold = new Fold();
    for (const entry of path) fold.apply(entry);
    return fold;
  }

  /**
   * Folds the next entry of the path. Returns the first slot whose display may change, or null. References to entries
   * lost from a damaged file are skipped, because the rest must load.
   */
  apply(entry: PathEntry): Slot | null {
    this.head = entry.seq;
    if (isShapeEntry(entry)) {
      this.shape = entry.seq;
      this.counted = null;
      this.usage = [];
    }
    switch (entry.type) {
      case 'header':
        this.header = entry;
        return null;
      case 'configured':
        this.configured = entry;
        return null;
      case 'agent':
        this.agent = entry;
        return null;
      case 'usage':
        this.usage.push(entry);
        return null;
      case 'message':
        return this.#append(entry);
      case 'compaction':
        return this.#compact(entry);
      case 'compactionUndone':
        return this.#step(entry.target, this.active, this.undone);
      case 'compactionRedone':
        return this.#step(entry.target, this.undone, this.active);
      case 'expanded':
        return this.#mark(entry, 'show');
      case 'collapsed':
        return this.#mark(entry, 'collapse');
      case 'pinned':
        for (const id of entry.ids) this.pins.add(id);
        return this.#mark(entry, 'show');
      case 'unpinned':
        for (const id of entry.ids) this.pins.delete(id);
        return this.slots.get(entry.ids[0] ?? '');
      case 'withdrawn':
        return this.#withdraw(entry);
      default:
        return null;
    }
  }

  #append(entry: MessageEntry & { readonly kind?: ItemKind }): Slot {
    const kind = entry.kind ?? kindOf(entry.message);
    if (kind === 'user') this.round++;
    if (kind !== 'toolResult') this.block = ++this.blocks;
    return this.slots.push(new Slot(entry.seq, null, entry, this.block, this.round));
  }

  /** Items that the plan does not name stay unchanged. An insert follows the item that the plan names before it. */
  #compact(entry: CompactionEntry): Slot | null {
    const { seq, time } = entry;
    let first: Slot | null = null;
    let anchor: Slot | null = null;
    let inserted = 0;
    const drop: Hide = { seq, op: 'drop', earlier: null };
    for (const op of entry.plan) {
      if (op.op === 'insert') {
        const body = { time, tokens: op.tokens, message: op.message };
        const round: number = anchor?.round ?? 0;
        anchor = this.slots.insertAfter(new Slot(seq, inserted++, body, ++this.blocks, round), anchor);
        first ??= anchor;
        continue;
      }
      for (const id of op.op === 'replace' ? [op.id] : op.ids) {
        const slot = this.slots.get(id);
        if (!slot) continue;
        if (op.op === 'drop') addHide(slot, drop, this.inactive);
        else if (op.op === 'replace') addHide(slot, { seq, op: 'replace', by: op.by, earlier: null }, this.inactive);
        anchor = slot;
        first ??= slot;
      }
    }
    this.active.set(seq, { seq, entry, first });
    this.counted = seq;
    this.undone.clear();
    return first;
  }

  /** Undo and redo: moves the compaction between `active` and `undone`. */
  #step(target: number, from: Map<number, FoldedCompaction>, to: Map<number, FoldedCompaction>): Slot | null {
    const moved = from.get(target);
    if (!moved) return null;
    from.delete(target);
    to.set(target, moved);
    this.counted = target;
    if (to === this.undone) this.inactive.add(target);
    else this.inactive.delete(target);
    return moved.first;
  }

  /** Like a drop by a compaction, but no undo restores it. */
  #withdraw({ seq, ids }: { readonly seq: number; readonly ids: readonly string[] }): Slot | null {
    const drop: Hide = { seq, op: 'drop', earlier: null };
    let first: Slot | null = null;
    for (const id of ids) {
      const slot = this.slots.get(id);
      if (!slot) continue;
      addHide(slot, drop, this.inactive);
      first ??= slot;
    }
    return first;
  }

  #mark({ seq, ids }: { readonly seq: number; readonly ids: readonly string[] }, op: 'show' | 'collapse'): Slot | null {
    const mark = { seq, op };
    for (const id of ids) {
      const slot = this.slots.get(id);
      if (slot) slot.mark = mark;
    }
    return this.slots.get(ids[0] ?? '');
  }
}

/**
 * The conversation's slots in order. A slot is never moved or removed, and inserting takes constant time, so a
 * compaction costs time in proportion to its plan and not to the length of the session.
 */
class SlotList {
  /** Appended messages by `seq`: adding to this table costs the same at any length. */
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

  /** Slots of the same block, in order. Only items inserted by compactions lie between them. */
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
