/**
 * What of a path the fold of a large session must look at to show the right thing: messages that no compaction dropped
 * for good, compactions and what was done to them, and what is in force. Passing over the rest changes nothing that is
 * visible; whoever asks for more folds the whole path. In doubt an entry is looked at.
 */

import { type CompactionEntry, type Entry, isShapeType, messageSeq, type TreeEntry } from './entry.ts';
import type { EntryTree } from './entryTree.ts';

export interface PathPlan {
  /** False for an entry that may be passed over. */
  matters(seq: number): boolean;
  /** Entries that were read to find out, by `seq`; null for a damaged one. */
  readonly read: ReadonlyMap<number, TreeEntry | null>;
}

const PASSED = 0;
const MESSAGE = 1;
const OTHER = 2;
const FORGOTTEN = 3;

/** `path` is one by number, root first. Reads compactions and what was done to them and to items, nothing else. */
export function planPath(path: readonly number[], tree: EntryTree): PathPlan {
  const read = new Map<number, TreeEntry | null>();
  const states = new Uint8Array(tree.nextSeq);
  const undone = new Set<number>();
  const kept = new Set<string>();
  const inForce = { header: -1, configured: -1 };
  let usage: number[] = [];
  for (const seq of path) {
    const type = tree.typeOf(seq);
    if (type === 'message') {
      states[seq] = MESSAGE;
      continue;
    }
    if (type === 'usage') usage.push(seq);
    else if (type === 'header' || type === 'configured') inForce[type] = seq;
    if (isShapeType(type)) usage = [];
    if (type === null || !READ_TYPES.has(type)) continue;
    states[seq] = OTHER;
    const entry = tree.entry(seq);
    read.set(seq, entry);
    if (entry?.type === 'compactionUndone') undone.add(entry.target);
    else if (entry && 'ids' in entry) for (const id of entry.ids) kept.add(id);
  }
  for (const seq of [inForce.header, inForce.configured, ...usage]) states[seq] = OTHER;
  const setMessage = (id: string, state: typeof MESSAGE | typeof FORGOTTEN) => {
    const seq = messageSeq(id);
    if (isMessage(states[seq])) states[seq] = state;
  };
  for (const entry of read.values()) {
    if (entry?.type !== 'compaction') continue;
    keepAnchors(entry, states, kept);
    for (const op of entry.plan) {
      if (op.op === 'replace') setMessage(op.id, MESSAGE);
      // What an undo takes back is not gone for good.
      else if (op.op === 'drop' && !undone.has(entry.seq)) for (const id of op.ids) setMessage(id, FORGOTTEN);
    }
  }
  for (const id of kept) setMessage(id, MESSAGE);
  return { read, matters: (seq) => states[seq] !== PASSED && states[seq] !== FORGOTTEN };
}

const READ_TYPES: ReadonlySet<string> = new Set<Entry['type']>([
  'compaction',
  'compactionUndone',
  'compactionRedone',
  'expanded',
  'collapsed',
  'pinned',
  'unpinned',
]);

/** An insert stands behind the nearest item named before it that is there: that one is a place, also when dropped. */
function keepAnchors({ plan }: CompactionEntry, states: Uint8Array, kept: Set<string>): void {
  plan.forEach((op, i) => {
    if (op.op !== 'insert') return;
    for (let before = i - 1; before >= 0; before--) {
      const named = plan[before];
      if (!named || named.op === 'insert') continue;
      const ids = named.op === 'replace' ? [named.id] : named.ids;
      const anchor = ids.findLast((id) => isMessage(states[messageSeq(id)]));
      if (anchor === undefined) continue;
      kept.add(anchor);
      break;
    }
  });
}

function isMessage(state: number | undefined): boolean {
  return state === MESSAGE || state === FORGOTTEN;
}
