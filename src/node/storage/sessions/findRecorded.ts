/**
 * Finds sessions of other programs where these keep them by default. Looking whether a folder is there reads nothing of
 * it; the rest happens only when the person asked for it, and is bounded.
 */

import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { LONGEST_TITLE, titleOf, workedIn } from './beginningOf.ts';
import { distinctSessions } from './distinctSessions.ts';
import { listParts, readBeginning } from './recordedParts.ts';
import { editorFolders, foldersOf, SESSION_PLACES, type System } from './recordedPlaces.ts';
import type { RecordedPlace } from './recordedText.ts';
import { type SessionRoot, walkPlace } from './walkPlace.ts';

export interface FoundSession extends RecordedPlace {
  readonly program: string;
  /** Milliseconds since the epoch of its last change. */
  readonly time: number;
  /** The person's first question; empty where the beginning of the file does not say. */
  readonly title: string;
  /** The folder that it worked in, as far as the beginning of the file says. */
  readonly folder: string;
}

const MOST_FILES = 20_000;
/** Sessions that are listed, the newest ones; the beginning of each is read. */
const MOST_LISTED = 100;

/** The folders in which this system's programs keep sessions, whether they are there or not. */
export function sessionRoots(env = process.env, home = homedir()): SessionRoot[] {
  return SESSION_PLACES.flatMap((place) =>
    foldersOf(place, SYSTEM, env).map((folder) => ({ place, folder: fromHome(folder, home) })),
  );
}

/** The data folders of this system's editors. */
export const editorRoots = (env = process.env, home = homedir()): string[] =>
  editorFolders(SYSTEM, env).map((folder) => fromHome(folder, home));

export const fromHome = (folder: string, home: string) =>
  folder.startsWith('~/') ? join(home, folder.slice(2)) : folder;

/** The folders that are there. */
export async function findSessionFolders(env = process.env, home = homedir()): Promise<SessionRoot[]> {
  const roots = sessionRoots(env, home);
  const there = await Promise.all(
    roots.map(({ folder }) =>
      stat(folder).then(
        (it) => it.isDirectory(),
        () => false,
      ),
    ),
  );
  return roots.filter((_, i) => there[i]);
}

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, System>>> = { darwin: 'mac', win32: 'windows' };
export const SYSTEM = SYSTEMS[process.platform] ?? 'linux';

/** Newest first. A folder or file that cannot be read is left out. */
export async function listRecorded(roots: readonly SessionRoot[], signal?: AbortSignal): Promise<FoundSession[]> {
  const found: Listed[] = [];
  const left = { entries: MOST_FILES };
  for (const root of roots) {
    for (const below of await walkPlace(root, { left, signal })) {
      const path = join(root.folder, below);
      const facts = await stat(path).catch(() => null);
      if (facts && facts.size > 0)
        found.push({ program: root.place.program, path, time: facts.mtimeMs, size: facts.size, title: '', folder: '' });
    }
  }
  const parts = await Promise.all(found.map((each) => partsOf(each, signal)));
  const newest = parts.flat().sort((a, b) => b.time - a.time);
  const { sessions } = await distinctSessions(newest, signal ?? new AbortController().signal, MOST_LISTED);
  const listed: FoundSession[] = [];
  for (const { size: _, ...each } of sessions) {
    signal?.throwIfAborted();
    listed.push({ ...each, ...(each.part === undefined ? await describe(each) : {}) });
  }
  return listed;
}

export type Listed = FoundSession & { readonly size: number };

/** The sessions of a database; the database itself where it cannot be read, so that choosing it tells why. */
export async function partsOf(found: Listed, signal?: AbortSignal): Promise<Listed[]> {
  if (!found.path.endsWith('.db')) return [found];
  const parts = await listParts(found.path, signal ?? new AbortController().signal).catch(() => []);
  return parts.length === 0
    ? [found]
    : parts.map((part) => ({ ...found, ...part, title: part.title.slice(0, LONGEST_TITLE) }));
}

async function describe(place: RecordedPlace): Promise<Pick<FoundSession, 'title' | 'folder'>> {
  const { text } = await readBeginning(place, new AbortController().signal).catch(() => ({ text: '' }));
  return { title: titleOf(text), folder: workedIn(text).folder ?? basename(dirname(place.path)) };
}
