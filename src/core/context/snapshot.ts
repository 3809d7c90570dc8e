/**
 * A fold in small: what is visible, by id, without bodies. It is derived and never trusted over the journal; it only says
 * where to look. A fold restored from it shows the same and goes on the same, and knows nothing of what is not visible.
 */

import { type CompactionEntry, messageSeq, type TreeEntry } from '../journal/entry.ts';
import { type StoredEntries, StoredMessage } from '../journal/storedEntries.ts';
import { Fold, type FoldedCompaction } from './fold.ts';
import type { Context } from './item.ts';
import { isAbsent, lastOp, Slot, type SlotOp } from './slot.ts';

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
  readonly header: number | null;
  readonly configured: number | null;
  readonly lastUsage: Context['lastUsage'];
  readonly block: number;
  readonly blocks: number;
  readonly round: number;
  readonly pins: readonly string[];
  readonly active: readonly number[];
  readonly undone: readonly number[];
  readonly slots: readonly VisibleSlot[];
}

export function takeSnapshot(fold: Fold, lastUsage: Context['lastUsage']): ContextSnapshot {
  const { head, shape, block, blocks, round } = fold;
  return {
    head,
    shape,
    header: fold.header?.seq ?? null,
    configured: fold.configured?.seq ?? null,
    lastUsage,
    block,
    blocks,
    round,
    pins: [...fold.pins],
    active: fold.active.map(({ seq }) => seq),
    undone: fold.undone.map(({ seq }) => seq),
    slots: [...fold.slots].flatMap((slot) => visible(slot, fold.inactive) ?? []),
  };
}

function visible(slot: Slot, inactive: ReadonlySet<number>): VisibleSlot | null {
  const last = lastOp(slot, inactive);
  if (last?.op === 'drop' || isAbsent(slot, inactive)) return null;
  const { id, block, round } = slot;
  return last ? { id, block, round, replacedBy: last.seq } : { id, block, round };
}

/** Reads the entries in force and what compactions show; messages are read when looked at. Throws when one is damaged. */
export function restoreFold(snapshot: ContextSnapshot, stored: StoredEntries): Fold {
  const fold = new Fold();
  fold.head = snapshot.head;
  fold.shape = snapshot.shape;
  fold.block = snapshot.block;
  fold.blocks = snapshot.blocks;
  fold.round = snapshot.round;
  fold.usage = snapshot.lastUsage ? [snapshot.lastUsage] : [];
  fold.header = readAs(stored, snapshot.header, 'header');
  fold.configured = readAs(stored, snapshot.configured, 'configured');
  const compactions = new Map<number, CompactionEntry>();
  const compaction = (seq: number): CompactionEntry => {
    const entry = compactions.get(seq) ?? readAs(stored, seq, 'compaction') ?? damagedCompaction(seq);
    compactions.set(seq, entry);
    return entry;
  };
  const folded = (seq: number): FoldedCompaction => ({
    seq,
    get entry() {
      return compaction(seq);
    },
    first: null,
  });
  for (const id of snapshot.pins) fold.pins.add(id);
  fold.active.push(...snapshot.active.map(folded));
  fold.undone.push(...snapshot.undone.map(folded));
  for (const slot of snapshot.slots) fold.slots.push(restoreSlot(slot, stored, compaction));
  return fold;
}

function restoreSlot(
  { id, block, round, replacedBy }: VisibleSlot,
  stored: StoredEntries,
  compaction: (seq: number) => CompactionEntry,
): Slot {
  let ops: SlotOp[] | undefined;
  if (replacedBy !== undefined) {
    const op = compaction(replacedBy).plan.find((each) => each.op === 'replace' && each.id === id);
    if (op?.op === 'replace') ops = [{ seq: replacedBy, op: 'replace', by: op.by }];
  }
  const [, inserting, nth] = /^c(\d+)\.(\d+)$/.exec(id) ?? [];
  if (inserting !== undefined) {
    const seq = Number(inserting);
    const { time, plan } = compaction(seq);
    const insert = plan.filter(({ op }) => op === 'insert')[Number(nth)];
    if (insert?.op !== 'insert') throw new Error(`The insert ${id} is damaged in the session file`);
    return new Slot(seq, Number(nth), { time, ...insert }, block, round, ops);
  }
  const seq = messageSeq(id);
  if (!stored.facts(seq)) throw new Error(`The message ${id} is damaged in the session file`);
  return new Slot(seq, null, new StoredMessage(seq, stored), block, round, ops);
}

function readAs<T extends TreeEntry['type']>(
  stored: StoredEntries,
  seq: number | null,
  type: T,
): Extract<TreeEntry, { type: T }> | null {
  const entry = seq === null ? null : stored.read(seq);
  return entry?.type === type ? (entry as Extract<TreeEntry, { type: T }>) : null;
}

/** Stands for a compaction whose line is damaged: somebody may still ask what is active. */
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
