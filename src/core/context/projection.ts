/**
 * The context of a journal's path: the messages that the model is about to see, and what became of the others. It
 * answers from a fold of the path. That fold may be shallow, knowing only visible items; the first question or entry
 * that needs more replaces it by the whole fold, and the visible items stay the same.
 */

import type { AgentEntry, CompactionEntry, ConfiguredEntry, HeaderEntry, TreeEntry } from '../journal/entry.ts';
import { type Words, words } from '../words.ts';
import { Fold, type FoldedUsage, type PathEntry } from './fold.ts';
import type { Context, ContextItem, UsageReport } from './item.ts';
import { describeSlot, isHideable, type Slot, type SlotBody, type SlotState, showSlot, stateOf } from './slot.ts';
import { type ContextSnapshot, takeSnapshot } from './snapshot.ts';

/** A server that counts wrongly shows it within as many requests. */
const NEWEST_REPORTS = 15;

function reportOf(entry: FoldedUsage | undefined): readonly UsageReport[] {
  const usage = entry?.doubted ?? (entry?.estimated ? undefined : entry?.usage);
  return entry && usage ? [{ usage, seq: entry.seq, model: entry.model }] : [];
}

/** Gives a projection with a shallow fold the rest of its path. */
export interface WholePath {
  /** The fold of all entries up to `head`. */
  fold(head: number | null): Fold;
  /** A message from before the projection began; null for an unknown id. Its body is read on access. */
  message(id: string): Pick<SlotBody, 'message' | 'tokens'> | null;
}

export class Projection implements Context {
  #fold: Fold;
  /** Null when the fold is whole. */
  #whole: WholePath | null;
  /** The head when a shallow fold began: it does not know earlier entries. */
  readonly #begun: number | null;
  readonly #movedBy: number;
  /** Visible items; null until first used, because showing a stored message reads it. */
  #view: ContextItem[] | null = null;

  /** `movedBy` is the `seq` of the journal's newest revert: a move of the head begins a new epoch too. */
  constructor(fold = new Fold(), movedBy = -1, whole: WholePath | null = null) {
    this.#fold = fold;
    this.#begun = fold.head;
    this.#movedBy = movedBy;
    this.#whole = whole;
  }

  static of(path: Iterable<PathEntry>, movedBy = -1): Projection {
    return new Projection(Fold.of(path), movedBy);
  }

  /** Folds the next entry of the path. It never refuses: references to lost entries are skipped. */
  apply(entry: TreeEntry): void {
    if (!this.#covers(entry)) this.#deepen();
    const touched = this.#fold.apply(entry);
    if (touched && this.#view) this.#view = this.#viewFrom(touched, this.#view);
  }

  /** Why `entry` cannot come next, as a sentence; null when it can. Asked before an append. */
  refusalOf(entry: TreeEntry): Words | null {
    const { head } = this;
    if (entry.parent !== head) return words('it follows {0}, but the head is {1}', String(entry.parent), String(head));
    switch (entry.type) {
      case 'compaction':
        if (entry.base > (head ?? -1))
          return words('its base {0} is newer than the head {1}', entry.base, String(head));
        if (this.reshapedAfter(entry.base))
          return words('entry {0} reshaped the context after its base {1}', this.#fold.shape, entry.base);
        return refusePlan(entry, this.conversation);
      case 'compactionUndone':
        return newest(this.#fold.active) === entry.target
          ? null
          : words('compaction {0} is not the newest active one', entry.target);
      case 'compactionRedone':
        return newest(this.#fold.undone) === entry.target
          ? null
          : words('compaction {0} is not the one undone last', entry.target);
      case 'expanded':
      case 'collapsed':
      case 'pinned':
      case 'unpinned':
      case 'withdrawn': {
        const missing = entry.ids.find((id) => !this.slot(id));
        return missing === undefined ? null : words('there is no item {0} on this path', missing);
      }
      default:
        return null;
    }
  }

  /** `seq` of the newest entry folded; null before the first. */
  get head(): number | null {
    return this.#fold.head;
  }

  get header(): HeaderEntry | null {
    return this.#fold.header;
  }

  get configured(): ConfiguredEntry | null {
    return this.#fold.configured;
  }

  get agent(): AgentEntry | null {
    return this.#fold.agent;
  }

  get epoch(): number {
    return Math.max(this.#fold.shape, this.#movedBy);
  }

  /** Visible items in order. The same array object as long as items are only added at its end. */
  get conversation(): readonly ContextItem[] {
    this.#view ??= [...this.#fold.slots].flatMap((slot) => this.#show(slot) ?? []);
    return this.#view;
  }

  get lastUsage(): UsageReport | null {
    return this.reports.at(-1) ?? null;
  }

  get reports(): readonly UsageReport[] {
    const { usage } = this.#fold;
    const newest: UsageReport[] = [];
    for (let at = usage.length - 1; at > 0 && newest.length < NEWEST_REPORTS; at--) newest.push(...reportOf(usage[at]));
    for (const each of usage) {
      const [first] = reportOf(each);
      if (!first) continue;
      if (first.seq !== newest.at(-1)?.seq) newest.push(first);
      break;
    }
    return newest.reverse();
  }

  /** The newest answer since the context changed its shape, whether its provider counted or not. */
  get lastAnswer(): { readonly seq: number; readonly model: string } | null {
    return this.#fold.usage.at(-1) ?? null;
  }

  get compacted(): NonNullable<Context['compacted']> | null {
    const { active, undone, counted } = this.#fold;
    if (counted === null) return null;
    const made = active.get(counted);
    const entry = (made ?? undone.get(counted))?.entry;
    // Counts by another program are not used.
    if (!entry || entry.trigger === 'recorded') return null;
    // Only the newest is ever undone, so what follows it in the context came after it.
    return { tokens: made ? entry.tokensAfter : entry.tokensBefore, seq: counted };
  }

  /** True when a shape entry came after `base` on this path: a plan made at `base` no longer fits. */
  reshapedAfter(base: number): boolean {
    return this.#fold.shape > base;
  }

  /** Active compactions, oldest first: undo takes the last. */
  get activeCompactions(): readonly CompactionEntry[] {
    return [...this.#fold.active.values()].map(({ entry }) => entry);
  }

  /** The same, newest first, each read when reached. */
  *newestCompactions(): Generator<CompactionEntry> {
    for (const { entry } of [...this.#fold.active.values()].reverse()) yield entry;
  }

  /** The active compaction with this `seq`, or null. */
  activeCompaction(seq: number): CompactionEntry | null {
    return this.#fold.active.get(seq)?.entry ?? null;
  }

  /** Undone compactions that redo can restore, the next one last. */
  get undoneCompactions(): readonly CompactionEntry[] {
    return [...this.#fold.undone.values()].map(({ entry }) => entry);
  }

  isPinned(id: string): boolean {
    return this.#fold.pins.has(id);
  }

  /** Every slot, hidden and dropped ones included, in order. */
  *slots(): Generator<SlotState> {
    const { slots, inactive } = this.#deepen();
    for (const slot of slots) yield describeSlot(slot, inactive);
  }

  /** One slot by item id, or null when the id is not on this path. */
  slot(id: string): SlotState | null {
    const known = this.#fold.slots.get(id);
    if (known) return describeSlot(known, this.#fold.inactive);
    // A shallow fold knows every visible message, so a message that it does not know was dropped.
    const dropped = this.#whole?.message(id);
    if (dropped) return stateOf(id, dropped, 'dropped');
    const { slots, inactive } = this.#deepen();
    const slot = slots.get(id);
    return slot && describeSlot(slot, inactive);
  }

  /** Ids of all items of the tool block that `id` belongs to, in order. */
  blockOf(id: string): readonly string[] {
    const { slots } = this.#deepen();
    return slots.blockOf(this.#known(id)).map((slot) => slot.id);
  }

  /** True when an active compaction hides the item, so that collapsing it would have an effect. */
  canCollapse(id: string): boolean {
    const { inactive } = this.#deepen();
    return isHideable(this.#known(id), inactive);
  }

  /** The snapshot from which a shallow fold of the same context can be made. */
  snapshot(): ContextSnapshot {
    return takeSnapshot(this.#fold, this.reports);
  }

  /** False when folding the entry needs more than the items visible when the shallow fold began. */
  #covers(entry: TreeEntry): boolean {
    if (!this.#whole) return true;
    const { slots } = this.#fold;
    switch (entry.type) {
      case 'compactionUndone':
      case 'compactionRedone':
        return entry.target > (this.#begun ?? -1);
      case 'compaction':
        return entry.plan.every(
          (op) => op.op === 'insert' || (op.op === 'replace' ? [op.id] : op.ids).every((id) => slots.has(id)),
        );
      case 'expanded':
      case 'pinned':
      case 'unpinned':
      case 'withdrawn':
        return entry.ids.every((id) => slots.has(id));
      case 'collapsed':
        // It takes back marks made on an item at any time.
        return false;
      default:
        return true;
    }
  }

  /** Replaces a shallow fold by the whole one. */
  #deepen(): Fold {
    if (this.#whole) {
      this.#fold = this.#whole.fold(this.head);
      this.#whole = null;
      this.#view = null;
    }
    return this.#fold;
  }

  #known(id: string): Slot {
    const slot = this.#fold.slots.get(id);
    if (!slot) throw new Error(`No item ${id} on this path`);
    return slot;
  }

  #show(slot: Slot): ContextItem | null {
    return showSlot(slot, this.#fold.inactive, this.#fold.pins);
  }

  /** Rebuilds the view from slot `first` on, so that a change near the end costs the same at any length. */
  #viewFrom(first: Slot, view: ContextItem[]): ContextItem[] {
    const seen = new Set<string>();
    const items: ContextItem[] = [];
    for (let slot: Slot | null = first; slot; slot = slot.after) {
      // Items that were never shown are not in the view.
      if (slot.whole) seen.add(slot.whole.id);
      const item = this.#show(slot);
      if (item) items.push(item);
    }
    let kept = view.length;
    while (kept > 0 && seen.has(view[kept - 1]?.id ?? '')) kept--;
    if (kept < view.length) return view.slice(0, kept).concat(items);
    for (const item of items) view.push(item);
    return view;
  }
}

/** `seq` of the compaction that undo or redo would take. */
function newest(compactions: ReadonlyMap<number, unknown>): number | undefined {
  return [...compactions.keys()].at(-1);
}

/** Why the plan does not match the visible items, as a sentence; null when it does. */
function refusePlan({ plan }: CompactionEntry, visible: readonly ContextItem[]): Words | null {
  const order = new Map(visible.map(({ id }, at) => [id, at]));
  let last = -1;
  for (const op of plan) {
    if (op.op === 'insert') continue;
    for (const id of op.op === 'replace' ? [op.id] : op.ids) {
      const at = order.get(id);
      if (at === undefined) return words('its plan names {0}, which is not in the context', id);
      if (at <= last) return words('its plan names {0} out of order', id);
      last = at;
    }
  }
  return null;
}
