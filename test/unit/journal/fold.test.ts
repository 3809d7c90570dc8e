import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import { entriesOf, memoryJournal, memoryStore, memoryStored } from '../../support/memoryStore.ts';
import { testCrypto } from '../../support/nodeCrypto.ts';
import { testClock } from '../../support/testClock.ts';
import { actions, perform } from './actions.ts';
import { pairingFault, type ReferenceItem, referenceView } from './reference.ts';

const viewOf = (journal: Journal): ReferenceItem[] =>
  journal.context.conversation.map(({ id, message, pinned, hidden }) => ({
    id,
    role: message.role,
    text: message.text,
    pinned,
    hidden,
  }));

describe('the fold, on random sessions', () => {
  it('equals the naive reference after every action, also when read back from its lines', async () => {
    await fc.assert(
      fc.asyncProperty(actions(40), fc.nat(39), async (steps, crashAt) => {
        let { journal, store } = await memoryJournal();
        for (const [i, step] of steps.entries()) {
          await perform(journal, step);
          expect(viewOf(journal)).toEqual(referenceView(store.lines));
          if (i === crashAt) ({ journal, store } = await memoryJournal({ lines: store.lines }));
        }
        const reopened = (await memoryJournal({ lines: store.lines })).journal;
        expect(reopened.context.conversation).toEqual(journal.context.conversation);
        expect([...reopened.context.slots()]).toEqual([...journal.context.slots()]);
        expect([reopened.head, reopened.context.epoch]).toEqual([journal.head, journal.context.epoch]);
      }),
      { numRuns: 300 },
    );
  });

  it('lowers to a valid sequence after every action', async () => {
    await fc.assert(
      fc.asyncProperty(actions(40), async (steps) => {
        const { journal } = await memoryJournal();
        for (const step of steps) {
          await perform(journal, step);
          expect(pairingFault(lowerContext(journal.context))).toBe(null);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('B1: undoing a compaction gives back exactly the view before it', async () => {
    await fc.assert(
      fc.asyncProperty(actions(30), fc.array(fc.nat(4), { minLength: 4, maxLength: 12 }), async (steps, choices) => {
        const { journal } = await memoryJournal();
        for (const step of steps) await perform(journal, step);
        const before = [...journal.context.conversation];
        const active = journal.context.activeCompactions.length;
        await perform(journal, { do: 'compact', choices });
        if (journal.context.activeCompactions.length > active) await perform(journal, { do: 'undo' });
        expect(journal.context.conversation).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  it('loads the rest when any one line is lost, and still lowers to a valid sequence', async () => {
    await fc.assert(
      fc.asyncProperty(actions(25), fc.nat(10_000), async (steps, at) => {
        const { journal, store } = await memoryJournal();
        for (const step of steps) await perform(journal, step);
        const lines = store.lines.toSpliced(1 + (at % Math.max(1, store.lines.length - 1)), 1);
        const reopened = (await memoryJournal({ lines })).journal;
        expect(pairingFault(lowerContext(reopened.context))).toBe(null);
        await perform(reopened, { do: 'user' });
        expect(reopened.context.conversation.at(-1)?.kind).toBe('user');
      }),
      { numRuns: 300 },
    );
  });

  it('goes on from a snapshot, or from facts alone, as from all entries', async () => {
    await fc.assert(
      fc.asyncProperty(actions(25), actions(25), actions(10), async (before, between, after) => {
        const { journal, store } = await memoryJournal();
        for (const step of before) await perform(journal, step);
        const snapshot = JSON.parse(JSON.stringify(journal.snapshot()));
        const count = journal.entries.length;
        for (const step of between) await perform(journal, step);
        const entries = entriesOf(store.lines);
        const ports = { store: memoryStore(store.lines), clock: testClock(), crypto: testCrypto() };
        const resumed = Journal.resume(snapshot, memoryStored(entries, count), entries.slice(count), ports);
        const scanned = Journal.scan(memoryStored(entries), { ...ports, store: memoryStore(store.lines) });
        for (const other of [resumed, scanned]) {
          expect(viewOf(other)).toEqual(viewOf(journal));
          expect(factsAbout(other)).toEqual(factsAbout(journal));
        }
        for (const step of after) {
          await perform(journal, step);
          await perform(resumed, step);
          await perform(scanned, step);
          expect(viewOf(resumed)).toEqual(viewOf(journal));
          expect(viewOf(scanned)).toEqual(viewOf(journal));
        }
        for (const other of [resumed, scanned]) {
          expect(factsAbout(other)).toEqual(factsAbout(journal));
          expect([...other.context.slots()]).toEqual([...journal.context.slots()]);
          expect(other.entries).toEqual(journal.entries);
          expect(other.path()).toEqual(journal.path());
        }
      }),
      { numRuns: 60 },
    );
  });

  it('reads only what is visible when it goes on from a snapshot', async () => {
    const { journal, store } = await memoryJournal();
    for (let i = 0; i < 200; i++) await perform(journal, { do: 'tools', count: 2 });
    await perform(journal, { do: 'compact', choices: [2] });
    await perform(journal, { do: 'user' });
    const stored = memoryStored(entriesOf(store.lines));
    const ports = { store, clock: testClock(), crypto: testCrypto() };
    const resumed = Journal.resume(journal.snapshot(), stored, [], ports);
    expect(viewOf(resumed)).toEqual(viewOf(journal));
    expect([...resumed.newest(3)].length).toBe(3);
    expect(stored.reads).toBeLessThan(8);
  });
});

const factsAbout = (journal: Journal) => ({
  head: journal.head,
  title: journal.title,
  session: journal.session,
  checkpoint: journal.nextCheckpointId,
  epoch: journal.context.epoch,
  usage: journal.context.lastUsage,
  header: journal.context.header,
  active: journal.context.activeCompactions.map(({ seq }) => seq),
  undone: journal.context.undoneCompactions.map(({ seq }) => seq),
  blocks: journal.context.conversation.map(({ block, round }) => [block, round]),
});
