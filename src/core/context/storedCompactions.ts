/** The compactions that a snapshot names, and the slots it shows: each entry is read from the file at most once. */

import type { CompactionEntry, Replacement } from '../journal/entry.ts';
import { StoredMessage } from '../journal/storedEntries.ts';
import { kindOf } from './item.ts';
import { type CompactionRef, NO_OPS, type Slot } from './slot.ts';
import type { ShownSlot, SnapshotSource } from './snapshot.ts';

export class StoredCompactions {
  readonly #source: SnapshotSource;
  readonly #read = new Map<number, CompactionEntry | null>();
  readonly #replacements = new Map<number, Map<string, Replacement>>();

  constructor(source: SnapshotSource) {
    this.#source = source;
  }

  ref(seq: number): CompactionRef {
    const read = () => this.#entry(seq) ?? damagedCompaction(seq);
    return {
      seq,
      get entry() {
        return read();
      },
    };
  }

  slotOf({ id, block, round, replacedBy }: ShownSlot): Slot {
    let ops = NO_OPS;
    const by = replacedBy === undefined ? undefined : this.#replacementsOf(replacedBy).get(id);
    if (by && replacedBy !== undefined) ops = [{ seq: replacedBy, op: 'replace', by }];
    const inserted = /^c(\d+)\.(\d+)$/.exec(id);
    if (inserted) {
      const seq = Number(inserted[1]);
      const entry = this.#entry(seq);
      const op = entry?.plan.filter((each) => each.op === 'insert')[Number(inserted[2])];
      if (!entry || !op) throw new Error(`The insert ${id} is damaged in the session file`);
      const { tokens, message } = op;
      return {
        id,
        seq,
        time: Date.parse(entry.time),
        block,
        round,
        by: seq,
        body: op,
        kind: kindOf(message),
        tokens,
        ops,
        before: null,
        after: null,
      };
    }
    const seq = Number(id.slice(1));
    const facts = this.#source.stored.facts(seq);
    if (!facts) throw new Error(`The message ${id} is damaged in the session file`);
    const body = new StoredMessage(seq, facts, this.#source.stored);
    return {
      id,
      seq,
      time: facts.time,
      block,
      round,
      by: null,
      body,
      kind: body.kind,
      tokens: facts.tokens,
      ops,
      before: null,
      after: null,
    };
  }

  #replacementsOf(seq: number): ReadonlyMap<string, Replacement> {
    let found = this.#replacements.get(seq);
    if (!found) {
      found = new Map();
      for (const op of this.#entry(seq)?.plan ?? []) if (op.op === 'replace') found.set(op.id, op.by);
      this.#replacements.set(seq, found);
    }
    return found;
  }

  #entry(seq: number): CompactionEntry | null {
    let entry = this.#read.get(seq);
    if (entry === undefined) {
      const read = this.#source.stored.read(seq);
      entry = read?.type === 'compaction' ? read : null;
      this.#read.set(seq, entry);
    }
    return entry;
  }
}

/** What stands for a compaction whose line is damaged: somebody may still ask what is active. */
function damagedCompaction(seq: number): CompactionEntry {
  const unknown = {
    strategy: 'damaged',
    trigger: 'damaged',
    tokensBefore: 0,
    tokensAfter: 0,
    durationMs: 0,
    attempt: 1,
  };
  return { seq, parent: null, time: '', type: 'compaction', base: seq, plan: [], ...unknown };
}
