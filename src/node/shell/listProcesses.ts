/**
 * Lists the processes that a command has started, on Linux. One that left the session is found by the mark in its
 * environment or by its parent. One that lost both, and whose parent lost both, is not found.
 */

import { readdir, readFile } from 'node:fs/promises';
import { hasCode } from '../files/fileErrors.ts';

const LONGEST_NAME = 100;

export interface Process {
  readonly id: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** The processes of the session that `leader` leads. */
export async function listSession(leader: number): Promise<Process[]> {
  return (await listProcesses()).filter(({ session }) => session === leader);
}

/**
 * The processes of the session, those that carry the mark, and all their descendants. `family` accumulates the ids
 * found so far, so that a process whose parent has ended still belongs to it. Without a leader, only the mark decides.
 */
export async function listFamily(leader: number | null, mark: string, family: Set<number>): Promise<Process[]> {
  const all = await listProcesses();
  const found = await Promise.all(all.map(async (each) => each.session === leader || hasMark(each.id, mark)));
  for (const [nth, { id }] of all.entries()) if (found[nth]) family.add(id);
  for (let size = -1; size !== family.size; ) {
    size = family.size;
    for (const { id, parent } of all) if (family.has(parent)) family.add(id);
  }
  return all.filter(({ id }) => family.has(id));
}

/** Describes a process for a person; the text is foreign. */
export async function nameProcess(id: number): Promise<string> {
  const line = (await readText(`/proc/${id}/cmdline`)).replaceAll('\0', ' ').trim();
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME)}…` : line;
}

/** Without zombies: in a container nobody may ever reap them. */
async function listProcesses(): Promise<Process[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const all = await Promise.all(ids.map(readProcess));
  return all.filter((each) => each !== null);
}

async function readProcess(id: string): Promise<Process | null> {
  const text = await readText(`/proc/${id}/stat`);
  // The name is in brackets and may contain anything, so the fields are counted after its end.
  const [state = 'Z', parent, group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (text === '' || 'ZX'.includes(state)) return null;
  return { id: Number(id), parent: Number(parent), group: Number(group), session: Number(session) };
}

async function hasMark(id: number, mark: string): Promise<boolean> {
  return (await readText(`/proc/${id}/environ`)).split('\0').includes(`${MARK}=${mark}`);
}

/** Empty for a process that is gone or inaccessible. */
async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'latin1');
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return '';
    throw thrown;
  }
}

/** Environment variable with a unique word for each run: every process that inherits it belongs to the run. */
export const MARK = 'PALIMPSEST_RUN';
