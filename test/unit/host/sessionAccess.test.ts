/** One writer a session, as the window meets it: owned, read only, taken over, given up. */

import { access, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type HeldSession, SessionAccess } from '../../../src/host/session/sessionAccess.ts';
import { SessionPlaces } from '../../../src/host/session/sessionPlaces.ts';
import { rememberSessions } from '../../../src/host/storage/sessions/pointerIndex.ts';
import { SessionStore, type SessionStoreOptions } from '../../../src/host/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

// Shared, so that no two sessions have the same id.
const crypto = testCrypto();
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
  const sessions = new SessionAccess({
    store,
    log: () => undefined,
    onUsed: async () => undefined,
  });
  sessions.tell({ giveUp: async () => gives, lose: async (id) => void lost.push(id) });
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
    open: (id: string, mode: 'own' | 'takeOver' | 'read' = 'own') => keep(sessions.open(id, mode)),
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

test('renaming what another window has open is refused, and changes nothing', async () => {
  const mine = await windowOn().create();
  const other = windowOn();
  await expect(other.sessions.whileOwned(mine.folder, () => other.store.rename(mine.id, 'x'))).rejects.toMatchObject({
    kind: 'locked',
  });
  expect((await other.store.list()).map((session) => session.title)).toEqual(['']);
});

test('a session that is not there is said to be missing, and no folder is made for it', async () => {
  const { open: openIt, store } = windowOn();
  await expect(openIt('20260101000000-0000abcd')).rejects.toMatchObject({ kind: 'missing' });
  await expect(access(store.folderOf('20260101000000-0000abcd'))).rejects.toThrow();
  const { sessions } = windowOn();
  const missing = store.folderOf('20260101000000-0000abcd');
  await expect(sessions.whileOwned(missing, async () => undefined)).rejects.toMatchObject({ kind: 'missing' });
  await expect(access(missing)).rejects.toThrow();
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
  const places = new SessionPlaces({ own, storeOptions: optionsOf('app'), globalStorage });
  const brief = async (query: string, scope: 'workspace' | 'all') =>
    (await places.list(query, scope, here.id)).map(({ title: name, workspace, current, favourite }) =>
      [name, workspace, current ? 'current' : '', favourite ? 'favourite' : ''].filter(Boolean).join(' '),
    );
  expect(await brief('', 'workspace')).toEqual(['Here current']);
  await other.setFavourite(there.id, true);
  expect(await brief('', 'all')).toEqual(['There /home/dev/site favourite', 'Here current']);
  expect(await brief('her', 'workspace')).toEqual(['Here current']);
  expect(await places.openForeign(here.id)).toBe(null);
  const foreign = await places.openForeign(there.id);
  expect(foreign?.journal.readOnly?.message).toContain('/home/dev/site');
});
