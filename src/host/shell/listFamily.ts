/**
 * The processes that a command has started, as Linux tells of them. One that left the session is found by the mark in
 * its environment and by its parent; only one that did away with both, its parent included, is not.
 */

import { readdir, readFile } from 'node:fs/promises';
import { hasCode } from '../files/fileErrors.ts';

/** Environment variable that holds a run's own word: whoever inherited it belongs to the run. */
export const MARK = 'PALIMPSEST_RUN';

export interface Process {
  readonly id: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** Those of the session that `leader` leads. */
export async function listSession(leader: number): Promise<Process[]> {
  return (await listProcesses()).filter(({ session }) => session === leader);
}

/**
 * The session's, those that carry the mark, and what descends from either, wherever it went. `family` has the ids found
 * so far and grows: whose parent has ended since still belongs to it.
 */
export async function listFamily(leader: number, mark: string, family: Set<number>): Promise<Process[]> {
  const all = await listProcesses();
  const found = await Promise.all(all.map(async (each) => each.session === leader || hasMark(each.id, mark)));
  for (const [nth, { id }] of all.entries()) if (found[nth]) family.add(id);
  for (let size = -1; size !== family.size; ) {
    size = family.size;
    for (const { id, parent } of all) if (family.has(parent)) family.add(id);
  }
  return all.filter(({ id }) => family.has(id));
}

/** Without those that have ended but were not yet asked what became of them: in a container that may never happen. */
async function listProcesses(): Promise<Process[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const all = await Promise.all(ids.map(readProcess));
  return all.filter((each) => each !== null);
}

async function readProcess(id: string): Promise<Process | null> {
  const text = await readText(`/proc/${id}/stat`);
  // The name stands in brackets and may hold anything, so the fields are counted from its end.
  const [state = 'Z', parent, group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (text === '' || 'ZX'.includes(state)) return null;
  return { id: Number(id), parent: Number(parent), group: Number(group), session: Number(session) };
}

async function hasMark(id: number, mark: string): Promise<boolean> {
  return (await readText(`/proc/${id}/environ`)).split('\0').includes(`${MARK}=${mark}`);
}

/** Empty for a process that has gone, or is not ours to look into. */
async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1');
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return '';
    throw thrown;
  }
}
