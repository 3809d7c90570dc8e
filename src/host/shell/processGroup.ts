/**
 * Ends everything a command has started: its process group; on Linux its whole session, since `timeout`, job control and
 * others make groups of their own within it; on Windows its tree of processes.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../files/fileErrors.ts';

/** From the polite signal to the one that cannot be refused. */
const GRACE_MS = 400;
/** From the hard signal to being gone. */
const KILLED_MS = 200;
const POLL_MS = 15;

/** True when something was still running. Returns when nothing of it is, or after all that could be done. */
export async function endGroup(child: ChildProcess): Promise<boolean> {
  if (child.pid === undefined) return false;
  const group: Group = process.platform === 'win32' ? windowsTree(child, child.pid) : unixGroup(child.pid);
  if (!(await group.isAlive())) return false;
  await group.signal('SIGTERM');
  if (await isGoneWithin(group, GRACE_MS)) return true;
  await group.signal('SIGKILL');
  await isGoneWithin(group, KILLED_MS);
  return true;
}

async function isGoneWithin(group: Group, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  do {
    await sleep(POLL_MS);
    if (!(await group.isAlive())) return true;
  } while (performance.now() < end);
  return false;
}

interface Group {
  isAlive(): Promise<boolean>;
  signal(signal: NodeJS.Signals): Promise<void>;
}

/** The shell was started detached, so it leads both a group and a session of its own id. */
function unixGroup(leader: number): Group {
  if (process.platform !== 'linux') {
    return { isAlive: async () => send(-leader, 0), signal: async (signal) => void send(-leader, signal) };
  }
  return {
    isAlive: async () => (await listSession(leader)).length > 0,
    async signal(signal) {
      // The group at once, so that no member sees another one go first; then those that made their own.
      send(-leader, signal);
      for (const { id, group } of await listSession(leader)) if (group !== leader) send(id, signal);
    },
  };
}

function windowsTree(child: ChildProcess, id: number): Group {
  return {
    isAlive: async () => child.exitCode === null && child.signalCode === null,
    // Windows has no polite signal for a tree without a window, so the first one is already the last.
    async signal() {
      const end = spawn('taskkill', ['/pid', String(id), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
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

interface Member {
  readonly id: number;
  readonly group: number;
}

/** Without those that have ended but were not yet asked what became of them: in a container that may never happen. */
async function listSession(session: number): Promise<Member[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const members = await Promise.all(ids.map((id) => readMember(id, session)));
  return members.filter((member) => member !== null);
}

async function readMember(id: string, session: number): Promise<Member | null> {
  try {
    const text = await readFile(`/proc/${id}/stat`, 'utf8');
    // The name stands in brackets and may hold anything, so the fields are counted from its end.
    const [state = '', , group, ofSession] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(ofSession) === session && !'ZX'.includes(state) ? { id: Number(id), group: Number(group) } : null;
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ESRCH', 'EACCES')) return null;
    throw thrown;
  }
}
