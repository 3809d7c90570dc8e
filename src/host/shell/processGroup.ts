/**
 * Ends what a command has started: its process group; on Linux its whole session, since `timeout`, job control and
 * others make groups of their own within it, and on demand what has left the session too; on Windows its tree of
 * processes.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../files/fileErrors.ts';
import { listFamily, listSession } from './listFamily.ts';

/** From the polite signal to the one that cannot be refused. */
const GRACE_MS = 400;
/** From the hard signal to being gone. */
const KILLED_MS = 200;
const POLL_MS = 15;
/** Absolute: by its name alone Windows would look for it in the current folder first. */
const TASKKILL = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`;

/**
 * True when something was still running. Returns when nothing of it is, or after all that could be done. With `mark`,
 * what carries it ends too, though it made a session of its own.
 */
export async function endGroup(child: ChildProcess, mark: string | null): Promise<boolean> {
  if (child.pid === undefined) return false;
  const group: Group = process.platform === 'win32' ? windowsTree(child, child.pid) : unixGroup(child.pid, mark);
  if (!(await group.isAlive())) return false;
  await group.signal('SIGTERM');
  if (await isGoneWithin(group, GRACE_MS)) return true;
  await group.signal('SIGKILL');
  // What was started while the signal was on its way is told as well.
  await isGoneWithin(group, KILLED_MS, () => group.signal('SIGKILL'));
  return true;
}

async function isGoneWithin(group: Group, milliseconds: number, insist?: () => Promise<void>): Promise<boolean> {
  const end = performance.now() + milliseconds;
  do {
    await sleep(POLL_MS);
    if (!(await group.isAlive())) return true;
    await insist?.();
  } while (performance.now() < end);
  return false;
}

interface Group {
  isAlive(): Promise<boolean>;
  signal(signal: NodeJS.Signals): Promise<void>;
}

/** The shell was started detached, so it leads both a group and a session of its own id. */
function unixGroup(leader: number, mark: string | null): Group {
  if (process.platform !== 'linux') {
    return { isAlive: async () => send(-leader, 0), signal: async (signal) => void send(-leader, signal) };
  }
  const family = new Set<number>();
  const list = () => (mark === null ? listSession(leader) : listFamily(leader, mark, family));
  return {
    isAlive: async () => (await list()).length > 0,
    async signal(signal) {
      // Listed before anybody goes, because with a parent the way to its children is lost; then the group at once, so
      // that no member sees another one go first, and those that made their own.
      const members = await list();
      send(-leader, signal);
      for (const { id, group } of members) if (group !== leader) send(id, signal);
    },
  };
}

function windowsTree(child: ChildProcess, id: number): Group {
  return {
    isAlive: async () => child.exitCode === null && child.signalCode === null,
    // Windows has no polite signal for a tree without a window, so the first one is already the last.
    async signal() {
      const end = spawn(TASKKILL, ['/pid', String(id), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
      end.on('error', () => child.kill());
    },
  };
}

/** False when there is nobody to take the signal. A negative id names a group. */
function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(id, signal);
    return true;
  } catch (thrown) {
    // EPERM: what is left belongs to somebody else (a process that changed its user) and is not ours to end.
    if (hasCode(thrown, 'ESRCH', 'EPERM')) return false;
    throw thrown;
  }
}
