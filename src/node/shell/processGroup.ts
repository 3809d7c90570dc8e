/**
 * Ends everything that a command has started: its process group; on Linux its whole session, because `timeout`, job
 * control and others create groups of their own in it, and on request processes that left the session; on Windows its
 * process tree.
 */

import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { ShellResult } from '../../core/workspace/shell.ts';
import { hasCode } from '../files/fileErrors.ts';
import { listFamily, listSession, nameProcess, type Process } from './listProcesses.ts';
import { type EndedGroup, endWindowsTree, killTree } from './windowsTree.ts';

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 400;
/** Time for a process to be gone after SIGKILL. */
const KILLED_MS = 200;
const POLL_MS = 15;

/**
 * Resolves when nothing of the group runs, or when everything possible was done. All processes of the command carry
 * `mark`. With `everywhere`, processes that left the group end too; otherwise they are only named. `since` is the start
 * time, in milliseconds since 1970.
 */
export async function endGroup(
  child: ChildProcess,
  mark: string,
  since: number,
  everywhere: boolean,
): Promise<EndedGroup> {
  const { pid } = child;
  if (pid === undefined) return { ended: false, left: [] };
  if (process.platform === 'win32') {
    return endWindowsTree({ id: pid, since, runs: () => child.exitCode === null && child.signalCode === null });
  }
  const group = unixGroup(pid, mark, everywhere);
  // Listed first, because a process cannot be found by its parent once that is gone.
  await group.left();
  const ended = await end(group);
  return { ended, left: await group.left() };
}

/**
 * The same for a command in a terminal, whose session also contains the terminal's shell and the person's own programs:
 * ends only processes with the mark, and none of `others`, which carried it before. Does nothing where processes cannot
 * be listed.
 */
export async function endMarked(
  session: number | undefined,
  mark: string,
  others: ReadonlySet<number>,
  everywhere: boolean,
): Promise<EndedGroup> {
  if (process.platform !== 'linux') return { ended: false, left: [] };
  const family = new Set<number>();
  const all = async () => (await listFamily(null, mark, family)).filter(({ id }) => !others.has(id));
  const list = async () => (await all()).filter((each) => everywhere || each.session === session);
  const group: Group = {
    isAlive: async () => (await list()).length > 0,
    signal: async (signal) => {
      for (const { id } of await list()) send(id, signal);
    },
    left: async () => nameAll(await all()),
  };
  await group.left();
  const ended = await end(group);
  return { ended, left: await group.left() };
}

/** The processes that carry the mark now. */
export async function listMarked(mark: string): Promise<ReadonlySet<number>> {
  if (process.platform !== 'linux') return new Set();
  return new Set((await listFamily(null, mark, new Set())).map(({ id }) => id));
}

const nameAll = (all: readonly Process[]) => Promise.all(all.map(async ({ id }) => `${id} (${await nameProcess(id)})`));

export async function end(group: Group): Promise<boolean> {
  if (!(await group.isAlive())) return false;
  await group.signal('SIGTERM');
  if (await isGoneWithin(group, GRACE_MS)) return true;
  await group.signal('SIGKILL');
  // Processes started while the signal was on its way get it too.
  await isGoneWithin(group, KILLED_MS, () => group.signal('SIGKILL'));
  return true;
}

async function isGoneWithin(group: Group, milliseconds: number, insist?: () => Promise<void>): Promise<boolean> {
  const end = performance.now() + milliseconds;
  do {
    await delay(POLL_MS);
    if (!(await group.isAlive())) return true;
    await insist?.();
  } while (performance.now() < end);
  return false;
}

interface Group {
  isAlive(): Promise<boolean>;
  signal(signal: NodeJS.Signals): Promise<void>;
  /** The command's remaining processes, as far as the system reports them. */
  left(): Promise<readonly string[]>;
}

/** The shell was started detached, so it leads both a group and a session of its own id. */
function unixGroup(leader: number, mark: string, everywhere: boolean): Group {
  if (process.platform !== 'linux') {
    return {
      isAlive: async () => send(-leader, 0),
      signal: async (signal) => void send(-leader, signal),
      left: async () => [],
    };
  }
  const family = new Set<number>();
  const list = () => (everywhere ? listFamily(leader, mark, family) : listSession(leader));
  return {
    async left() {
      return nameAll(await listFamily(leader, mark, family));
    },
    isAlive: async () => (await list()).length > 0,
    async signal(signal) {
      // Listed first, because a child cannot be found once its parent is gone. The group is signalled as one, so that
      // no member sees another one end first; then those that left it.
      const members = await list();
      send(-leader, signal);
      for (const { id, group } of members) if (group !== leader) send(id, signal);
    },
  };
}

/** Signals the whole group to end, without waiting. */
export function reportGroup({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return;
  if (process.platform === 'win32') void killTree(pid);
  else send(-pid, 'SIGTERM');
}

/** False when no process receives the signal. A negative id means a group. */
function send(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(id, signal);
    return true;
  } catch (thrown) {
    // EPERM: the remaining process belongs to another user, so it must not be ended.
    if (hasCode(thrown, 'ESRCH', 'EPERM')) return false;
    throw thrown;
  }
}

/** Maximum remaining processes that are named. */
const MOST_NAMED = 20;

/** Empty when there were none. */
export function describeLeft(result: ShellResult['ended'], { ended, left }: EndedGroup, drained: boolean): string {
  const lines = result === 'exit' && ended ? ['processes left in the background were ended'] : [];
  if (left.length > 0) {
    const why = result === 'exit' ? 'they left the command on purpose' : 'they could not be ended';
    lines.push(`processes still run, because ${why}: ${left.slice(0, MOST_NAMED).join(', ')}`);
    if (left.length > MOST_NAMED) lines.push(`and ${left.length - MOST_NAMED} more processes`);
  } else if (!drained) {
    lines.push('a process that left the command still holds its output; it could not be found');
  }
  return lines.map((line) => `\n… ${line}`).join('');
}
