/** One writer a session, as the window meets it: owned, read only, taken over, given up. */

import { access, mkdir, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inEnglish } from '../../../src/core/words.ts';
import { type HeldSession, SessionAccess } from '../../../src/node/session/sessionAccess.ts';
import { SessionPlaces } from '../../../src/node/session/sessionPlaces.ts';
import { rememberSessions } from '../../../src/node/storage/sessions/pointerIndex.ts';
import { SessionStore, type SessionStoreOptions } from '../../../src/node/storage/sessions/sessionStore.ts';
import { abortAfter } from '../../support/ports/abortAfter.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

// Shared, so that no two sessions have the same id.
const crypto = testCrypto();
const NEVER = new AbortController().signal;
let folder = '';
const open: HeldSession[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
});
afterEach(async () => {
  for (const session of open.splice(0)) {
    await session.journal.close();
    await session.release();
  }
  await rm(folder, { recursive: true, force: true });
});

const optionsOf = (name: string): SessionStoreOptions => ({
  folder: join(folder, name, 'sessions'),
  workspace: `/home/dev/${name}`,
  engine: 'palimpsest/test',
  clock: testClock(),
  crypto,
});

/** A window on the folder `app`; `gives` is what it answers when another one wants its session. */
function windowOn(gives = false) {
  const store = new SessionStore(optionsOf('app'));
  const lost: string[] = [];
  const sessions = new SessionAccess(
    store,
    async () => undefined,
    () => undefined,
  );
  sessions.report({ giveUp: async () => gives, lose: async (id) => void lost.push(id) });
  const keep = async (opening: Promise<HeldSession>) => {
    const session = await opening;
    open.push(session);
    return session;
  };
  return {
    store,
    lost,
    sessions,
    create: () => keep(sessions.create()),
    open: (id: string, mode: 'own' | 'takeOver' | 'read' = 'own') => keep(sessions.open(id, mode, NEVER)),
  };
}

const title = (text: string) => ({ type: 'title', title: text }) as const;

test('a second window reads, is not heard, and writes once it has taken over', async () => {
  const [first, second] = [windowOn(), windowOn()];
  const mine = await first.create();
  const theirs = await second.open(mine.id);
  expect(theirs.journal.readOnly).toMatchObject({ kind: 'locked' });
  await expect(theirs.journal.append(title('no'))).rejects.toMatchObject({ kind: 'locked' });
  const taken = await second.open(mine.id, 'takeOver');
  await taken.journal.append(title('yes'));
  await expect(mine.journal.append(title('late'))).rejects.toMatchObject({ kind: 'locked' });
  await vi.waitFor(() => expect(first.lost).toEqual([mine.id]));
  expect((await first.store.list()).map((session) => session.title)).toEqual(['yes']);
});

test('a window that gives the session up, or is done with it, leaves it to the next', async () => {
  const first = windowOn();
  const mine = await first.create();
  await mine.journal.close();
  await mine.release();
  const next = await windowOn().open(mine.id);
  expect(next.journal.readOnly).toBe(null);
});

test('a session whose folder is deleted while it is open is written again, and stays this window’s', async () => {
  const first = windowOn();
  const mine = await first.create();
  await mine.journal.append({ type: 'title', title: 'before' });
  await rm(mine.folder, { recursive: true });
  await mine.journal.append({ type: 'title', title: 'after' });
  expect([mine.journal.readOnly, first.lost]).toEqual([null, []]);
  expect((await windowOn().open(mine.id)).journal.readOnly).toMatchObject({ kind: 'locked' });
  expect((await first.store.list()).map((session) => session.title)).toEqual(['after']);
});

test('a session that cannot be locked, as on a full disk, is read all the same and says why', async () => {
  const first = windowOn();
  const mine = await first.create();
  await mine.journal.append(title('Here'));
  await mine.journal.close();
  await mine.release();
  await mkdir(join(mine.folder, 'lock'));
  await mkdir(join(mine.folder, 'opened'));
  const theirs = await windowOn().open(mine.id);
  expect(theirs.journal.title).toBe('Here');
  expect(theirs.journal.readOnly?.message).toContain(join(mine.folder, 'lock'));
  await rm(join(mine.folder, 'lock'), { recursive: true });
  expect((await windowOn().open(mine.id)).journal.readOnly).toBe(null);
});

test.each<[string, (store: SessionStore, id: string) => Promise<unknown>]>([
  ['renaming', (store: SessionStore, id: string) => store.rename(id, 'x')],
  ['moving to the trash', (store: SessionStore, id: string) => store.remove(id)],
  ['rewriting', (store: SessionStore, id: string) => store.whileOwned(id, async () => undefined)],
  ['opening', async (store: SessionStore, id: string) => (await store.open(id)).journal.close()],
])('%s what another window has open is refused, and changes nothing', async (_, act) => {
  const mine = await windowOn().create();
  const { store } = windowOn();
  await expect(act(store, mine.id)).rejects.toMatchObject({ kind: 'locked' });
  expect((await store.list()).map((session) => session.title)).toEqual(['']);
  await mine.journal.append(title('Mine'));
  await mine.journal.close();
  await mine.release();
  await act(store, mine.id);
  expect((await readdir(folder, { recursive: true })).filter((path) => basename(path) === 'lock')).toEqual([]);
});

test('a session that is not there is said to be missing, and no folder is made for it', async () => {
  const { open: openIt, store } = windowOn();
  await expect(openIt('20260101000000-0000abcd')).rejects.toMatchObject({ kind: 'missing' });
  await expect(access(store.folderOf('20260101000000-0000abcd'))).rejects.toThrow();
  const missing = '20260101000000-0000abcd';
  for (const act of [
    store.whileOwned(missing, async () => undefined),
    store.remove(missing),
    store.rename(missing, 'x'),
  ])
    await expect(act).rejects.toMatchObject({ kind: 'missing' });
  await expect(access(store.folderOf(missing))).rejects.toThrow();
});

test('sessions of all folders are listed, favourites first; those of others open for reading', async () => {
  const globalStorage = join(folder, 'global');
  const own = new SessionStore(optionsOf('app'));
  const other = new SessionStore(optionsOf('site'));
  const here = await own.create();
  await here.journal.append(title('Here'));
  const there = await other.create();
  await there.journal.append(title('There'));
  await Promise.all([here.journal.close(), there.journal.close()]);
  await rememberSessions(globalStorage, { folder: optionsOf('site').folder, workspace: '/home/dev/site' });
  const places = new SessionPlaces({ own, storeOptions: optionsOf('app'), roots: [globalStorage], here: () => [] });
  const brief = async (query: string, scope: 'workspace' | 'all') =>
    (await places.list(query, scope, here.id, NEVER)).map(({ title: name, workspace, current, favourite }) =>
      [name, workspace, current ? 'current' : '', favourite ? 'favourite' : ''].filter(Boolean).join(' '),
    );
  expect(await brief('', 'workspace')).toEqual(['Here current']);
  await other.setFavourite(there.id, true);
  expect(await brief('', 'all')).toEqual(['There /home/dev/site favourite', 'Here current']);
  expect(await brief('her', 'workspace')).toEqual(['Here current']);
  expect(await places.openForeign(here.id, NEVER)).toBe(null);
  const foreign = await places.openForeign(there.id, NEVER);
  expect(foreign?.journal.readOnly?.message).toContain('/home/dev/site');
});

/** A session that is not open, with `bytes` of text in it. */
async function stored(bytes: number) {
  const first = windowOn();
  const { id, journal, release, folder: at } = await first.create();
  const text = 'x'.repeat(100_000);
  const message = { role: 'user', kind: 'user', text } as const;
  for (let i = 0; i * text.length < bytes; i++) await journal.append({ type: 'message', message, tokens: 1 });
  await journal.close();
  await release();
  return { id, folder: at, path: join(at, 'journal.jsonl') };
}

const openFiles = async () => {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((path) => path.startsWith(folder));
};

test.each([
  ['small', 1_000_000, false],
  ['large', 10_000_000, false],
  ['large and indexed', 10_000_000, true],
])(
  'opening a %s session can be cancelled wherever it stands, and leaves no file open and no lock',
  async (_, bytes, indexed) => {
    const { id, folder: at, path } = await stored(bytes);
    if (!indexed) await rm(`${path}.index`, { force: true });
    const { sessions, open: openIt } = windowOn();
    for (let times = 1; ; times++) {
      const opened = await sessions.open(id, 'own', abortAfter(times)).catch((thrown: unknown) => thrown);
      if (!(opened instanceof Error)) {
        open.push(opened as HeldSession);
        // Each chunk was a place to stop at.
        expect(times).toBeGreaterThan(indexed ? 1 : bytes / (1 << 20));
        break;
      }
      expect(opened).toMatchObject({ name: 'AbortError' });
      expect(await readdir(at)).not.toContain('lock');
      if (process.platform === 'linux') expect(await openFiles()).toEqual([]);
    }
    await open.at(-1)?.journal.append(title('still whole'));
    await open.at(-1)?.journal.close();
    await open.at(-1)?.release();
    expect((await openIt(id)).journal).toMatchObject({ readOnly: null, title: 'still whole' });
  },
);

test('cancelling after the last line was read closes the session again', async () => {
  const { id, folder: at } = await stored(1_000);
  const abort = new AbortController();
  const { signal } = abort;
  // As if it came too late for each of the reads.
  signal.throwIfAborted = () => abort.abort();
  await expect(windowOn().sessions.open(id, 'own', signal)).rejects.toMatchObject({ name: 'AbortError' });
  expect(await readdir(at)).not.toContain('lock');
  if (process.platform === 'linux') expect(await openFiles()).toEqual([]);
});

test('a list that is cancelled names what was not read, and the next one reads it', async () => {
  const [known, large] = [await stored(1_000), await stored(300_000)];
  const { store } = windowOn();
  await store.list();
  await rm(join(large.folder, 'summary.json'));
  const places = new SessionPlaces({
    own: store,
    storeOptions: optionsOf('app'),
    roots: [join(folder, 'global')],
    here: () => [],
  });
  const listed = async (signal: AbortSignal) =>
    new Map((await places.list('', 'workspace', undefined, signal)).map((session) => [session.id, session]));
  const cancelled = await listed(AbortSignal.abort());
  expect(cancelled.get(known.id)).toMatchObject({ messages: 1, problem: null });
  expect(inEnglish(cancelled.get(large.id)?.problem ?? [])).toBe('Reading it was cancelled. You can still open it.');
  expect(cancelled.get(large.id)?.time).toBeGreaterThan(0);
  expect((await listed(NEVER)).get(large.id)).toMatchObject({ messages: 3, problem: null });
});
