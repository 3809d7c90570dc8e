/**
 * The journals and the log of a host, read as they lie on disk: what a scenario cannot see in the panel. Invariant: only
 * whole lines are read, because the product may be writing the last one.
 */

import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../../src/core/journal/entry.ts';
import type { Host } from './host.ts';

type EntryOf<T extends Entry['type']> = Extract<Entry, { type: T }>;

/** The whole lines of a file: those that have an end. */
export function readLines(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

/** Entries of every session, the oldest session first. */
export function readJournals(host: Host): Entry[][] {
  return listJournals(host)
    .sort()
    .map((path) => readLines(path).map((line): Entry => JSON.parse(line)));
}

/** Entries of that type in the newest session. */
export function entriesOf<T extends Entry['type']>(host: Host, type: T): EntryOf<T>[] {
  const newest = readJournals(host).at(-1) ?? [];
  return newest.filter((entry): entry is EntryOf<T> => entry.type === type);
}

/** The path of the journal that was written last. */
export function journalPath(host: Host): string {
  const [path] = listJournals(host).sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (!path) throw new Error('there is no session on disk');
  return path;
}

/** The journals of this scenario. */
function listJournals({ server: { userDataDir }, before }: Host): string[] {
  const names = globSync('**/journal.jsonl', { cwd: userDataDir });
  return names.filter((name) => !before.journals.has(name)).map((name) => join(userDataDir, name));
}

/** What our output channel holds. */
export function readLog({ server, before }: Host): string {
  const files = globSync('**/Palimpsest.log', { cwd: server.userDataDir }).sort();
  return files
    .map((path) => readFileSync(join(server.userDataDir, path), 'utf8'))
    .join('\n')
    .slice(before.log);
}
