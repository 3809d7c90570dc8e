/** What a person or a forged journal may do to one item any number of times: the work is counted, never timed. */

import { describe, expect, it } from 'vitest';
import { Fold } from '../../../src/core/context/fold.ts';
import { showSlot } from '../../../src/core/context/slot.ts';
import { restoreFold, takeSnapshot } from '../../../src/core/context/snapshot.ts';
import type { CompactionEntry, Entry, PlanOp, TreeEntry } from '../../../src/core/journal/entry.ts';
import { factsOf, type StoredEntries } from '../../../src/core/journal/storedEntries.ts';

const time = '2026-01-01T12:00:00.000Z';

/** Entries that follow each other, from 1. */
function chain() {
  let seq = 0;
  const next = () => ({ seq: ++seq, parent: seq > 1 ? seq - 1 : null, time });
  return {
    message: (): TreeEntry => ({
      ...next(),
      type: 'message',
      message: { role: 'user', kind: 'user', text: 'x' },
      tokens: 1,
    }),
    compaction: (plan: readonly PlanOp[]): CompactionEntry => ({
      ...next(),
      type: 'compaction',
      base: seq - 1,
      plan,
      strategy: 's',
      trigger: 'manual',
      tokensBefore: 2,
      tokensAfter: 1,
      durationMs: 0,
      attempt: 1,
    }),
    undo: (target: number): TreeEntry => ({ ...next(), type: 'compactionUndone', target }),
    mark: (type: 'expanded' | 'collapsed'): TreeEntry => ({ ...next(), type, ids: ['m1'] }),
  };
}

const replace = (text: string): PlanOp => ({ op: 'replace', id: 'm1', by: { text, tokens: 1 } });

class CountedSet extends Set<number> {
  asked = 0;
  override has(value: number): boolean {
    this.asked++;
    return super.has(value);
  }
}

/** Folds the entries as a live view does, showing `m1` after each: how often an operation was looked at, what is kept. */
function follow(entries: Iterable<TreeEntry>) {
  const fold = new Fold();
  let asked = 0;
  for (const entry of entries) {
    fold.apply(entry);
    const slot = fold.slots.get('m1');
    if (!slot) throw new Error('The item is lost');
    const inactive = new CountedSet(fold.inactive);
    showSlot(slot, inactive, fold.pins);
    asked += inactive.asked;
  }
  const { whole, body, before, after, ...kept } = fold.slots.get('m1') ?? {};
  return { asked, kept: JSON.stringify(kept).length };
}

function* marked(times: number): Generator<TreeEntry> {
  const journal = chain();
  yield journal.message();
  yield journal.compaction([replace('short')]);
  for (let i = 0; i < times; i++) yield journal.mark(i % 3 ? 'collapsed' : 'expanded');
}

function* compactedAndUndone(times: number): Generator<TreeEntry> {
  const journal = chain();
  yield journal.message();
  for (let i = 0; i < times; i++) {
    const compaction = journal.compaction([replace('short')]);
    yield compaction;
    yield journal.undo(compaction.seq);
  }
}

describe('many operations on one item', () => {
  it.each([
    ['expanded and collapsed', marked],
    ['compacted and undone', compactedAndUndone],
  ])('%s: each costs the same, and what is kept does not grow', (_, entries) => {
    const [few, many] = [follow(entries(100)), follow(entries(1_000))];
    expect(many.asked / few.asked).toBeLessThan(11);
    expect(many.kept / few.kept).toBeLessThan(1.5);
  });
});

describe('a large plan', () => {
  it('is looked at once, however many of its operations are visible', () => {
    const looks = (count: number) => {
      let looked = 0;
      const counted = (op: PlanOp): PlanOp =>
        new Proxy(op, {
          get: (target, name) => {
            looked++;
            return Reflect.get(target, name);
          },
        });
      const journal = chain();
      const messages = Array.from({ length: count }, journal.message);
      const compaction = journal.compaction([
        ...messages.map(({ seq }): PlanOp => ({ op: 'replace', id: `m${seq}`, by: { text: `${seq}`, tokens: 1 } })),
        ...messages.map(
          (): PlanOp => ({ op: 'insert', message: { role: 'user', kind: 'summary', text: 'n' }, tokens: 1 }),
        ),
      ]);
      const all: Entry[] = [...messages, compaction];
      const snapshot = takeSnapshot(Fold.of(all as TreeEntry[]), []);
      const read = (seq: number): Entry | null => {
        const entry = all.find((each) => each.seq === seq) ?? null;
        return entry === compaction ? { ...compaction, plan: compaction.plan.map(counted) } : entry;
      };
      const facts = (seq: number) => {
        const entry = all[seq - 1];
        return entry ? factsOf(entry) : null;
      };
      const stored: StoredEntries = { count: all.length + 1, facts, read };
      const restored = restoreFold(snapshot, stored);
      const shown = [...restored.slots].map((slot) => showSlot(slot, restored.inactive, restored.pins)?.message.text);
      expect(shown).toEqual([...messages.map(({ seq }) => `${seq}`), ...messages.map(() => 'n')]);
      return looked;
    };
    expect(looks(400) / looks(100)).toBeLessThan(5);
  });
});
