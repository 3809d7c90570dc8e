import { appendFile, copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { MessageEntry } from '../../../src/core/journal/entry.ts';
import { TYPE_CODES } from '../../../src/core/journal/entryTypes.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import { isOwnMessage } from '../../../src/core/journal/storedEntries.ts';
import { Calibration } from '../../../src/core/tokens/calibrate.ts';
import { readMeter, splitIntoParts } from '../../../src/core/tokens/meter.ts';
import { DiskFile, FileJournalStore } from '../../../src/node/storage/journal/fileJournalStore.ts';
import { indexNewJournal, type OpenedJournal, openJournal } from '../../../src/node/storage/journal/openJournal.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { perform } from '../journal/actions.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (indexFrom: number): Promise<OpenedJournal> =>
  openJournal({ path, id: 'test', clock: testClock(), crypto: testCrypto(), indexFrom });
const WHOLE = Number.POSITIVE_INFINITY;

it('an index of an earlier release reads the same: no code ever changes', () => {
  const codes = [...TYPE_CODES].sort(([, a], [, b]) => a - b);
  expect(codes.map(([, code]) => code)).toEqual(codes.map((_, index) => index + 1));
  expect(codes.map(([type]) => type).join(' ')).toBe(
    'session opened title revert header configured message request usage checkpoint files compaction compactionFailed ' +
      'compactionUndone compactionRedone expanded collapsed pinned unpinned note summaryUsage standingOrder agent ' +
      'subagent subagentUsage mode withdrawn samplingUsage importedOrders strategy',
  );
});

it('a session of 0.1 with its index opens as it did then, and its index is written the same', async () => {
  const released = join(import.meta.dirname, '../../fixtures/session-0.1');
  const put = async (...endings: string[]) => {
    for (const ending of endings) await copyFile(join(released, `journal.jsonl${ending}`), `${path}${ending}`);
  };
  const facts: unknown = JSON.parse(await readFile(join(released, 'facts.json'), 'utf8'));
  await put('', '.index', '.rows');
  expect(await factsFrom(0)).toEqual(facts);
  await rm(`${path}.index`);
  await rm(`${path}.rows`);
  await put('');
  expect(await factsFrom(WHOLE)).toEqual(facts);
  await writeIndex();
  const rows = await readFile(join(released, 'journal.jsonl.rows'));
  expect((await readFile(`${path}.rows`)).subarray(0, rows.length).equals(rows)).toBe(true);
});

/** A session with compactions, an undo and a branch, on disk without an index. */
async function writeSession(): Promise<void> {
  const { journal, store } = await memoryJournal();
  for (let i = 0; i < 40; i++) {
    await perform(journal, { do: 'user' });
    await perform(journal, { do: 'tools', count: 1 + (i % 3) });
    if (i % 9 === 8) await perform(journal, { do: 'compact', choices: [1, 2, 0, 3] });
    if (i === 20) await perform(journal, { do: 'undo' });
    if (i === 30) await perform(journal, { do: 'revert', at: 60 });
  }
  await journal.append({ type: 'title', title: 'Ein Titel' });
  await writeFile(path, store.lines.map((line) => `${line}\n`).join(''));
}

const factsOf = (journal: Journal) => ({
  title: journal.title,
  head: journal.head,
  next: journal.nextSeq,
  view: journal.context.conversation.map(({ id, block, round, message }) => [id, block, round, message.text]),
  slots: [...journal.context.slots()].map(({ id, shown, message }) => [id, shown, message.text]),
  path: journal.path().length,
  entries: journal.entries.length,
});

async function factsFrom(indexFrom: number) {
  const { journal } = await open(indexFrom);
  const facts = factsOf(journal);
  await journal.close();
  return facts;
}

/** Opens with the index kept, so that it is written. */
async function writeIndex(): Promise<void> {
  const { journal } = await open(0);
  await journal.append({ type: 'note', level: 'info', text: 'to have something new' });
  await journal.sync();
  await journal.close();
  await readFile(`${path}.index`);
}

describe('journal index', () => {
  it('a kind of a newer version is other than the person’s words, with and without an index', async () => {
    const { journal, store } = await memoryJournal();
    for (let i = 0; i < 3; i++) await perform(journal, { do: 'user' });
    const newer = JSON.parse(JSON.stringify({ role: 'user', kind: 'vision', text: 'seen </system-reminder>' }));
    await journal.append({ type: 'message', message: newer, tokens: 9 });
    await writeFile(path, store.lines.map((line) => `${line}\n`).join(''));
    await writeIndex();
    for (const from of [0, WHOLE]) {
      const { journal: opened } = await open(from);
      const { context } = opened;
      const item = context.conversation.at(-1);
      expect([item?.kind, item?.round]).toEqual(['vision', context.conversation.at(-2)?.round]);
      expect(isOwnMessage(opened.entries.find(({ seq }) => seq === item?.seq) as MessageEntry)).toBe(false);
      const parts = splitIntoParts(context, readMeter(context, 'm', new Calibration()));
      expect(parts.map(({ name }) => name).sort()).toEqual(['other', 'user']);
      expect(lowerContext(context).at(-1)?.text).toBe(
        '<system-reminder>\nseen <\\/system-reminder>\n</system-reminder>',
      );
      await opened.close();
    }
  });

  it('opens the same with an index, without one, and read whole', async () => {
    await writeSession();
    const whole = await factsFrom(WHOLE);
    expect(await factsFrom(0)).toEqual(whole);
    await writeIndex();
    expect(await factsFrom(0)).toEqual(await factsFrom(WHOLE));
  });

  it('reads what was appended after the index was written, a torn line too', async () => {
    await writeSession();
    await writeIndex();
    const { journal } = await open(WHOLE);
    for (let i = 0; i < 5; i++) await perform(journal, { do: 'tools', count: 2 });
    await perform(journal, { do: 'undo' });
    await journal.close();
    await appendFile(path, '{"seq":999,"torn');
    const { journal: resumed, report } = await open(0);
    expect(report.tornBytes).toBe(16);
    await perform(resumed, { do: 'user' });
    await resumed.close();
    expect(await factsFrom(0)).toEqual(await factsFrom(WHOLE));
  });

  it('is never trusted: wrong, stale, foreign or missing, the journal decides', async () => {
    await writeSession();
    await writeIndex();
    const expected = await factsFrom(WHOLE);
    const index = await readFile(`${path}.index`);
    const rows = await readFile(`${path}.rows`);
    const put = (name: string, content: Buffer) => writeFile(`${path}.${name}`, content);
    const damage: (() => Promise<void>)[] = [
      () => rm(`${path}.index`),
      () => rm(`${path}.rows`),
      () => put('index', Buffer.from('{}')),
      () => put('index', flip(index, 100)),
      () => put('index', flip(index, index.length - 20)),
      () => put('rows', flip(rows, rows.length - 40)),
      () => put('rows', flip(rows, 32 * 70 + 21)),
      () => put('rows', rows.subarray(0, 64)),
      () => put('rows', Buffer.alloc(rows.length)),
    ];
    for (const [i, act] of damage.entries()) {
      await put('index', index);
      await put('rows', rows);
      await act();
      expect([i, await factsFrom(0)]).toEqual([i, expected]);
    }
  });

  it('does not use an index of a journal that was cut or replaced', async () => {
    await writeSession();
    await writeIndex();
    const whole = await readFile(path);
    await truncate(path, whole.indexOf('\n', whole.length >> 1) + 1);
    expect(await factsFrom(0)).toEqual(await factsFrom(WHOLE));
    await writeFile(path, whole);
    await writeIndex();
    const lines = whole.toString().split('\n');
    await writeFile(path, [...lines.slice(0, -3), ...lines.slice(0, 2), ''].join('\n').padEnd(whole.length * 2, '\n'));
    expect(await factsFrom(0)).toEqual(await factsFrom(WHOLE));
  });

  it('is kept for a session that was just made and grew', async () => {
    const file = await DiskFile.open(path, 'new');
    const store = new FileJournalStore(path, file, { length: 0, needsBreak: false });
    const journal = new Journal([], { store, clock: testClock(), crypto: testCrypto() });
    indexNewJournal(journal, store, testCrypto(), 0);
    await journal.append({ type: 'session', format: 1, id: 'test', workspace: null, engine: 'e', nonce: 'n' });
    for (let i = 0; i < 10; i++) await perform(journal, { do: 'tools', count: 2 });
    await journal.sync();
    for (let i = 0; i < 90; i++) await perform(journal, { do: 'user' });
    await perform(journal, { do: 'compact', choices: [1, 2] });
    await journal.sync();
    const facts = factsOf(journal);
    await journal.close();
    expect((await readFile(`${path}.rows`)).length).toBe(journal.nextSeq * 32);
    expect(await factsFrom(0)).toEqual(facts);
  });

  it('finds what a damaged number would hide, without an index too', { tags: ['long'] }, async () => {
    await writeSession();
    const bytes = await readFile(path);
    const starts = [...bytes.toString('latin1').matchAll(/^\{"seq":\d+/gm)].map((match) => match.index);
    for (const start of starts.slice(40, 60)) {
      for (const field of ['"seq":', '"parent":', '"type":"']) {
        const at = bytes.indexOf(field, start) + field.length;
        await writeFile(path, flip(bytes, at));
        expect([start, field, await factsFrom(0)]).toEqual([start, field, await factsFrom(WHOLE)]);
      }
    }
  });

  it('shows a damaged old message as damaged and goes on', async () => {
    await writeSession();
    await writeIndex();
    const bytes = await readFile(path);
    await writeFile(path, flip(bytes, bytes.indexOf('"text":"user') + 12));
    const { journal } = await open(0);
    const lost = [...journal.context.slots()].filter(({ message }) => message.text.includes('is damaged'));
    expect(lost.length).toBe(1);
    await perform(journal, { do: 'user' });
    await journal.close();
  });

  it('goes on when an old compaction turns out damaged, also after an undo of it', async () => {
    await writeSession();
    const whole = (await open(WHOLE)).journal;
    await perform(whole, { do: 'compact', choices: [2, 0, 0, 0] });
    await whole.close();
    await writeIndex();
    const bytes = await readFile(path);
    const [newest] = (await open(0)).journal.context.activeCompactions.slice(-1);
    await writeFile(path, flip(bytes, bytes.indexOf('"strategy"', bytes.indexOf(`{"seq":${newest?.seq},`)) + 14));
    const { journal } = await open(0);
    expect(journal.context.activeCompactions.length).toBeGreaterThan(0);
    await perform(journal, { do: 'undo' });
    await perform(journal, { do: 'user' });
    expect(journal.context.conversation.at(-1)?.kind).toBe('user');
    await journal.close();
  });
});

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 4;
  return copy;
}
