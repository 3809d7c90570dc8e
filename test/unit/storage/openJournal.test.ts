import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JournalError } from '../../../src/core/errors.ts';
import { encodeEntry } from '../../../src/core/journal/codec.ts';
import { type OpenedJournal, openJournal } from '../../../src/node/storage/journal/openJournal.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(async () => {
  for (const { journal } of opened.splice(0)) await journal.close();
  await rm(folder, { recursive: true, force: true });
});

const crypto = testCrypto();
const opened: OpenedJournal[] = [];

async function open(): Promise<OpenedJournal> {
  const journal = await openJournal({ path, id: 'test', clock: testClock(), crypto });
  opened.push(journal);
  return journal;
}

/** Lines of a session with four notes: `session`, then seq 1–4. */
async function lines(): Promise<string[]> {
  const { journal, store } = await memoryJournal();
  for (const text of ['eins', '二', 'three 🙂', 'vier']) await journal.append({ type: 'note', level: 'info', text });
  return [...store.lines];
}

const fileOf = (content: readonly string[]) => writeFile(path, content.map((line) => `${line}\n`).join(''));

const problem = async () => {
  try {
    await open();
    return 'opened';
  } catch (thrown) {
    if (!(thrown instanceof JournalError)) throw thrown;
    expect(thrown.message).toContain(path);
    return thrown.kind;
  }
};

describe('opening a journal', () => {
  it('gives back what was appended and goes on in the same file', { tags: ['M1'] }, async () => {
    await fileOf(await lines());
    const { journal, report } = await open();
    expect(journal.entries.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4]);
    expect(report).toMatchObject({ lines: 5, damaged: [], gaps: [], tornBytes: 0, format: 1, sessionLost: false });
    await journal.append({ type: 'note', level: 'info', text: 'fünf' });
    await journal.close();
    expect((await open()).journal.entries.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('loses nothing but the torn line, wherever the file was cut', async () => {
    const all = await lines();
    const whole = Buffer.from(all.map((line) => `${line}\n`).join(''));
    const ends = all.map((_, i) => Buffer.byteLength(all.slice(0, i + 1).join('\n')));
    // Every byte is the business of the faults gate; here every part of a line is cut once.
    for (let cut = (ends[0] ?? 0) + 1; cut <= whole.length; cut += 17) {
      await writeFile(path, whole.subarray(0, cut));
      await rm(`${path}.torn`, { force: true });
      const kept = ends.filter((end) => end <= cut).length;
      const { journal, report } = await open();
      expect([cut, journal.entries.length]).toEqual([cut, kept]);
      await journal.append({ type: 'note', level: 'info', text: 'next' });
      await journal.close();
      const again = await open();
      await again.journal.close();
      expect([cut, again.journal.entries.length, again.report.damaged, again.report.tornBytes]).toEqual([
        cut,
        kept + 1,
        [],
        0,
      ]);
      const torn = await readFile(`${path}.torn`).catch(() => Buffer.alloc(0));
      expect(torn.length).toBe(report.tornBytes > 0 ? report.tornBytes + 1 : 0);
    }
  });

  it('quarantines and counts damaged lines and loads the rest', async () => {
    const all = await lines();
    await fileOf(all.map((line, i) => (i === 2 ? line.replace('二', '三') : line)));
    const { journal, report } = await open();
    expect(journal.entries.map(({ seq }) => seq)).toEqual([0, 1, 3, 4]);
    expect(report.damaged).toMatchObject([{ line: 3, reason: 'badCrc' }]);
    expect(report.gaps).toEqual([{ from: 2, to: 2 }]);
  });

  it('reports doubled lines and uses the first', async () => {
    const all = await lines();
    await fileOf([...all, ...all.slice(3)]);
    const { journal, report } = await open();
    expect(journal.entries.length).toBe(5);
    expect(report.damaged.map(({ line, reason }) => [line, reason])).toEqual([
      [6, 'doubled'],
      [7, 'doubled'],
    ]);
  });

  it('loads the rest when the very first line is lost', async () => {
    await fileOf((await lines()).slice(1));
    const { journal, report } = await open();
    expect([journal.session.id, journal.entries.length, report.sessionLost]).toEqual(['test', 5, true]);
  });

  it('opens a journal of a newer format for reading only', async () => {
    const session = {
      seq: 0,
      time: 't',
      type: 'session',
      format: 2,
      id: 'x',
      workspace: null,
      engine: 'e',
      nonce: 'n',
    } as const;
    await fileOf([encodeEntry(session, crypto)]);
    const { journal } = await open();
    await expect(journal.append({ type: 'note', level: 'info', text: 'x' })).rejects.toThrow(
      'newer Palimpsest (format 2',
    );
  });

  it('reads lines longer than its chunks', async () => {
    const { journal, store } = await memoryJournal();
    await journal.append({ type: 'note', level: 'info', text: '長'.repeat(1_500_000) });
    await journal.append({ type: 'note', level: 'info', text: 'short' });
    await fileOf(store.lines);
    expect((await open()).journal.entries.length).toBe(3);
  });

  it('says what a file is that is no session, names it, and leaves it as it is', async () => {
    expect(await problem()).toBe('missing');
    await writeFile(path, '');
    expect(await problem()).toBe('empty');
    await writeFile(path, '{"role":"user","content":"hi"}\n{"role":"assistant"}\n');
    expect(await problem()).toBe('foreign');
    const garbage = Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 256));
    await writeFile(path, garbage);
    expect(await problem()).toBe('damaged');
    expect(await readFile(path)).toEqual(garbage);
    await rm(path);
    path = folder;
    expect(await problem()).toBe('foreign');
  });

  it.skipIf(process.getuid?.() === 0)('says that reading is not allowed', async () => {
    await fileOf(await lines());
    await chmod(path, 0o000);
    expect(await problem()).toBe('noPermission');
  });

  it.skipIf(process.getuid?.() === 0)('shows what it may not write', async () => {
    await fileOf(await lines());
    await chmod(path, 0o400);
    const { journal } = await open();
    expect(journal.entries.length).toBe(5);
    await expect(journal.append({ type: 'title', title: 'x' })).rejects.toThrow('Check the permissions');
  });

  it('does not write while only reading', async () => {
    await fileOf(await lines());
    await appendFile(path, '{"seq":5,"par');
    const before = await readFile(path);
    const readOnly = new JournalError('locked', path, 'Open in another window.');
    const { journal } = await openJournal({ path, id: 'test', clock: testClock(), crypto, readOnly });
    expect(journal.entries.length).toBe(5);
    await expect(journal.append({ type: 'title', title: 'x' })).rejects.toThrow('Open in another window.');
    expect(await readFile(path)).toEqual(before);
  });
});
