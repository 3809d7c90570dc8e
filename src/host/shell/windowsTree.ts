/**
 * Ends a Windows process with all its descendants: its tree with the system's own program, and orphans with the list of
 * processes.
 */

import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../files/fileErrors.ts';
import { findTree, inSystemFolder, listWindowsProcesses, type WindowsProcess } from './windowsFacts.ts';

/** Time for a process to be gone after it was ended. */
const KILLED_MS = 500;
const POLL_MS = 15;
/** Processes that start others while being ended are listed again. */
const MOST_ROUNDS = 3;

export interface WindowsRoot {
  readonly id: number;
  /** Its start time, in milliseconds since 1970. */
  readonly since: number;
  /** As far as its parent knows. */
  readonly runs: () => boolean;
}

export interface EndedGroup {
  /** Something was still running and was signalled to end. */
  readonly ended: boolean;
  /** Processes known to be still running, with their ids: they left the group, or could not be ended. */
  readonly left: readonly string[];
}

export async function endWindowsTree(root: WindowsRoot, list = listWindowsProcesses): Promise<EndedGroup> {
  let ended = root.runs();
  if (ended) {
    await killTree(root.id);
    await isGoneWithin(root.runs);
  }
  let rest: readonly WindowsProcess[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const all = await list();
    rest = all === null ? [] : findTree(all, { id: root.id, since: root.since, runs: root.runs() });
    if (rest.length === 0) break;
    ended = true;
    // The newest first, so that none sees a child end and starts another.
    for (const { id } of rest.toReversed()) signal(id, 'SIGKILL');
    await isGoneWithin(() => rest.some(({ id }) => isThere(id)));
    rest = rest.filter(({ id }) => isThere(id));
  }
  return { ended, left: rest.map(({ id, name }) => `${id} (${name})`) };
}

/** Windows has no SIGTERM for a tree without a window, so it is ended at once. */
export function killTree(id: number): Promise<void> {
  return new Promise((resolve) => {
    execFile(inSystemFolder('taskkill.exe'), ['/pid', String(id), '/t', '/f'], { windowsHide: true }, (failed) => {
      // At least the process itself.
      if (failed) signal(id, 'SIGKILL');
      resolve();
    });
  });
}

async function isGoneWithin(runs: () => boolean): Promise<void> {
  const end = performance.now() + KILLED_MS;
  while (runs() && performance.now() < end) await delay(POLL_MS);
}

function signal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch (thrown) {
    // EPERM: it belongs to another user, or is ending already.
    if (!hasCode(thrown, 'ESRCH', 'EPERM')) throw thrown;
  }
}

function isThere(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (thrown) {
    if (hasCode(thrown, 'EPERM')) return true;
    if (hasCode(thrown, 'ESRCH')) return false;
    throw thrown;
  }
}
