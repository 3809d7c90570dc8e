/** Ends everything a command has started: its process group, or on Windows its tree of processes. */

import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../files/fileErrors.ts';

/** From the polite signal to the one that cannot be refused. */
const GRACE_MS = 400;
/** From the hard signal to being gone. */
const KILLED_MS = 200;
const POLL_MS = 15;

/** True when something was still running. Returns when nothing of the group is, or after all that could be done. */
export async function endGroup(child: ChildProcess): Promise<boolean> {
  if (child.pid === undefined || !(await isAlive(child, child.pid))) return false;
  signalGroup(child, child.pid, 'SIGTERM');
  if (await isGoneWithin(child, child.pid, GRACE_MS)) return true;
  signalGroup(child, child.pid, 'SIGKILL');
  await isGoneWithin(child, child.pid, KILLED_MS);
  return true;
}

async function isGoneWithin(child: ChildProcess, pid: number, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  do {
    await sleep(POLL_MS);
    if (!(await isAlive(child, pid))) return true;
  } while (performance.now() < end);
  return false;
}

async function isAlive(child: ChildProcess, pid: number): Promise<boolean> {
  if (process.platform === 'win32') return child.exitCode === null && child.signalCode === null;
  if (!signalGroup(child, pid, 0)) return false;
  // A process that has ended but was not yet asked what became of it still takes signals; in a container without an
  // init it may do so for long.
  return process.platform !== 'linux' || (await hasLivingMember(pid));
}

/** False when the group has no process any more. */
function signalGroup(child: ChildProcess, pid: number, signal: NodeJS.Signals | 0): boolean {
  if (process.platform === 'win32') {
    // Windows has no polite signal for a tree without a window.
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => {
      child.kill();
    });
    return true;
  }
  try {
    process.kill(-pid, signal);
    return true;
  } catch (thrown) {
    // EPERM: what is left belongs to somebody else (a process that changed its user) and is not ours to end.
    if (hasCode(thrown, 'ESRCH', 'EPERM')) return false;
    throw thrown;
  }
}

async function hasLivingMember(group: number): Promise<boolean> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const living = await Promise.all(ids.map((id) => isLivingMember(id, group)));
  return living.includes(true);
}

async function isLivingMember(id: string, group: number): Promise<boolean> {
  try {
    const text = await readFile(`/proc/${id}/stat`, 'utf8');
    // The name stands in brackets and may hold anything, so the fields are counted from its end: state, parent, group.
    const [state, , ofGroup] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(ofGroup) === group && state !== 'Z' && state !== 'X';
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ESRCH', 'EACCES')) return false;
    throw thrown;
  }
}
