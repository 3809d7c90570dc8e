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
  type MessageEntry,
  messageId,
  type TreeEntry,
  type UsageEntry,
} from '../journal/entry.ts';
import { StoredMessage } from '../journal/storedEntries.ts';
import { applyPlan, type Inserts, refusePlan } from './applyPlan.ts';
import { type Context, type ContextItem, kindOf } from './item.ts';
import { Places } from './places.ts';
import { describeSlot, isHideable, rememberSlot, showSlot } from './showSlot.ts';
import { addOp, type CompactionRef, factsOf, findTarget, NO_OPS, type Slot, type SlotFacts } from './slot.ts';
import { SlotList } from './slotList.ts';
import type { PassedEntries, ProjectionSnapshot, SnapshotSource } from './snapshot.ts';
import { StoredCompactions } from './storedCompactions.ts';

export class Projection implements Context {
  header: HeaderEntry | null = null;
  configured: ConfiguredEntry | null = null;
  epoch = -1;
  /** `seq` of the newest entry folded; null before the first. */
  head: number | null = null;
  /** Reports since the newest shape entry; read when asked for. */
  #usage: UsageEntry[] = [];
  #snapshotUsage: Context['lastUsage'] = null;
  #checkpoints: CheckpointEntry[] = [];
  #slots = new SlotList();
  #inactive = new Set<number>();
  #pins = new Set<string>();
  #stack: CompactionRef[] = [];
  #undone: CompactionRef[] = [];
  /** Restored from a snapshot, the projection knows the visible slots only; null when it knows them all. */
  #source: SnapshotSource | null = null;
  #view: ContextItem[] | null = [];
  #places = new Places();
  /** Newest shape entry of the path itself. */
  #shape = -1;

  /**
   * `movedBy` is the `seq` of the journal's newest revert: a move of the head begins a new epoch too. With `source`, what
   * is not visible may be passed over: whatever asks for it folds the whole path first, with the same result.
   */
  static of(path: Iterable<TreeEntry | PassedEntries>, movedBy = -1, source: SnapshotSource | null = null): Projection {
    const projection = new Projection();
    // The view is made once, at the end, when somebody looks: making it here would read every stored message.
    projection.#view = null;
    for (const entry of path) {
      if (entry.type !== 'passed') projection.apply(entry);
      else {
        projection.#places.pass(entry.blocks, entry.rounds);
        projection.head = entry.seq;
      }
    }
    projection.epoch = Math.max(projection.epoch, movedBy);
    projection.#source = source;
    return projection;
  }

  /** The context as a snapshot remembers it. Only what is visible is read; `source` knows the rest, as above. */
  static restore(snapshot: ProjectionSnapshot, source: SnapshotSource): Projection {
    const projection = new Projection();
    projection.#source = source;
    projection.head = snapshot.head;
    projection.epoch = snapshot.epoch;
    projection.#shape = snapshot.shape;
    projection.#snapshotUsage = snapshot.lastUsage;
    Object.assign(projection.#places, { block: snapshot.block, blocks: snapshot.blocks, round: snapshot.round });
    const header = snapshot.header === null ? null : source.stored.read(snapshot.header);
    if (header?.type === 'header') projection.header = header;
    const configured = snapshot.configured === null ? null : source.stored.read(snapshot.configured);
    if (configured?.type === 'configured') projection.configured = configured;
    for (const id of snapshot.pins) projection.#pins.add(id);
    const compactions = new StoredCompactions(source);
    projection.#stack = snapshot.stack.map((seq) => compactions.ref(seq));
    projection.#undone = snapshot.undone.map((seq) => compactions.ref(seq));
    for (const shown of snapshot.view) projection.#slots.push(compactions.slotOf(shown));
    projection.#view = null;
    return projection;
  }

  /** What `restore` needs to show the same context. */
  snapshot(): ProjectionSnapshot {
    const { head, epoch, lastUsage } = this;
    return {
      head,
      epoch,
      shape: this.#shape,
      lastUsage,
      header: this.header?.seq ?? null,
      configured: this.configured?.seq ?? null,
      block: this.#places.block,
      blocks: this.#places.blocks,
      round: this.#places.round,
      pins: [...this.#pins],
      stack: this.#stack.map(({ seq }) => seq),
      undone: this.#undone.map(({ seq }) => seq),
      view: [...this.#slots].flatMap((slot) => rememberSlot(slot, this.#inactive) ?? []),
    };
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
        if (!entry.ids.every((id) => this.#slots.has(id))) this.#deepen();
        const missing = entry.ids.find((id) => !this.#slots.has(id));
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
        this.#append(entry);
        break;
      case 'header':
        this.header = entry;
        break;
      case 'configured':
        this.configured = entry;
        break;
      case 'usage':
        this.#usage.push(entry);
        break;
      case 'checkpoint':
        this.#checkpoints.push(entry);
        break;
      case 'compaction':
        this.#compact(entry);
        break;
      case 'compactionUndone': {
        this.#deepenFor(entry.target);
        const [undone] = this.#stack.splice(findTarget(this.#stack, entry.target), 1);
        if (!undone) break;
        this.#inactive.add(undone.seq);
        this.#undone.push(undone);
        this.#refresh(this.#firstTouched(undone));
        break;
      }
      case 'compactionRedone': {
        this.#deepenFor(entry.target);
        const [redone] = this.#undone.splice(findTarget(this.#undone, entry.target), 1);
        if (!redone) break;
        this.#inactive.delete(redone.seq);
        this.#stack.push(redone);
        this.#refresh(this.#firstTouched(redone));
        break;
      }
      case 'expanded':
        this.#mark(entry.seq, entry.ids, 'show');
        break;
      case 'collapsed':
        this.#mark(entry.seq, entry.ids, 'collapse');
        break;
      case 'pinned':
        for (const id of entry.ids) this.#pins.add(id);
        this.#mark(entry.seq, entry.ids, 'show');
        break;
      case 'unpinned':
        for (const id of entry.ids) this.#pins.delete(id);
        this.#refreshItems(entry.ids);
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
      this.#usage = [];
      this.#snapshotUsage = null;
    }
    this.head = entry.seq;
  }

  /** Visible items in order. The same array object until something other than an append changes the view. */
  get conversation(): readonly ContextItem[] {
    this.#view ??= [...this.#slots].flatMap((slot) => this.#show(slot) ?? []);
    return this.#view;
  }

  get lastUsage(): Context['lastUsage'] {
    const entry = this.#usage.findLast(({ estimated }) => !estimated);
    return entry ? { usage: entry.usage, seq: entry.seq, model: entry.model } : this.#snapshotUsage;
  }

  /** True when a shape entry came after `base` on this path: a plan made at `base` no longer fits. */
  reshapedAfter(base: number): boolean {
    return this.#shape > base;
  }

  /** Checkpoints of the path, oldest first. */
  get checkpoints(): readonly CheckpointEntry[] {
    this.#deepen();
    return this.#checkpoints;
  }

  /** Active compactions, oldest first: undo takes the last. */
  get activeCompactions(): readonly CompactionEntry[] {
    return this.#stack.map(({ entry }) => entry);
  }

  /** Undone compactions that redo would bring back, the next one last. */
  get undoneCompactions(): readonly CompactionEntry[] {
    return this.#undone.map(({ entry }) => entry);
  }

  /** Every slot, hidden and dropped ones included, in order. */
  *slots(): Generator<SlotFacts> {
    this.#deepen();
    for (const slot of this.#slots) yield describeSlot(slot, this.#inactive);
  }

  /** One slot by item id, or null when the id is not on this path. */
  slot(id: string): SlotFacts | null {
    const slot = this.#slots.get(id);
    if (slot) return describeSlot(slot, this.#inactive);
    const hidden = this.#source?.hiddenMessage(id);
    if (hidden) return factsOf({ id, body: hidden, tokens: hidden.tokens }, 'dropped');
    this.#deepen();
    const deep = this.#slots.get(id);
    return deep ? describeSlot(deep, this.#inactive) : null;
  }

  /** Ids of all items of the tool block that `id` belongs to, in order. */
  blockOf(id: string): readonly string[] {
    this.#deepen();
    return this.#slots.blockOf(this.#slot(id)).map((slot) => slot.id);
  }

  /** True when an active compaction hides the item, so that collapsing it would have an effect. */
  canCollapse(id: string): boolean {
    this.#deepen();
    return isHideable(this.#slot(id), this.#inactive);
  }

  isPinned(id: string): boolean {
    return this.#pins.has(id);
  }

  #append(entry: MessageEntry): void {
    const { seq } = entry;
    // A stored message says its kind without being read.
    const stored = entry instanceof StoredMessage ? entry : null;
    const kind = stored?.kind ?? kindOf(entry.message);
    this.#places.add(kind);
    const { tokens } = entry;
    const slot: Slot = {
      id: messageId(seq),
      seq,
      time: stored?.ms ?? entry.time,
      block: this.#places.block,
      round: this.#places.round,
      by: null,
      body: entry,
      kind,
      tokens,
      ops: NO_OPS,
      before: null,
      after: null,
    };
    this.#slots.push(slot);
    const item = this.#view && this.#show(slot);
    if (item) this.#view?.push(item);
  }

  #compact(entry: CompactionEntry): void {
    const { seq } = entry;
    const inserts = applyPlan(entry, this.#slots, () => this.#places.nextBlock());
    this.#stack.push({ seq, entry });
    this.#undone.length = 0;
    if (this.#view) this.#view = this.#viewAfter(this.#view, inserts);
  }

  /** A plan names what was visible, so the new view follows from the old one and the inserts. */
  #viewAfter(view: readonly ContextItem[], inserts: Inserts): ContextItem[] {
    const after = (anchor: Slot | null) => (inserts.get(anchor) ?? []).flatMap((slot) => this.#show(slot) ?? []);
    const next = after(null);
    for (const { id } of view) {
      const slot = this.#slot(id);
      const item = this.#show(slot);
      if (item) next.push(item);
      next.push(...after(slot));
    }
    return next;
  }

  #planRefusal(entry: CompactionEntry): string | null {
    if (entry.base > (this.head ?? -1)) return `its base ${entry.base} is newer than the head ${this.head}`;
    if (this.reshapedAfter(entry.base)) {
      return `the context was reshaped by entry ${this.#shape} after its base ${entry.base}`;
    }
    return refusePlan(entry, this.conversation);
  }

  #mark(seq: number, ids: readonly string[], op: 'show' | 'collapse'): void {
    // Collapsing looks at all that was ever done to an item, and an item may be hidden since before the snapshot.
    if (op === 'collapse' || !ids.every((id) => this.#slots.has(id))) this.#deepen();
    for (const id of ids) {
      const slot = this.#slots.get(id);
      if (slot) addOp(slot, { seq, op });
    }
    this.#refreshItems(ids);
  }

  /** `ids` are those of a block, in order. */
  #refreshItems(ids: readonly string[]): void {
    const [first] = ids;
    if (first !== undefined) this.#refresh(this.#slots.get(first), ids);
  }

  /** The first slot that a compaction's plan put in or named: nothing before it looks different with or without it. */
  #firstTouched({ seq, entry }: CompactionRef): Slot | null {
    const [op] = entry.plan;
    if (!op) return null;
    return this.#slots.get(op.op === 'insert' ? insertId(seq, 0) : op.op === 'replace' ? op.id : (op.ids[0] ?? ''));
  }

  /** Makes the view anew from `slot` on, so that a change near the end costs the same in a session of any length. */
  #refresh(slot: Slot | null, ids: readonly string[] = []): void {
    const view = this.#view;
    this.#view = null;
    if (!view || !slot) return;
    const items: ContextItem[] = [];
    const passed = new Set<string>();
    for (let each: Slot | null = slot; each; each = each.after) {
      passed.add(each.id);
      const item = this.#show(each);
      if (item) items.push(item);
    }
    if (ids.every((id) => passed.has(id))) this.#view = [...view.filter(({ id }) => !passed.has(id)), ...items];
  }

  #slot(id: string): Slot {
    const slot = this.#slots.get(id);
    if (!slot) throw new Error(`No item ${id} on this path`);
    return slot;
  }

  #show(slot: Slot): ContextItem | null {
    return showSlot(slot, this.#inactive, this.#pins);
  }

  /** What a compaction did before the source was there may have been passed over. */
  #deepenFor(compaction: number): void {
    if (this.#source && compaction <= (this.#source.begun ?? -1)) this.#deepen();
  }

  /** Learns of every slot, by folding the whole path. What is visible stays as it is. */
  #deepen(): void {
    const source = this.#source;
    if (!source) return;
    this.#source = null;
    const deep = source.fold(this.head);
    this.#checkpoints = deep.#checkpoints;
    this.#slots = deep.#slots;
    this.#inactive = deep.#inactive;
    this.#stack = deep.#stack;
    this.#undone = deep.#undone;
    this.#places = deep.#places;
    this.#view = null;
  }
}
