/** Sessions follow their folder: renamed, moved, cloned again, opened with others. Real folders, real journals. */

import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tellsOfContainer } from '../../../src/host/session/sessionHome.ts';
import { openSessionHome } from '../../../src/node/session/sessionHome.ts';
import { SessionPlaces } from '../../../src/node/session/sessionPlaces.ts';
import { readFolderFacts } from '../../../src/node/storage/sessions/folderFacts.ts';
import {
  chosenRoot,
  readAdopted,
  rememberSessions,
  sessionsFolderIn,
} from '../../../src/node/storage/sessions/pointerIndex.ts';
import { SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

const crypto = testCrypto();
const NEVER = new AbortController().signal;
let root = '';
let global = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pal-follow-'));
  global = join(root, 'global');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const at = (name: string) => join(root, name);

async function makeFolder(name: string, origin?: string): Promise<string> {
  await mkdir(at(name), { recursive: true });
  if (origin !== undefined) {
    await mkdir(join(at(name), '.git'));
    const config = `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${origin}\n\tfetch = x\n`;
    await writeFile(join(at(name), '.git/config'), config);
  }
  return at(name);
}

/** What the editor keeps for the workspace with that id. */
const storageOf = (id: string) => join(root, id, 'palimpsest.palimpsest');

/** A window on these folders, as the editor opens one. */
const windowOn = (id: string, ...folders: string[]) => windowAt({ chosen: null, earlier: [], id }, ...folders);

interface Placed {
  /** Where the person wants sessions; null for the editor's storage. */
  readonly chosen: string | null;
  readonly earlier: readonly string[];
  readonly id: string;
}

async function windowAt({ chosen, earlier, id }: Placed, ...folders: string[]) {
  const here = await Promise.all(folders.map(readFolderFacts));
  const workspace = folders[0] ?? null;
  const home = await openSessionHome({
    chosen,
    earlier,
    storage: storageOf(id),
    globalStorage: global,
    workspace: () => workspace,
    here: () => here,
  });
  const { folder, roots, adopted } = home;
  const options = { folder, workspace, engine: 'palimpsest/test', clock: testClock(), crypto, adopted };
  const own = new SessionStore(options);
  const remember = (...others: readonly string[]) => home.adopt(others);
  const places = new SessionPlaces({ own, storeOptions: options, roots, here: () => here });
  return {
    own,
    places,
    begin: async (title: string) => {
      await remember();
      const { id, journal } = await own.create();
      await journal.append({ type: 'title', title });
      await journal.close();
      return id;
    },
    listed: async () => (await places.list('', 'workspace', undefined, NEVER)).map(({ title }) => title).sort(),
    reasonFor: async (id: string) => (await places.openForeign(id, NEVER))?.journal.readOnly?.kind ?? null,
    adopt: async (id: string) => {
      const origin = await places.originOf(id);
      if (!origin) throw new Error('it cannot go on here');
      await remember(...origin.folders);
    },
    use: () => remember(),
  };
}

describe('its sessions are in the list, and go on', () => {
  test.each([
    ['renamed', 'app', 'app-2'],
    ['moved', 'app', 'elsewhere/app'],
  ])('of a folder that was %s', async (_, before, after) => {
    const id = await (await windowOn('s1', await makeFolder(before))).begin('Old');
    await mkdir(at('elsewhere'), { recursive: true });
    await rename(at(before), at(after));
    const now = await windowOn('s2', at(after));
    expect(await now.listed()).toEqual(['Old']);
    expect(await now.reasonFor(id)).toBe('elsewhere');
  });

  test('of one that was cloned again where the first clone is gone', async () => {
    const id = await (await windowOn('s1', await makeFolder('one', 'https://me@code.example/app.git'))).begin('Old');
    const second = await makeFolder('two', 'https://code.example/app.git');
    // Both are there: two clones are two folders.
    expect(await (await windowOn('s2', second)).listed()).toEqual([]);
    await rm(at('one'), { recursive: true });
    const now = await windowOn('s2', second);
    expect(await now.listed()).toEqual(['Old']);
    expect(await now.reasonFor(id)).toBe('elsewhere');
  });

  test('of one that was cloned again at the same place', async () => {
    await (await windowOn('s1', await makeFolder('app', 'https://code.example/app.git'))).begin('Old');
    await rm(at('app'), { recursive: true });
    await makeFolder('app', 'https://code.example/app.git');
    expect(await (await windowOn('s2', at('app'))).listed()).toEqual(['Old']);
  });

  test('of one that is open together with others now, of a workspace file with another name, and back', async () => {
    const [a, b] = [await makeFolder('a'), await makeFolder('b')];
    await (await windowOn('s1', a)).begin('Of A');
    const both = await windowOn('s2', a, b);
    expect(await both.listed()).toEqual(['Of A']);
    await both.begin('Of both');
    expect(await (await windowOn('s3', b, a)).listed()).toEqual(['Of A', 'Of both']);
    expect(await (await windowOn('s1', a)).listed()).toEqual(['Of A', 'Of both']);
  });

  test('of a version that remembered only the path', async () => {
    const a = await makeFolder('a');
    await (await windowOn('s1', a)).begin('Old');
    await rememberSessions(global, { folder: join(storageOf('s1'), 'sessions'), workspace: a });
    expect(await (await windowOn('s2', a, await makeFolder('b'))).listed()).toEqual(['Old']);
  });
});

test('once agreed, they are sessions of this folder for good, those of later windows too, and stay where they lie', async () => {
  const first = await windowOn('s1', await makeFolder('app'));
  const [one, two] = [await first.begin('One'), await first.begin('Two')];
  await rename(at('app'), at('app-2'));
  const now = await windowOn('s2', at('app-2'));
  await now.adopt(one);
  for (const opened of [now, await windowOn('s2', at('app-2'))]) {
    expect(await opened.listed()).toEqual(['One', 'Two']);
    expect(await opened.reasonFor(one)).toBeNull();
    expect(await opened.reasonFor(two)).toBeNull();
    const { journal, folder } = await opened.own.open(two);
    expect(journal.readOnly).toBeNull();
    expect(folder).toBe(join(storageOf('s1'), 'sessions', two));
    await journal.close();
  }
  const three = await now.begin('Three');
  expect(await readdir(join(storageOf('s2'), 'sessions'))).toEqual([three]);
  const trashed = await now.own.remove(two);
  expect(await now.listed()).toEqual(['One', 'Three']);
  await now.own.restore(two, trashed);
  expect(await now.listed()).toEqual(['One', 'Three', 'Two']);
});

test('going on with a workspace goes on with what it went on with, and is not asked twice', async () => {
  const [a, b] = [await makeFolder('a'), await makeFolder('b')];
  const ofA = await (await windowOn('s1', a)).begin('Of A');
  const pair = await windowOn('s2', b, a);
  await pair.adopt(ofA);
  const ofBoth = await pair.begin('Of both');
  const renamed = await windowOn('s3', b, a);
  expect(await renamed.reasonFor(ofA)).toBe('elsewhere');
  await renamed.adopt(ofBoth);
  expect(await renamed.reasonFor(ofBoth)).toBeNull();
  expect(await renamed.reasonFor(ofA)).toBeNull();
  expect(await renamed.listed()).toEqual(['Of A', 'Of both']);
});

test('two windows on one folder: neither forgets what the other agreed to', async () => {
  const one = await (await windowOn('s1', await makeFolder('app'))).begin('One');
  const two = await (await windowOn('s2', await makeFolder('other'))).begin('Two');
  await rename(at('app'), at('app-2'));
  await rm(at('other'), { recursive: true });
  const [first, second] = [await windowOn('s3', at('app-2')), await windowOn('s3', at('app-2'))];
  await first.adopt(one);
  await second.use();
  expect(await second.reasonFor(one)).toBeNull();
  await second.adopt(two);
  await first.use();
  for (const each of [first, second, await windowOn('s3', at('app-2'))])
    expect(await each.listed()).toEqual(['One', 'Two']);
});

test('a folder that is there and has nothing in common keeps its sessions; one that is gone lets them go on', async () => {
  const id = await (await windowOn('s1', await makeFolder('other'))).begin('Other');
  const now = await windowOn('s2', await makeFolder('app'));
  expect(await now.listed()).toEqual([]);
  expect(await now.reasonFor(id)).toBe('noPermission');
  expect(await now.places.originOf(id)).toBeNull();
  await rm(at('other'), { recursive: true });
  expect(await now.reasonFor(id)).toBe('elsewhere');
});

describe('another place is chosen for sessions', () => {
  const vol = () => at('vol');

  test('those of the same folder go on without a question, there and back', async () => {
    const app = await makeFolder('app');
    const before = await (await windowOn('s1', app)).begin('Before');
    const now = await windowAt({ chosen: vol(), earlier: [], id: 's1' }, app);
    expect(await now.listed()).toEqual(['Before']);
    expect(await now.reasonFor(before)).toBeNull();
    const { journal } = await now.own.open(before);
    expect(journal.title).toBe('Before');
    await journal.close();
    const after = await now.begin('After');
    expect(now.own.folderOf(after).startsWith(vol())).toBe(true);
    for (const [chosen, earlier] of [
      [null, [vol()]],
      [at('vol-2'), [vol()]],
    ] as const) {
      const back = await windowAt({ chosen, earlier, id: 's1' }, app);
      expect(await back.listed()).toEqual(['After', 'Before']);
      expect([await back.reasonFor(before), await back.reasonFor(after)]).toEqual([null, null]);
    }
  });

  test('what a person agreed to before holds there, and what is agreed to there holds after', async () => {
    const old = await (await windowOn('s1', await makeFolder('old'))).begin('Old');
    await rename(at('old'), at('new'));
    await (await windowOn('s2', at('new'))).adopt(old);
    const other = await (await windowOn('s3', await makeFolder('other'))).begin('Other');
    await rm(at('other'), { recursive: true });
    const moved = await windowAt({ chosen: vol(), earlier: [], id: 's2' }, at('new'));
    expect(await moved.reasonFor(old)).toBeNull();
    expect(await moved.reasonFor(other)).toBe('elsewhere');
    await moved.adopt(other);
    for (const each of [
      await windowAt({ chosen: vol(), earlier: [], id: 's2' }, at('new')),
      await windowAt({ chosen: null, earlier: [vol()], id: 's2' }, at('new')),
    ])
      expect([await each.reasonFor(old), await each.reasonFor(other)]).toEqual([null, null]);
  });

  test('those of other folders remain in the list of all, and are still of theirs', async () => {
    const [one, two] = [await makeFolder('one'), await makeFolder('two')];
    const first = await (await windowOn('s1', one)).begin('First');
    const second = await (await windowAt({ chosen: vol(), earlier: [], id: 's1' }, one)).begin('Second');
    const now = await windowAt({ chosen: at('vol-2'), earlier: [vol()], id: 's2' }, two);
    expect(await now.listed()).toEqual([]);
    expect((await now.places.list('', 'all', undefined, NEVER)).map(({ id }) => id).sort()).toEqual(
      [first, second].sort(),
    );
    expect([await now.reasonFor(first), await now.reasonFor(second)]).toEqual(['noPermission', 'noPermission']);
  });

  test('in a window without a folder', async () => {
    const placed = { storage: null, globalStorage: global, workspace: () => null, here: () => [] };
    const before = await openSessionHome({ ...placed, chosen: null, earlier: [] });
    const now = await openSessionHome({ ...placed, chosen: vol(), earlier: [] });
    expect([now.folder, now.adopted()]).toEqual([join(vol(), 'no-folder/sessions'), [before.folder]]);
  });
});

test('a damaged pointer is passed over, and one with more in it is read as far as it is understood', async () => {
  await rememberSessions(global, { folder: '/a', workspace: '/w' });
  const [name = ''] = await readdir(join(global, 'workspaces'));
  const path = join(global, 'workspaces', name);
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), places: 7, adopted: ['/b'] }));
  expect(await readAdopted(global, '/a')).toEqual(['/b']);
  await writeFile(path, '{');
  expect(await readAdopted(global, '/a')).toEqual([]);
});

test('a window in a container says once that its sessions go with it', () => {
  const kept = new Map<string, unknown>();
  const state = {
    get: (key: string) => kept.get(key),
    update: async (key: string, value: unknown) => void kept.set(key, value),
  } as Parameters<typeof tellsOfContainer>[1];
  for (const elsewhere of [undefined, 'wsl', 'ssh-remote', 'codespaces', 'tunnel'])
    expect(tellsOfContainer(elsewhere, state)).toBe(false);
  const windows = ['dev-container', 'dev-container', 'attached-container'];
  expect(windows.map((name) => tellsOfContainer(name, state))).toEqual([true, false, false]);
  kept.clear();
  expect(tellsOfContainer('k8s-container', state)).toBe(true);
});

test('below a chosen place each workspace has a folder, also one whose id is a stand-in', () => {
  expect(chosenRoot(' ')).toBeNull();
  expect(chosenRoot('~/p')).not.toContain('~');
  const storage = (id: string) => join('/data/workspaceStorage', id, 'publisher.extension');
  expect(sessionsFolderIn('/vol', storage('0a1b'))).toBe(join('/vol/0a1b/sessions'));
  expect(sessionsFolderIn('/vol', storage('0a1b-1'))).toBe(join('/vol/0a1b/sessions'));
  expect(sessionsFolderIn('/vol', null)).toBe(join('/vol/no-folder/sessions'));
});
