/** Finds recorded sessions in files and folders, and reads them as the product imports them. */

import { type Dirent, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { messageOf } from '../core/errors.ts';
import { recognise } from '../core/sessions/recognise.ts';
import { newImportReport } from '../core/sessions/recorded.ts';
import { type RecordedSession, readSession } from '../lab/session.ts';
import { readStored } from '../node/lab/storedSession.ts';
import { nodeCrypto } from '../node/storage/disk/fileBlobStore.ts';
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
export function listFolder(folder: string): string[] {
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
export function entriesOf(folder: string): Dirent[] {
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

export function sourceOf(path: string, name: string): SessionSource {
  const { size, mtimeMs } = statSync(path);
  const plain = name.replaceAll('\\', '/').replace(MESSAGES, '');
  // Each session of Palimpsest is a folder of its own.
  return { name: plain.replace(/\/journal$/, '') || plain, path, size, time: mtimeMs };
}

/** The same file is read once; equal names are numbered. */
export function distinct(sources: readonly SessionSource[]): SessionSource[] {
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
