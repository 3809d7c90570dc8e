/**
 * Folds a path of the entry tree into a context. What lies in the file is folded as far as it is visible; whoever asks
 * for more folds the whole path, with the same result.
 */

import { Projection } from '../context/projection.ts';
import type { PassedEntries, SnapshotSource } from '../context/snapshot.ts';
import type { TreeEntry } from './entry.ts';
import type { EntryTree } from './entryTree.ts';
import { planPath } from './planPath.ts';
import { type StoredEntries, StoredMessage, storedForFold } from './storedEntries.ts';

/** The context with the head at `head`. `movedBy` is the `seq` of the newest revert: a move begins a new epoch too. */
export function foldTree(tree: EntryTree, head: number | null, movedBy: number): Projection {
  const { stored } = tree;
  if (!stored) return Projection.of(wholePath(tree, head), movedBy);
  return Projection.of(shownPath(tree, head, stored), movedBy, sourceOf(tree, stored, head, movedBy));
}

/** Where a projection that knew only what was visible at the head `begun` finds the rest. */
export function sourceOf(
  tree: EntryTree,
  stored: StoredEntries,
  begun: number | null,
  movedBy: number,
): SnapshotSource {
  return {
    stored,
    begun,
    fold: (head) => Projection.of(wholePath(tree, head), movedBy),
    hiddenMessage: (id) => {
      const seq = /^m\d+$/.test(id) ? Number(id.slice(1)) : stored.count;
      const facts = seq < stored.count ? stored.facts(seq) : null;
      return facts?.type === 'message' && tree.isOnPath(seq, begun) ? new StoredMessage(seq, facts, stored) : null;
    },
  };
}

/** Entries as the fold needs them: stored messages stay unread. */
function* wholePath(tree: EntryTree, head: number | null): Generator<TreeEntry> {
  for (const seq of tree.pathTo(head)) {
    const entry = forFold(tree, seq);
    if (entry) yield entry;
  }
}

function forFold(tree: EntryTree, seq: number): TreeEntry | null {
  const { stored } = tree;
  const facts = stored && seq < stored.count ? stored.facts(seq) : null;
  return stored && facts ? storedForFold(seq, facts, stored) : tree.entry(seq);
}

/** The same without what changes nothing visible; runs of that are one step. */
function* shownPath(tree: EntryTree, head: number | null, stored: StoredEntries): Generator<TreeEntry | PassedEntries> {
  const path = tree.pathTo(head);
  const { matters, read } = planPath(path, tree);
  let passed: PassedEntries | null = null;
  for (const seq of path) {
    if (seq >= stored.count || matters(seq)) {
      if (passed) yield passed;
      passed = null;
      const entry = read.get(seq) ?? forFold(tree, seq);
      if (entry) yield entry;
      continue;
    }
    passed ??= { type: 'passed', seq, blocks: 0, rounds: 0 };
    passed.seq = seq;
    const kind = stored.kindOf(seq);
    if (kind === 'user') passed.rounds++;
    if (kind !== null && kind !== 'toolResult') passed.blocks++;
  }
  if (passed) yield passed;
}
