/**
 * A compact form of a fold: the visible items, by id, without bodies. It is derived and never trusted over the journal;
 * it only locates entries. A fold restored from it shows the same items and continues in the same way, but knows
 * nothing of invisible items.
 */

import { type CompactionEntry, messageSeq, type PlanOp, type Replacement, type TreeEntry } from '../journal/entry.ts';
import { type StoredEntries, StoredMessage } from '../journal/storedEntries.ts';
import { Fold, type FoldedCompaction } from './fold.ts';
import type { UsageReport } from './item.ts';
import { type Hide, isAbsent, lastOp, Slot } from './slot.ts';

interface VisibleSlot {
  readonly id: string;
  readonly block: number;
  readonly round: number;
  /** The compaction whose replacement is shown. */
  readonly replacedBy?: number;
}

/** Entries are named by their `seq`. */
export interface ContextSnapshot {
  readonly head: number | null;
  readonly shape: number;
  /** As in a fold; left out for none. */
  readonly counted?: number;
  readonly header: number | null;
  readonly configured: number | null;
  /** Left out where none was chosen. */
  readonly agent?: number;
  readonly lastUsage: UsageReport | null;
  /** As in a context; earlier versions stored only the last. */
  readonly reports?: readonly UsageReport[];
  readonly block: number;
  readonly blocks: number;
  readonly round: number;
  readonly pins: readonly string[];
  readonly active: readonly number[];
  readonly undone: readonly number[];
  readonly slots: readonly VisibleSlot[];
}

export function takeSnapshot(fold: Fold, reports: readonly UsageReport[]): ContextSnapshot {
  const { head, shape, block, blocks, round } = fold;
  return {
    head,
    shape,
    ...(fold.counted === null ? {} : { counted: fold.counted }),
    header: fold.header?.seq ?? null,
    configured: fold.configured?.seq ?? null,
    ...(fold.agent ? { agent: fold.agent.seq } : {}),
    lastUsage: reports.at(-1) ?? null,
    ...(reports.length > 1 ? { reports } : {}),
    block,
    blocks,
    round,
    pins: [...fold.pins],
    active: [...fold.active.keys()],
    undone: [...fold.undone.keys()],
    slots: [...fold.slots].flatMap((slot) => visible(slot, fold.inactive) ?? []),
  };
}

function visible(slot: Slot, inactive: ReadonlySet<number>): VisibleSlot | null {
  const last = lastOp(slot, inactive);
  if (last?.op === 'drop' || isAbsent(slot, inactive)) return null;
  const { id, block, round } = slot;
  return last ? { id, block, round, replacedBy: last.seq } : { id, block, round };
}

/**
 * Reads the entries in force and the replacements of compactions; messages are read on access. Throws when one is
 * damaged.
 */
export function restoreFold(snapshot: ContextSnapshot, stored: StoredEntries): Fold {
  const fold = new Fold();
  fold.head = snapshot.head;
  fold.shape = snapshot.shape;
  // Earlier versions stored none.
  fold.counted = snapshot.counted ?? (snapshot.active.includes(snapshot.shape) ? snapshot.shape : null);
  fold.block = snapshot.block;
  fold.blocks = snapshot.blocks;
  fold.round = snapshot.round;
  fold.usage = [...(snapshot.reports ?? (snapshot.lastUsage ? [snapshot.lastUsage] : []))];
  fold.header = readAs(stored, snapshot.header, 'header');
  fold.configured = readAs(stored, snapshot.configured, 'configured');
  fold.agent = readAs(stored, snapshot.agent ?? null, 'agent');
  const compactions = new Map<number, ReadCompaction>();
  const compaction = (seq: number): ReadCompaction => {
    const known = compactions.get(seq);
    if (known) return known;
    const read = readCompaction(readAs(stored, seq, 'compaction') ?? damagedCompaction(seq));
    compactions.set(seq, read);
    return read;
  };
  const folded = (seq: number): FoldedCompaction => ({
    seq,
    get entry() {
      return compaction(seq).entry;
    },
    first: null,
  });
  for (const id of snapshot.pins) fold.pins.add(id);
  for (const seq of snapshot.active) fold.active.set(seq, folded(seq));
  for (const seq of snapshot.undone) fold.undone.set(seq, folded(seq));
  for (const slot of snapshot.slots) fold.slots.push(restoreSlot(slot, stored, compaction));
  return fold;
}

/** A compaction with its plan indexed once: each slot that it shows looks up its own part. */
interface ReadCompaction {
  readonly entry: CompactionEntry;
  readonly inserts: readonly Extract<PlanOp, { op: 'insert' }>[];
  /** Of several for one item, the last. */
  readonly replacements: ReadonlyMap<string, Replacement>;
}

function readCompaction(entry: CompactionEntry): ReadCompaction {
  const inserts: Extract<PlanOp, { op: 'insert' }>[] = [];
  const replacements = new Map<string, Replacement>();
  for (const op of entry.plan) {
    if (op.op === 'insert') inserts.push(op);
    else if (op.op === 'replace') replacements.set(op.id, op.by);
  }
  return { entry, inserts, replacements };
}

function restoreSlot(
  { id, block, round, replacedBy }: VisibleSlot,
  stored: StoredEntries,
  compaction: (seq: number) => ReadCompaction,
): Slot {
  const by = replacedBy === undefined ? undefined : compaction(replacedBy).replacements.get(id);
  const hide: Hide | null =
    by && replacedBy !== undefined ? { seq: replacedBy, op: 'replace', by, earlier: null } : null;
  const [, inserting, nth] = /^c(\d+)\.(\d+)$/.exec(id) ?? [];
  if (inserting !== undefined) {
    const seq = Number(inserting);
    const { entry, inserts } = compaction(seq);
    const insert = inserts[Number(nth)];
    if (!insert) throw new Error(`The insert ${id} is damaged in the session file`);
    return new Slot(seq, Number(nth), { time: entry.time, ...insert }, block, round, hide);
  }
  const seq = messageSeq(id);
  if (!stored.facts(seq)) throw new Error(`The message ${id} is damaged in the session file`);
  return new Slot(seq, null, new StoredMessage(seq, stored), block, round, hide);
}

function readAs<T extends TreeEntry['type']>(
  stored: StoredEntries,
  seq: number | null,
  type: T,
): Extract<TreeEntry, { type: T }> | null {
  const entry = seq === null ? null : stored.read(seq);
  return entry?.type === type ? (entry as Extract<TreeEntry, { type: T }>) : null;
}

/** Stands in for a compaction whose line is damaged, because callers may still ask which compactions are active. */
function damagedCompaction(seq: number): CompactionEntry {
  const unknown = { strategy: 'damaged', trigger: 'damaged', tokensBefore: 0, tokensAfter: 0 };
  return {
    seq,
    parent: null,
    time: '',
    type: 'compaction',
    base: seq,
    plan: [],
    durationMs: 0,
    attempt: 1,
    ...unknown,
  };
}
