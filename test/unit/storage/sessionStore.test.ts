import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../src/core/context/message.ts';
import { JournalError } from '../../../src/core/errors.ts';
import { inEnglish, words } from '../../../src/core/words.ts';
import {
  listPointers,
  normaliseStorage,
  rememberSessions,
  sessionsFolder,
} from '../../../src/node/storage/sessions/pointerIndex.ts';
import { SessionStore, searchSessions } from '../../../src/node/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function storeOf(clock = testClock()): SessionStore {
  return new SessionStore({
    folder: join(folder, 'sessions'),
    workspace: '/home/dev/app',
    engine: 'palimpsest/test',
    clock,
    crypto: testCrypto(),
  });
}

const user = (text: string) => ({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 1 }) as const;

describe('session store', () => {
  it('creates, reopens and lists sessions, newest first', async () => {
    const clock = testClock();
    const store = storeOf(clock);
    const first = await store.create();
    await first.journal.append(user('Fix the retry loop\nand more'));
    clock.advance(60_000);
    const second = await store.create();
    await second.journal.append(user('x'));
    await second.journal.append({ type: 'title', title: 'Second' });
    await Promise.all([first.journal.close(), second.journal.close()]);
    expect(
      (await store.list()).map(({ title, messages, time, problem }) => ({ title, messages, time, problem })),
    ).toEqual([
      { title: 'Second', messages: 1, time: clock.now(), problem: null },
      { title: 'Fix the retry loop', messages: 1, time: clock.now() - 60_000, problem: null },
    ]);
    const again = await store.open(first.id);
    expect(again.journal.session).toMatchObject({ id: first.id, workspace: '/home/dev/app', format: 1 });
    await again.journal.append(user('go on'));
    await again.journal.close();
    expect((await store.list()).map(({ messages }) => messages)).toEqual([2, 1]);
  });

  it('counts as messages what people said to each other', async () => {
    const store = storeOf();
    const { journal } = await store.create();
    const calls = [{ id: 'c1', name: 'read_file', arguments: '{}' }];
    const messages: readonly Message[] = [
      { role: 'user', kind: 'user', text: 'Look' },
      { role: 'user', kind: 'reminder', text: 'The mode is act.' },
      { role: 'assistant', text: '', toolCalls: calls },
      { role: 'tool', toolCallId: 'c1', toolName: 'read_file', text: 'text' },
      { role: 'assistant', text: '"Quoted" it is.' },
      { role: 'user', kind: 'user', text: '' },
    ];
    for (const message of messages) await journal.append({ type: 'message', message, tokens: 1 });
    await journal.close();
    expect((await store.list()).map((each) => each.messages)).toEqual([3]);
  });

  it.skipIf(process.platform === 'win32')('keeps sessions from the other accounts of a machine', async () => {
    const { folder: session, journal } = await storeOf().create();
    await journal.close();
    const modes = await Promise.all(
      [session, join(session, 'journal.jsonl')].map(async (path) => (await stat(path)).mode),
    );
    expect(modes.map((mode) => mode & 0o077)).toEqual([0, 0]);
  });

  it('leaves nothing behind when the first line of a session cannot be written', async () => {
    const store = storeOf();
    const full = new JournalError('diskFull', 'journal', 'The disk is full.');
    await expect(store.create({}, { guard: async () => full })).rejects.toBe(full);
    expect([await store.list(), await readdir(join(folder, 'sessions'))]).toEqual([[], []]);
  });

  it('lists the same without, with a wrong and with a damaged summary', async () => {
    const store = storeOf();
    const { id, journal } = await store.create();
    await journal.append(user('hello'));
    await journal.close();
    const expected = await store.list();
    const cache = join(store.folderOf(id), 'summary.json');
    for (const content of [
      '{',
      '{"version":2,"bytes":999999999,"title":"lie","firstMessage":"","time":1,"messages":7}',
      '[]',
    ]) {
      await writeFile(cache, content);
      expect(await store.list()).toEqual(expected);
    }
  });

  it('lists a session that cannot be read with its problem', async () => {
    const store = storeOf();
    const { id, journal } = await store.create();
    await journal.close();
    await writeFile(join(store.folderOf(id), 'journal.jsonl'), '');
    expect(await store.list()).toMatchObject([{ id, problem: words('The session file is empty.') }]);
    await rm(join(store.folderOf(id), 'journal.jsonl'));
    expect(inEnglish((await store.list())[0]?.problem ?? [])).toContain('it is not there');
  });

  it('loses nothing when its file is deleted while it is open', async () => {
    const store = storeOf();
    const { id, journal } = await store.create();
    await journal.append(user('before'));
    await rm(join(store.folderOf(id), 'journal.jsonl'));
    await journal.append(user('after'));
    await journal.close();
    const again = await store.open(id);
    expect(again.journal.context.conversation.map(({ message }) => message.text)).toEqual(['before', 'after']);
    await again.journal.close();
  });

  it('does not write over a file that took the name of a deleted one', async () => {
    const store = storeOf();
    const { id, journal } = await store.create();
    const path = join(store.folderOf(id), 'journal.jsonl');
    await rm(path);
    await writeFile(path, 'somebody else’s');
    await expect(journal.append(user('after'))).rejects.toThrow(path);
    expect([await readFile(path, 'utf8'), journal.unwritten]).toEqual(['somebody else’s', 1]);
    await rm(path);
    await journal.append(user('later'));
    await journal.close();
    expect((await store.list())[0]?.messages).toBe(2);
  });

  it('moves a deleted session to the trash', async () => {
    const store = storeOf();
    const { id, journal } = await store.create();
    await journal.close();
    const trashed = await store.remove(id);
    expect(await store.list()).toEqual([]);
    expect(await readdir(trashed)).toContain('journal.jsonl');
  });

  it('keeps bodies by their hash and gives back none that was changed', async () => {
    const { blobs, folder: session, journal } = await storeOf().create();
    await journal.close();
    const bytes = new TextEncoder().encode('a body');
    const name = await blobs.put(bytes);
    expect(await blobs.put(bytes)).toBe(name);
    expect(Buffer.from((await blobs.get(name)) ?? [])).toEqual(Buffer.from(bytes));
    expect(await blobs.get('0'.repeat(64))).toBe(null);
    const path = join(session, 'blobs', name.slice(0, 2), name.slice(2));
    expect(await readFile(path, 'utf8')).toBe('a body');
    await writeFile(path, 'another');
    expect(await blobs.get(name)).toBe(null);
  });

  it.each(['../x', '', 'A', 'a/b', '..'])('refuses the id %j', (id) => {
    expect(() => storeOf().folderOf(id)).toThrow('Not the id of a session');
  });
});

describe('storage path', () => {
  it.each([
    ['/u/workspaceStorage/4f2a9c-1/pub.ext', '/u/workspaceStorage/4f2a9c/pub.ext'],
    ['/u/workspaceStorage/4f2a9c-9/pub.ext', '/u/workspaceStorage/4f2a9c/pub.ext'],
    ['/u/workspaceStorage/-6b1f-2/pub.ext', '/u/workspaceStorage/-6b1f/pub.ext'],
    ['/u/workspaceStorage/1700000000000/pub.ext', '/u/workspaceStorage/1700000000000/pub.ext'],
    ['/u/workspaceStorage/4f2a9c-10/pub.ext', '/u/workspaceStorage/4f2a9c-10/pub.ext'],
    ['/u/workspaceStorage/my-folder-1/pub.ext', '/u/workspaceStorage/my-folder-1/pub.ext'],
  ])('maps %s to %s', (given, expected) => {
    expect(normaliseStorage(given)).toBe(expected);
  });

  it('uses global storage when no folder is open', () => {
    expect(sessionsFolder(null, '/u/globalStorage/pub.ext')).toBe('/u/globalStorage/pub.ext/sessions');
  });
});

describe('sessions of all workspaces', () => {
  it('are found through pointers, each remembered once', async () => {
    const storage = join(folder, 'global');
    expect(await listPointers(storage)).toEqual([]);
    for (const name of ['a', 'b', 'a'])
      await rememberSessions(storage, { folder: `/s/${name}`, workspace: `/w/${name}` });
    await rememberSessions(storage, { folder: '/s/none', workspace: null });
    await writeFile(join(storage, 'workspaces', 'x.json'), '{');
    const pointers = await listPointers(storage);
    expect(pointers.sort((a, b) => (a.folder < b.folder ? -1 : 1))).toEqual([
      { folder: '/s/a', workspace: '/w/a' },
      { folder: '/s/b', workspace: '/w/b' },
      { folder: '/s/none', workspace: null },
    ]);
  });

  it('are renamed, marked, brought back from the trash and searched', async () => {
    const store = storeOf();
    const { id, journal } = await store.create();
    await journal.append(user('Why does the "Retry" loop\nend early? 重试'));
    await journal.append({
      type: 'message',
      message: { role: 'assistant', text: 'The retry limit is off by one.' },
      tokens: 1,
    });
    await journal.close();
    await store.rename(id, 'Loop');
    await store.setFavourite(id, true);
    expect(await store.list()).toMatchObject([{ id, title: 'Loop', favourite: true }]);
    await store.setFavourite(id, false);
    expect(await store.list()).toMatchObject([{ favourite: false }]);
    await store.restore(id, await store.remove(id));
    const search = async (query: string) => {
      const matches = await searchSessions(store, query, new AbortController().signal);
      return matches.map(({ passages }) => passages.map(({ seq }) => seq));
    };
    expect(await search('RETRY')).toEqual([[2, 1]]);
    expect(await search('"retry" loop\nend')).toEqual([[1]]);
    expect(await search('重试')).toEqual([[1]]);
    expect(await search('loop')).toEqual([[1]]);
    expect(await search('off by two')).toEqual([]);
    expect(await search('role')).toEqual([]);
    expect(await search('')).toEqual([[]]);
  });
});
