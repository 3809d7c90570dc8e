/**
 * Sessions that other programs recorded in the folders of this window, newest first. Of files only the beginnings are read,
 * of at most so many, and for at most so long; what belongs to another folder is not returned. A program that is not there
 * is left out, and one whose sessions cannot be read is named.
 */

import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { wordsOf } from '../../../core/errors.ts';
import { asText, parseObject } from '../../../core/json.ts';
import { type Words, words } from '../../../core/words.ts';
import { readBounded } from '../../files/checkedFiles.ts';
import { titleOf, workedIn } from './beginningOf.ts';
import { distinctSessions } from './distinctSessions.ts';
import { type FoundSession, fromHome, type Listed, SYSTEM } from './findRecorded.ts';
import { KnownFolders } from './knownFolders.ts';
import { listParts, readBeginning } from './recordedParts.ts';
import { editorFolders, foldersOf, PLACES_IN_FOLDER, SESSION_PLACES, type System } from './recordedPlaces.ts';
import { type SessionRoot, walkPlace } from './walkPlace.ts';

interface Search {
  /** Absolute paths of the window's folders, and of its workspace file. */
  readonly folders: readonly string[];
  /** The data folder of this editor, which may be none of the known ones. */
  readonly editorData?: string;
  readonly system?: System;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  readonly signal: AbortSignal;
  readonly limits?: SearchLimits;
}

/** Bounds of one search. */
export interface SearchLimits {
  /** Entries of folders. */
  readonly entries: number;
  /** Files whose beginning is read. */
  readonly files: number;
  /** Sessions that are returned. */
  readonly sessions: number;
  readonly ms: number;
}

const LIMITS: SearchLimits = { entries: 50_000, files: 2_000, sessions: 50, ms: 10_000 };
/** Characters that tell which folder a session worked in. */
const TELLING = 32 * 1024;

/** Sessions that were found, what could not be read, and whether there may be more. */
export interface SessionsHere {
  readonly sessions: readonly FoundSession[];
  /** One for each program whose sessions cannot all be read. */
  readonly problems: readonly Words[];
  /** A bound was reached: older ones may be missing. */
  readonly isCut: boolean;
}

interface Candidate extends Listed {
  /**
   * `here`: where it lies says that it belongs to the folder, unless it says itself that it does not. `surely`: a file beside
   * it names the folder, whatever folders are named in the session.
   */
  readonly lies: 'surely' | 'here' | 'anywhere';
}

export async function findSessionsHere(search: Search): Promise<SessionsHere> {
  const { folders, signal, system = SYSTEM, limits = LIMITS } = search;
  const until = Date.now() + limits.ms;
  const problems = new Map<string, Words>();
  const left = { entries: limits.entries };
  const fault = (program: string) => (thrown: unknown) => {
    signal.throwIfAborted();
    if (!problems.has(program))
      problems.set(program, words('{0}: not all of its sessions can be read. {1}', program, wordsOf(thrown)));
  };
  const known = await KnownFolders.resolve(folders, system);
  const candidates: Candidate[] = [];
  const found: Listed[] = [];
  for (const root of rootsOf(search, system)) {
    const { program, tells } = root.place;
    const inFolder = PLACES_IN_FOLDER.includes(root.place);
    const enters = (below: string) => below.includes('/') || isOf(root, below, known);
    for (const below of await walkPlace(root, { left, signal, enters, onFault: fault(program) })) {
      const path = join(root.folder, below);
      const facts = await stat(path).catch(() => null);
      if (!facts || facts.size === 0) continue;
      const file = { program, path, time: facts.mtimeMs, size: facts.size, title: '', folder: '' };
      if (path.endsWith('.db')) found.push(...(await sessionsIn(file, known, signal).catch(noneFor(fault(program)))));
      else candidates.push({ ...file, lies: tells === 'beside' ? 'surely' : inFolder || tells ? 'here' : 'anywhere' });
    }
  }
  candidates.sort(newestFirst);
  let read = 0;
  for (const { lies, ...each } of candidates) {
    if (found.length >= limits.sessions || read >= limits.files || Date.now() > until) break;
    read++;
    try {
      const described = await describe(each, lies, known, signal);
      if (described) found.push({ ...each, ...described });
    } catch (thrown) {
      signal.throwIfAborted();
      // Of any other file it is not known whose it is.
      if (lies !== 'anywhere') fault(each.program)(thrown);
    }
  }
  const { sessions, more } = await distinctSessions(found.sort(newestFirst), signal, limits.sessions);
  return {
    sessions: sessions.map(({ size: _, ...session }) => session),
    problems: [...problems.values()],
    isCut: read < candidates.length || left.entries <= 0 || more,
  };
}

const newestFirst = (a: Listed, b: Listed) => b.time - a.time;

function rootsOf({ folders, editorData, env = process.env, home = homedir() }: Search, system: System): SessionRoot[] {
  const editors = [...new Set([...editorFolders(system, env), ...(editorData === undefined ? [] : [editorData])])];
  const elsewhere = SESSION_PLACES.flatMap((place) => {
    const paths = foldersOf(place, system, env, editors).map((folder) => fromHome(folder, home));
    return [...new Set(paths)].map((folder) => ({ place, folder }));
  });
  const own = PLACES_IN_FOLDER.flatMap((place) => folders.map((folder) => ({ place, folder })));
  return [...own, ...elsewhere];
}

/** False for a folder of a program's in which only sessions of other folders lie. */
async function isOf({ place, folder }: SessionRoot, below: string, known: KnownFolders): Promise<boolean> {
  if (place.tells === 'name') return known.mayBeNamed(below);
  if (place.tells !== 'beside') return true;
  const read = await readBounded(join(folder, below, 'workspace.json'), TELLING).catch(() => '');
  const named = typeof read === 'string' ? null : parseObject(read.toString('utf8'));
  return named !== null && [named.folder, named.workspace].some((address) => known.has(asText(address)));
}

/** Null for a session of another folder, and for one in which nobody has said anything. */
async function describe(
  file: Listed,
  lies: Candidate['lies'],
  known: KnownFolders,
  signal: AbortSignal,
): Promise<Pick<FoundSession, 'title' | 'folder'> | null> {
  const { folder, hash } = lies === 'surely' ? {} : workedIn((await readBeginning(file, signal, TELLING)).text);
  const isHere =
    folder === undefined ? (hash === undefined ? lies !== 'anywhere' : known.hasHash(hash)) : known.has(folder);
  if (!isHere) return null;
  const beginning = await readBeginning(file, signal);
  const title = titleOf(beginning.text);
  return title === '' && beginning.isWhole ? null : { title, folder: folder ?? '' };
}

async function sessionsIn(file: Listed, known: KnownFolders, signal: AbortSignal): Promise<Listed[]> {
  const parts = await listParts(file.path, signal);
  return parts.flatMap((part) => (known.has(part.folder ?? '') ? [{ ...file, ...part }] : []));
}

const noneFor = (fault: (thrown: unknown) => void) => (thrown: unknown) => {
  fault(thrown);
  return [];
};
