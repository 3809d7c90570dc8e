/** Finds recorded sessions in files and folders, and reads them as the product imports them. */

import { type Dirent, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { messageOf } from '../core/errors.ts';
import { recognise } from '../core/sessions/recognise.ts';
import { newImportReport } from '../core/sessions/recorded.ts';
import { type RecordedSession, readSession } from '../lab/session.ts';
import { readStored } from '../node/lab/storedSession.ts';
import { nodeCrypto } from '../node/storage/disk/fileBlobStore.ts';
import { distinctSessions } from '../node/storage/sessions/distinctSessions.ts';
import { importFile } from '../node/storage/sessions/importFile.ts';
import { listParts, readBeginning } from '../node/storage/sessions/recordedParts.ts';
import { isEventFile, openText, type RecordedPlace } from '../node/storage/sessions/recordedText.ts';
import { JOURNAL, SessionStore } from '../node/storage/sessions/sessionStore.ts';

/** A session's file, as plain data that can be sent to a worker. */
export interface SessionSource extends RecordedPlace {
  /** Distinct in a run. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

const MESSAGES = /(?<!\.meta)(?:\.jsonl?|\.traj|\.aider\.chat\.history\.md)(?:\.gz)?$/;
const DATABASE = /^opencode(?:-[\w.-]+)?\.db$/;
const ARCHIVE = /\.(?:zip|tar|tgz|tar\.\w+|7z|rar)$/i;
const EVENTS = 'events';
/** The last has events of OpenHands a second time. */
const SKIPPED = new Set(['node_modules', '.git', 'subagents', 'blobs', 'event_cache']);

export interface Listed {
  readonly sessions: readonly SessionSource[];
  /** Sentences about files that were left out. */
  readonly notes: readonly string[];
}

/** Files and all folders below a folder, by name; each session once. Throws when a place has no session. */
export async function listSessions(places: readonly string[], signal: AbortSignal): Promise<Listed> {
  const found: SessionSource[] = [];
  const notes: string[] = [];
  for (const place of places) found.push(...(await listPlace(place, notes, signal)));
  const { sessions, copies } = await distinctSessions(byPath(found), signal);
  if (sessions.length === 0) throw new Error(`There is nothing in ${places.join(', ')}: name another folder or file.`);
  if (copies > 0) notes.push(`Found again and left out: ${copies} copies of sessions.`);
  return { sessions: numbered(sessions).sort((a, b) => (a.name < b.name ? -1 : 1)), notes };
}

async function listPlace(place: string, notes: string[], signal: AbortSignal): Promise<SessionSource[]> {
  if (isFile(place)) return listFile(place, basename(place), signal);
  const archives: string[] = [];
  const files = listFolder(place, archives);
  if (archives.length > 0)
    notes.push(`Archives are not opened; unpack them to have what is in them read: ${archives.join(', ')}.`);
  if (files.length === 0)
    throw new Error(
      [`There is no session (*.jsonl, *.json, *.traj, each also with .gz, or opencode.db) in ${place}.`, ...notes].join(
        ' ',
      ),
    );
  const listed: SessionSource[] = [];
  for (const path of files) listed.push(...(await listFile(path, relative(place, path) || basename(path), signal)));
  return listed;
}

/** Each session in the file; the file itself where it cannot be read, so that its fault is told later. */
export async function listFile(path: string, name: string, signal: AbortSignal): Promise<SessionSource[]> {
  const whole = sourceOf(path, name);
  if (!SEVERAL.test(basename(path))) return [whole];
  const parts = await listParts(path, signal).catch(() => []);
  return parts.length === 0
    ? [whole]
    : parts.map(({ part, title, time = whole.time }) => ({
        ...whole,
        name: `${whole.name}/${title === '' ? part : title}`.replaceAll(/[\n\r\t]+/g, ' ').slice(0, LONGEST_NAME),
        part,
        time,
      }));
}

/** Names of files that may hold several sessions. */
const SEVERAL = /\.(?:jsonl(?:\.gz)?|db)$/;
const LONGEST_NAME = 120;

/** Paths of files and folders of events that may hold sessions, in the folder and below it. Throws when it cannot be read. */
export function listFolder(folder: string, archives: string[] = []): string[] {
  try {
    return listEntries(readdirSync(folder, { withFileTypes: true }), folder, archives);
  } catch (cause) {
    throw new Error(`The sessions ${folder} cannot be read (${messageOf(cause)}): name another folder or file.`, {
      cause,
    });
  }
}

function listEntries(entries: readonly Dirent[], folder: string, archives: string[]): string[] {
  const names = new Set(entries.map(({ name }) => name));
  if (basename(folder) === EVENTS && entries.some(({ name }) => isEventFile(join(folder, name)))) return [folder];
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listEntries(entriesOf(path), path, archives);
      if (ARCHIVE.test(entry.name)) archives.push(path);
      // Kimi CLI keeps the same session in two files.
      if (entry.name === 'wire.jsonl' && names.has('context.jsonl')) return [];
      return (MESSAGES.test(entry.name) || DATABASE.test(entry.name)) && isFile(path) ? [path] : [];
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
  // Each session of Palimpsest, and of OpenHands, is a folder of its own.
  return { name: plain.replace(/\/(?:journal|events)$/, '') || plain, path, size, time: mtimeMs };
}

/** The same file, or the same part of one, is read once. */
const byPath = (sources: readonly SessionSource[]): SessionSource[] => [
  ...new Map(sources.map((source) => [`${source.path}\n${source.part ?? ''}`, source])).values(),
];

/** Equal names are numbered. */
export function numbered(sources: readonly SessionSource[]): SessionSource[] {
  const seen = new Map<string, number>();
  return sources.map((source) => {
    const count = (seen.get(source.name) ?? 0) + 1;
    seen.set(source.name, count);
    return count > 1 ? { ...source, name: `${source.name} (${count})` } : source;
  });
}

/** `tell` gets a line about each kind of thing that was left out. Throws an `Error` that names the session and its fault. */
export async function loadSession(
  { name, ...place }: Named,
  tell: (line: string) => void = () => undefined,
): Promise<RecordedSession> {
  const { path } = place;
  const { signal } = new AbortController();
  try {
    const { text, isWhole } = await readBeginning(place, signal);
    if (isWhole && text.trim() === '') throw new Error('it is empty.');
    const recognised = recognise(text);
    if (recognised && recognised.format !== 'normal') return await loadForeign(name, place, tell);
  } catch (cause) {
    throw new Error(`${path}: ${messageOf(cause)}`, { cause });
  }
  const meta = ['.meta.json.gz', '.meta.json']
    .map((ending) => path.replace(MESSAGES, ending))
    .find((beside) => beside !== path && existsSync(beside));
  return readSession(name, await readText(place), meta === undefined ? null : await readText({ path: meta }));
}

type Named = Pick<SessionSource, 'name' | 'path' | 'part'>;

/** Another program's recording, imported as the product imports it. */
async function loadForeign(name: string, place: RecordedPlace, tell: (line: string) => void): Promise<RecordedSession> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-lab-'));
  try {
    const ports = { clock: { now: () => 0 }, crypto: nodeCrypto };
    const store = new SessionStore({ folder, workspace: null, engine: 'palimpsest/lab', ...ports });
    const { signal } = new AbortController();
    const report = newImportReport();
    const id = await importFile({ store, ...place, report, signal });
    if (id === null) throw new Error('no message in it can be read');
    const { badLines, brokenLinks } = report;
    const [first] = badLines;
    if (first)
      tell(`${place.path}: lines left out: ${badLines.length}; the first is line ${first.line}: ${first.reason}.`);
    if (brokenLinks > 0)
      tell(`${place.path}: links to missing lines: ${brokenLinks}; each goes on with the line before it.`);
    return await readStored({ id, title: name, path: join(store.folderOf(id), JOURNAL), size: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** More than this is no text of one session. */
const MOST_TEXT = 1_000_000_000;

async function readText(place: RecordedPlace): Promise<string> {
  try {
    const { text, isWhole } = await openText(place, MOST_TEXT, new AbortController().signal);
    let whole = '';
    for await (const piece of text.setEncoding('utf8')) whole += piece;
    if (!isWhole()) throw new Error('unexpected end of file');
    return whole;
  } catch (cause) {
    throw new Error(`${place.path}: ${messageOf(cause)}`, { cause });
  }
}
