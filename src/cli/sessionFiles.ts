/** Finds recorded sessions in files and folders, and reads them as the product imports them. */

import { type Dirent, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { messageOf } from '../core/errors.ts';
import { recognise } from '../core/sessions/recognise.ts';
import { newImportReport } from '../core/sessions/recorded.ts';
import { type RecordedSession, readSession } from '../lab/session.ts';
import { readStored } from '../node/lab/storedSession.ts';
import { nodeCrypto } from '../node/storage/disk/fileBlobStore.ts';
import { editorRoots, sessionRoots } from '../node/storage/sessions/findRecorded.ts';
import { importFile } from '../node/storage/sessions/importFile.ts';
import { JOURNAL, SessionStore } from '../node/storage/sessions/sessionStore.ts';

/** A session's file, as plain data that can be sent to a worker. */
export interface SessionSource {
  /** Distinct in a run. */
  readonly name: string;
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

const MESSAGES = /(?<!\.meta)\.jsonl?(\.gz)?$/;
const SKIPPED = new Set(['node_modules', '.git', 'subagents', 'blobs']);

/** Files and all folders below a folder, by name. Throws when a place has no session. */
export function listSessions(places: readonly string[]): SessionSource[] {
  const found = places.flatMap((place) => listPlace(place));
  return distinct(found).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function listPlace(place: string): SessionSource[] {
  if (isFile(place)) return [sourceOf(place, basename(place))];
  const files = listFolder(place);
  if (files.length === 0) throw new Error(`There is no session (*.jsonl, *.json, or either with .gz) in ${place}.`);
  return files.map((path) => sourceOf(path, relative(place, path)));
}

/** Paths of files that may hold sessions, in the folder and below it. Throws when the folder itself cannot be read. */
function listFolder(folder: string): string[] {
  try {
    return listEntries(readdirSync(folder, { withFileTypes: true }), folder);
  } catch (cause) {
    throw new Error(`The sessions ${folder} cannot be read (${messageOf(cause)}): name another folder or file.`, {
      cause,
    });
  }
}

function listEntries(entries: readonly Dirent[], folder: string): string[] {
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listEntries(entriesOf(path), path);
      return MESSAGES.test(entry.name) && isFile(path) ? [path] : [];
    });
}

/** None for a folder that may not be read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Another program's, or of another person: it is not meant.
    return [];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function sourceOf(path: string, name: string): SessionSource {
  const { size, mtimeMs } = statSync(path);
  const plain = name.replaceAll('\\', '/').replace(MESSAGES, '');
  // Each session of Palimpsest is a folder of its own.
  return { name: plain.replace(/\/journal$/, '') || plain, path, size, time: mtimeMs };
}

/** The same file is read once; equal names are numbered. */
function distinct(sources: readonly SessionSource[]): SessionSource[] {
  const byPath = [...new Map(sources.map((source) => [source.path, source])).values()];
  const seen = new Map<string, number>();
  return byPath.map((source) => {
    const count = (seen.get(source.name) ?? 0) + 1;
    seen.set(source.name, count);
    return count > 1 ? { ...source, name: `${source.name} (${count})` } : source;
  });
}

/** Throws an `Error` that names the session and what is wrong with it. */
export async function loadSession({ name, path }: Pick<SessionSource, 'name' | 'path'>): Promise<RecordedSession> {
  const text = readText(path);
  const recognised = recognise(text);
  if (recognised && recognised.format !== 'normal') return loadForeign(name, path);
  const meta = ['.meta.json.gz', '.meta.json']
    .map((ending) => path.replace(MESSAGES, ending))
    .find((beside) => beside !== path && existsSync(beside));
  return readSession(name, text, meta === undefined ? null : readText(meta));
}

/** Another program's recording, imported as the product imports it. */
async function loadForeign(name: string, path: string): Promise<RecordedSession> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-lab-'));
  try {
    const ports = { clock: { now: () => 0 }, crypto: nodeCrypto };
    const store = new SessionStore({ folder, workspace: null, engine: 'palimpsest/lab', ...ports });
    const { signal } = new AbortController();
    const id = await importFile({ store, path, report: newImportReport(), signal });
    if (id === null) throw new Error(`${path}: no message in it can be read`);
    return await readStored({ id, title: name, path: join(store.folderOf(id), JOURNAL), size: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  if (!path.endsWith('.gz')) return new TextDecoder().decode(bytes);
  try {
    return new TextDecoder().decode(gunzipSync(bytes));
  } catch (cause) {
    throw new Error(`${path}: cannot be unpacked (${messageOf(cause)})`, { cause });
  }
}

// A person's own sessions, where the programs that record them put them by default on each system.

interface Place {
  readonly program: string;
  readonly folder: string;
  readonly list: (folder: string) => string[];
}

export interface OwnSessions {
  readonly sessions: readonly SessionSource[];
  /** A line for each place with sessions. */
  readonly places: readonly string[];
}

const EXTENSION = /^[\w-]+\.palimpsest$/;

/** The newest ones, at most `most`. */
export function findOwnSessions(most: number, env = process.env, home = homedir()): OwnSessions {
  const found = placesOf(env, home)
    .filter(({ folder }) => existsSync(folder))
    .map(({ program, folder, list }) => ({
      program,
      folder,
      sources: list(folder).map((path) => sourceOf(path, `${program}/${shorten(relative(folder, path))}`)),
    }))
    .filter(({ sources }) => sources.length > 0);
  const newest = distinct(found.flatMap(({ sources }) => sources))
    .sort((a, b) => b.time - a.time)
    .slice(0, most);
  const taken = new Set(newest.map(({ path }) => path));
  return {
    sessions: newest.sort((a, b) => (a.name < b.name ? -1 : 1)),
    places: found.map(({ program, folder, sources }) => {
      const count = sources.filter(({ path }) => taken.has(path)).length;
      return `${program}: ${count} of ${sources.length} in ${folder}`;
    }),
  };
}

/** The lab reads these by itself; files of others are named. */
const PROGRAMS = ['Claude Code', 'Codex'];

function placesOf(env: NodeJS.ProcessEnv, home: string): Place[] {
  return [
    ...sessionRoots(env, home)
      .filter(({ place }) => PROGRAMS.includes(place.program))
      .map(({ place: { program, file }, folder }) => ({
        program,
        folder,
        list: () => listFolder(folder).filter((path) => file.test(relative(folder, path).replaceAll('\\', '/'))),
      })),
    ...editorRoots(env, home).flatMap((data) => [
      {
        program: 'Palimpsest',
        folder: join(data, 'User', 'workspaceStorage'),
        list: (folder: string) => foldersIn(folder).flatMap(listJournals),
      },
      { program: 'Palimpsest', folder: join(data, 'User', 'globalStorage'), list: listJournals },
    ]),
  ];
}

const foldersIn = (folder: string) =>
  entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));

/** The storage of an editor holds much else, so nothing else in it is looked at. */
function listJournals(storage: string): string[] {
  return foldersIn(storage)
    .filter((folder) => EXTENSION.test(basename(folder)))
    .flatMap((folder) => foldersIn(join(folder, 'sessions')))
    .map((session) => join(session, JOURNAL))
    .filter((path) => existsSync(path));
}

/** Long ids are cut: the start tells sessions apart, and equal names are numbered later. */
function shorten(path: string): string {
  return path.replaceAll('\\', '/').replace(/([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22,}/gi, '$1');
}
