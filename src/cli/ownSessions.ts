/** A person's own sessions, where the programs that record them put them by default on each system. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { distinctSessions } from '../node/storage/sessions/distinctSessions.ts';
import { editorRoots, sessionRoots } from '../node/storage/sessions/findRecorded.ts';
import { JOURNAL } from '../node/storage/sessions/sessionStore.ts';
import { entriesOf, listFile, listFolder, numbered, type SessionSource } from './sessionFiles.ts';

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

/** The newest ones, at most `most`, each once. */
export async function findOwnSessions(
  most: number,
  signal: AbortSignal,
  env = process.env,
  home = homedir(),
): Promise<OwnSessions> {
  const found: { program: string; folder: string; sources: SessionSource[] }[] = [];
  for (const { program, folder, list } of placesOf(env, home)) {
    if (!existsSync(folder)) continue;
    const sources: SessionSource[] = [];
    for (const path of list(folder))
      sources.push(...(await listFile(path, `${program}/${shorten(relative(folder, path))}`, signal)));
    if (sources.length > 0) found.push({ program, folder, sources });
  }
  const byTime = found.flatMap(({ sources }) => sources).sort((a, b) => b.time - a.time);
  const { sessions } = await distinctSessions(byTime, signal, most);
  const taken = new Set(sessions.map(({ path, part }) => `${path}\n${part}`));
  return {
    sessions: numbered(sessions).sort((a, b) => (a.name < b.name ? -1 : 1)),
    places: found.map(({ program, folder, sources }) => {
      const count = sources.filter(({ path, part }) => taken.has(`${path}\n${part}`)).length;
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
