import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/core/context/message.ts';
import { JournalError } from '../../../src/core/errors.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { testClock } from '../../support/ports/testClock.ts';

const note = (text: string) => ({ type: 'note', level: 'info', text }) as const;

describe('journal', () => {
  it('numbers, times and parents its entries, file entries having no parent', async () => {
    const clock = testClock();
    const { journal, store } = await memoryJournal({ clock });
    clock.advance(1_500);
    await journal.append(note('a'));
    await journal.append({ type: 'title', title: 'A title' });
    await journal.append(note('b'));
    expect(store.lines.slice(1).map((line) => line.slice(0, line.indexOf(',"crc"')))).toEqual([
      '{"seq":1,"parent":null,"time":"2026-01-01T12:00:01.500Z","type":"note","level":"info","text":"a"',
      '{"seq":2,"time":"2026-01-01T12:00:01.500Z","type":"title","title":"A title"',
      '{"seq":3,"parent":1,"time":"2026-01-01T12:00:01.500Z","type":"note","level":"info","text":"b"',
    ]);
    expect(journal.title).toBe('A title');
  });

  it('keeps an entry that could not be written and writes it before the next', async () => {
    const { journal, store } = await memoryJournal();
    store.failNext(1);
    await expect(journal.append(note('a'))).rejects.toThrow('The disk is full.');
    expect([journal.head, journal.unwritten, store.lines.length]).toEqual([1, 1, 1]);
    await journal.append(note('b'));
    expect([journal.head, journal.unwritten, store.lines.length]).toEqual([2, 0, 3]);
  });

  it('changes nothing when the store is read-only', async () => {
    const { journal, store } = await memoryJournal();
    store.setReadOnly(new JournalError('locked', 'memory', 'Open in another window.'));
    await expect(journal.append(note('a'))).rejects.toThrow('Open in another window.');
    expect([journal.head, journal.entries.length]).toEqual([null, 1]);
  });

  it.each([
    ['a size that is no number', { role: 'user', kind: 'user', text: 'x' }, Number.NaN],
    ['a message without a text', { role: 'assistant' }, 1],
    ['what JSON cannot hold', { role: 'user', kind: 'user', text: 'x', big: 1n }, 1],
  ])('changes nothing for an entry that could not be read back: %s', async (_what, message, tokens) => {
    const { journal, store } = await memoryJournal();
    const append = journal.append({ type: 'message', message: message as Message, tokens });
    await expect(append).rejects.toThrow();
    expect([journal.head, journal.nextSeq, journal.context.conversation, store.lines.length]).toEqual([null, 1, [], 1]);
  });

  it('never uses the id of a checkpoint twice, also after a revert and a reload', { tags: ['M2'] }, async () => {
    const { journal, store } = await memoryJournal();
    const checkpoint = () =>
      journal.append({ type: 'checkpoint', id: journal.nextCheckpointId, label: '', toldModel: false });
    const first = await checkpoint();
    await checkpoint();
    await journal.revert(first.seq, 'user');
    expect((await checkpoint()).id).toBe(2);
    expect((await memoryJournal({ lines: store.lines })).journal.nextCheckpointId).toBe(3);
  });

  it('tells listeners of each entry after it was folded', async () => {
    const { journal } = await memoryJournal();
    const heard: [Entry['type'], number | null][] = [];
    const stop = journal.listen((entry) => heard.push([entry.type, journal.context.head]));
    await journal.append(note('a'));
    await journal.revert(null, 'clear');
    stop();
    await journal.append(note('b'));
    expect(heard).toEqual([
      ['note', 1],
      ['revert', null],
    ]);
  });

  it('steps over lost entries to what stood before them', async () => {
    const { journal, store } = await memoryJournal();
    for (const text of ['a', 'b', 'c', 'd']) await journal.append(note(text));
    const lines = store.lines.filter((_, i) => i !== 2 && i !== 3);
    const reopened = (await memoryJournal({ lines })).journal;
    expect(reopened.path().map(({ seq }) => seq)).toEqual([1, 4]);
    await expect(reopened.revert(2, 'user')).rejects.toThrow('no entry 2 to go back to');
  });

  it('reads from either end, and gives the end of the path from a person’s message on', async () => {
    const { journal } = await memoryJournal();
    for (let turn = 0; turn < 5; turn++) {
      await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text: `${turn}` }, tokens: 1 });
      await journal.append({ type: 'message', message: { role: 'assistant', text: 'yes' }, tokens: 1 });
      await journal.append(note('done'));
    }
    expect([...journal.newest(2)].map(({ seq }) => seq)).toEqual([15, 14]);
    expect([...journal.oldest()].map(({ seq }) => seq).slice(0, 3)).toEqual([0, 1, 2]);
    const seqs = (count: number) => {
      const { entries, more } = journal.recentPath(count);
      return [entries.map(({ seq }) => seq), more];
    };
    expect(seqs(1)).toEqual([[13, 14, 15], true]);
    expect(seqs(4)).toEqual([[10, 11, 12, 13, 14, 15], true]);
    expect(seqs(15)).toEqual([Array.from({ length: 15 }, (_, i) => i + 1), false]);
    expect(seqs(99)[1]).toBe(false);
  });
});
