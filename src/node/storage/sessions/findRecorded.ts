/**
 * Finds sessions of other programs where these keep them by default. Looking whether a folder is there reads nothing of
 * it; the rest happens only when the person asked for it, and is bounded.
 */

import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { injectedKind } from '../../../core/context/attribute.ts';
import { readForeign } from '../../../core/sessions/importRecorded.ts';
import { recognise } from '../../../core/sessions/recognise.ts';
import { newImportReport } from '../../../core/sessions/recorded.ts';
import { distinctSessions } from './distinctSessions.ts';
import { listParts, readBeginning } from './recordedParts.ts';
import { editorFolders, foldersOf, SESSION_PLACES, type SessionPlace, type System } from './recordedPlaces.ts';
import type { RecordedPlace } from './recordedText.ts';

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
const LONGEST_TITLE = 100;

interface Root {
  readonly place: SessionPlace;
  readonly folder: string;
}

/** The folders in which this system's programs keep sessions, whether they are there or not. */
export function sessionRoots(env = process.env, home = homedir()): Root[] {
  return SESSION_PLACES.flatMap((place) =>
    foldersOf(place, SYSTEM, env).map((folder) => ({ place, folder: fromHome(folder, home) })),
  );
}

/** The data folders of this system's editors. */
export const editorRoots = (env = process.env, home = homedir()): string[] =>
  editorFolders(SYSTEM, env).map((folder) => fromHome(folder, home));

const fromHome = (folder: string, home: string) => (folder.startsWith('~/') ? join(home, folder.slice(2)) : folder);

/** The folders that are there. */
export async function findSessionFolders(env = process.env, home = homedir()): Promise<Root[]> {
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
const SYSTEM = SYSTEMS[process.platform] ?? 'linux';

/** Newest first. A folder or file that cannot be read is left out. */
export async function listRecorded(roots: readonly Root[], signal?: AbortSignal): Promise<FoundSession[]> {
  const found: Listed[] = [];
  let left = MOST_FILES;
  const walk = async ({ place, folder }: Root, below: string, depth: number): Promise<void> => {
    signal?.throwIfAborted();
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (left-- <= 0) return;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth > 0) await walk({ place, folder }, path, depth - 1);
      if (!entry.isFile() || !place.file.test(path)) continue;
      const facts = await stat(join(folder, path)).catch(() => null);
      if (facts && facts.size > 0)
        found.push({
          program: place.program,
          path: join(folder, path),
          time: facts.mtimeMs,
          size: facts.size,
          title: '',
          folder: '',
        });
    }
  };
  for (const root of roots) await walk(root, '', root.place.depth);
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

type Listed = FoundSession & { readonly size: number };

/** The sessions of a database; the database itself where it cannot be read, so that choosing it tells why. */
async function partsOf(found: Listed, signal?: AbortSignal): Promise<Listed[]> {
  if (!found.path.endsWith('.db')) return [found];
  const parts = await listParts(found.path, signal ?? new AbortController().signal).catch(() => []);
  return parts.length === 0
    ? [found]
    : parts.map((part) => ({ ...found, ...part, title: part.title.slice(0, LONGEST_TITLE) }));
}

async function describe(place: RecordedPlace): Promise<Pick<FoundSession, 'title' | 'folder'>> {
  const { text } = await readBeginning(place, new AbortController().signal).catch(() => ({ text: '' }));
  const cwd = /"(?:cwd|workspace|workspaceDirectory)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return { title: titleOf(text), folder: cwd ? readText(cwd) : basename(dirname(place.path)) };
}

function readText(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return '';
  }
}

/** The first line of what the person wrote first. */
function titleOf(text: string): string {
  const format = recognise(text)?.format;
  if (!format || format === 'palimpsest' || format === 'normal' || format === 'normalList') return '';
  const messages = readForeign(format, text.split('\n'), newImportReport());
  for (const message of messages) {
    if (message.role !== 'user' || (message.kind ?? injectedKind(message.text)) !== 'user') continue;
    const line =
      message.text
        .replace(/<\/?(?:task|feedback|user_message)>/g, '')
        .trim()
        .split('\n')[0] ?? '';
    if (line !== '') return line.slice(0, LONGEST_TITLE).toWellFormed();
  }
  return '';
}
