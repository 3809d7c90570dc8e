import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { Entry, EntryDraft, TreeEntry } from '../../../src/core/journal/entry.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import { entriesOf, memoryJournal, memoryStore, memoryStored } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { actions, perform } from './actions.ts';
import { pairingFault, type Reference, type ReferenceItem, referenceOf } from './reference.ts';

const viewOf = (journal: Journal): ReferenceItem[] =>
  journal.context.conversation.map(({ id, message, pinned, hidden }) => ({
    id,
    role: message.role,
    text: message.text,
    pinned,
    hidden,
  }));

/** What the formal model says of a journal. Asks for every slot, so a shallow context is not shallow afterwards. */
const modelled = (journal: Journal): Reference => {
  const { context } = journal;
  const view = viewOf(journal);
  const slots = [...context.slots()].map(({ id }) => id);
  return {
    view,
    slots,
    pins: slots.filter((id) => context.isPinned(id)),
    active: context.activeCompactions.map(({ seq }) => seq),
    undone: context.undoneCompactions.map(({ seq }) => seq),
  };
};

/** Every slot, with what it had taken when each compaction was made. */
const slotsOf = ({ context }: Journal) => {
  const compactions = [...context.activeCompactions, ...context.undoneCompactions];
  return [...context.slots()].map(({ tokensBefore, ...slot }) => ({
    ...slot,
    before: compactions.map(({ seq }) => tokensBefore(seq)),
  }));
};

const inOrder = (reference: Reference): Reference => ({
  ...reference,
  pins: reference.slots.filter((id) => reference.pins.includes(id)),
});

describe('the fold, on random sessions', { tags: ['long'] }, () => {
  it('equals the formal model after every action, also when read back from its lines', async () => {
    await fc.assert(
      fc.asyncProperty(actions(40), fc.nat(39), async (steps, crashAt) => {
        let { journal, store } = await memoryJournal();
        for (const [i, step] of steps.entries()) {
          await perform(journal, step);
          expect(modelled(journal)).toEqual(inOrder(referenceOf(store.lines)));
          if (i === crashAt) ({ journal, store } = await memoryJournal({ lines: store.lines }));
        }
        const reopened = (await memoryJournal({ lines: store.lines })).journal;
        expect(reopened.context.conversation).toEqual(journal.context.conversation);
        expect(slotsOf(reopened)).toEqual(slotsOf(journal));
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

  it('undoing a compaction gives back exactly the view before it', { tags: ['B1'] }, async () => {
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
        const scanned = Journal.scan(memoryStored(entriesOf(lines)), {
          store: memoryStore(lines),
          clock: testClock(),
          crypto: testCrypto(),
        });
        expect(viewOf(scanned)).toEqual(viewOf(reopened));
        expect(factsAbout(scanned)).toEqual(factsAbout(reopened));
        await perform(reopened, { do: 'user' });
        expect(reopened.context.conversation.at(-1)?.kind).toBe('user');
      }),
      { numRuns: 300 },
    );
  });

  it('shows the rest when the body of any one stored line is damaged, and still lowers to a valid sequence', async () => {
    await fc.assert(
      fc.asyncProperty(actions(25), fc.nat(10_000), async (steps, at) => {
        const { journal, store } = await memoryJournal();
        for (const step of steps) await perform(journal, step);
        const damaged = 1 + (at % Math.max(1, store.lines.length - 1));
        const sound = memoryStored(entriesOf(store.lines));
        const stored = { ...sound, read: (seq: number) => (seq === damaged ? null : sound.read(seq)) };
        const scanned = Journal.scan(stored, { store, clock: testClock(), crypto: testCrypto() });
        expect(pairingFault(lowerContext(scanned.context))).toBe(null);
        expect([...scanned.context.slots()].length).toBeGreaterThanOrEqual(scanned.context.conversation.length);
        await perform(scanned, { do: 'user' });
        expect(scanned.context.conversation.at(-1)?.kind).toBe('user');
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
          for (const { seq } of journal.path()) {
            expect(other.contextAt(seq).conversation).toEqual(journal.contextAt(seq).conversation);
          }
        }
        for (const step of after) {
          await perform(journal, step);
          await perform(resumed, step);
          await perform(scanned, step);
          const { view } = referenceOf(store.lines);
          for (const each of [journal, resumed, scanned]) expect(viewOf(each)).toEqual(view);
        }
        for (const other of [resumed, scanned]) {
          expect(factsAbout(other)).toEqual(factsAbout(journal));
          expect(modelled(other)).toEqual(inOrder(referenceOf(store.lines)));
          expect(slotsOf(other)).toEqual(slotsOf(journal));
          expect(other.entries).toEqual(journal.entries);
          expect(other.path()).toEqual(journal.path());
        }
      }),
      {
        numRuns: 100,
        // What was undone had dropped a message after the snapshot, on a branch folded later.
        examples: [
          [
            [{ do: 'user' }, { do: 'compact', choices: [0, 0, 0, 0] }],
            [{ do: 'revert', at: 0 }, { do: 'compact', choices: [2, 0, 0, 0] }, { do: 'reminder' }],
            [{ do: 'undo' }, { do: 'user' }],
          ],
        ],
      },
    );
  });

  it('equals the formal model after every entry when it began from a snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(actions(25), actions(25), async (before, after) => {
        const { journal, store } = await memoryJournal();
        for (const step of before) await perform(journal, step);
        const ports = { store: memoryStore(store.lines), clock: testClock(), crypto: testCrypto() };
        const resumed = Journal.resume(journal.snapshot(), memoryStored(entriesOf(store.lines)), [], ports);
        // A move of the head folds the whole path, and there would be no shallow context left to look at.
        for (const step of after.filter((each) => each.do !== 'revert')) {
          const known = store.lines.length;
          await perform(journal, step);
          // Appended as they are: choosing what to mark would ask for every slot.
          for (const { seq, time, parent, ...draft } of entriesOf(store.lines.slice(known)) as TreeEntry[]) {
            await resumed.append(draft as EntryDraft);
          }
          expect(viewOf(resumed)).toEqual(referenceOf(store.lines).view);
        }
        expect(modelled(resumed)).toEqual(inOrder(referenceOf(store.lines)));
        expect(slotsOf(resumed)).toEqual(slotsOf(journal));
      }),
      {
        numRuns: 300,
        // What a collapse takes back happened before the snapshot.
        examples: [
          [
            [
              { do: 'tools', count: 1 },
              { do: 'compact', choices: [1, 1, 1, 1] },
              { do: 'expand', at: 0 },
            ],
            [{ do: 'collapse', at: 0 }],
          ],
        ],
      },
    );
  });

  it('believes the newest plan, also one that names what was dropped, as another program may write', async () => {
    const { journal, store } = await memoryJournal();
    await perform(journal, { do: 'user' });
    const item = journal.context.conversation[0]?.id ?? '';
    const facts = { strategy: 's', trigger: 'manual', tokensBefore: 1, tokensAfter: 1, durationMs: 1, attempt: 1 };
    const base = journal.head ?? 0;
    await journal.append({ type: 'compaction', base, plan: [{ op: 'drop', ids: [item] }], ...facts });
    const plan = [{ op: 'replace', id: item, by: { text: 'short', tokens: 1 } }] as const;
    const forged = { seq: 3, parent: 2, time: '2026-01-01T00:00:00.000Z', type: 'compaction', base: 2, plan, ...facts };
    const entries = [...entriesOf(store.lines), forged as Entry];
    const ports = { store, clock: testClock(), crypto: testCrypto() };
    const scanned = Journal.scan(memoryStored(entries), ports);
    expect(viewOf(scanned)).toEqual(viewOf(new Journal(entries, ports)));
    expect(viewOf(scanned).map(({ text }) => text)).toEqual(['short']);
  });

  it('reads no message that was dropped when it knows facts alone', async () => {
    const { journal, store } = await memoryJournal();
    for (let i = 0; i < 100; i++) {
      await perform(journal, { do: 'tools', count: 2 });
      if (i % 20 === 19) await perform(journal, { do: 'compact', choices: [2, 2, 2, 2, 2, 2, 2, 2, 2, 3] });
    }
    const stored = memoryStored(entriesOf(store.lines));
    const scanned = Journal.scan(stored, { store, clock: testClock(), crypto: testCrypto() });
    expect(viewOf(scanned)).toEqual(viewOf(journal));
    // The session, five compactions and what is shown.
    expect(stored.reads).toBe(6 + viewOf(journal).filter(({ id }) => id.startsWith('m')).length);
    expect(slotsOf(scanned)).toEqual(slotsOf(journal));
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
  configured: journal.context.configured,
  active: journal.context.activeCompactions.map(({ seq }) => seq),
  undone: journal.context.undoneCompactions.map(({ seq }) => seq),
  blocks: journal.context.conversation.map(({ block, round }) => [block, round]),
});
