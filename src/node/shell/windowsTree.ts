/**
 * Ends a Windows process with all its descendants: its tree with the system's own program, and orphans with the list of
 * processes. Windows' own programs are started by absolute paths; anything they do not report is unknown, never guessed.
 */

import { execFile } from 'node:child_process';
import { win32 } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasCode } from '../files/fileErrors.ts';
import { systemFolder } from './commandShell.ts';

/** Time for a process to be gone after it was ended. */
const KILLED_MS = 500;
const POLL_MS = 15;
/** Processes that start others while being ended are listed again. */
const MOST_ROUNDS = 3;

interface WindowsRoot {
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
    for (const { id } of rest.toReversed()) kill(id);
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
      if (failed) kill(id);
      resolve();
    });
  });
}

async function isGoneWithin(runs: () => boolean): Promise<void> {
  const end = performance.now() + KILLED_MS;
  while (runs() && performance.now() < end) await delay(POLL_MS);
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
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

/** A file of the folder that Windows itself is in. */
export const inSystemFolder = (...path: readonly string[]) =>
  win32.join(systemFolder({ platform: 'win32', environment: process.env, exists: () => true }), ...path);

export interface WindowsProcess {
  readonly id: number;
  /** Unchanged when the parent has ended, whose number may since belong to another process. */
  readonly parent: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly name: string;
}

/** In PowerShell, because every Windows has it. */
const LIST =
  "$ErrorActionPreference='SilentlyContinue';[Console]::OutputEncoding=[Text.UTF8Encoding]::new($false);Get-CimInstance Win32_Process|%{'{0} {1} {2} {3}' -f $_.ProcessId,$_.ParentProcessId,$_.CreationDate.ToFileTimeUtc(),$_.Name}";

const LONGEST_MS = 10_000;

/** Null where they cannot be listed. */
export async function listWindowsProcesses(): Promise<readonly WindowsProcess[] | null> {
  const powershell = inSystemFolder('WindowsPowerShell', 'v1.0', 'powershell.exe');
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', LIST];
  try {
    const { stdout } = await promisify(execFile)(powershell, args, {
      windowsHide: true,
      timeout: LONGEST_MS,
      maxBuffer: 16 << 20,
    });
    const all = readProcesses(stdout);
    return all.length === 0 ? null : all;
  } catch {
    return null;
  }
}

/** From 1601 to 1970. */
const EPOCH_MS = 11_644_473_600_000;

export function readProcesses(printed: string): readonly WindowsProcess[] {
  return [...printed.matchAll(/^(\d+) (\d+) (\d+) (.*?)\r?$/gm)].map(([, id, parent, time, name = '']) => ({
    id: Number(id),
    parent: Number(parent),
    name,
    created: Number(time) / 10_000 - EPOCH_MS,
  }));
}

/** Maximum difference between the clocks of processes and of the system. */
const TICK_MS = 100;

/**
 * The running processes started by the process `root`, itself included. `since` is its start time: Windows soon reuses
 * a number, and the children of another process must not be included. A process that lost its parent before it was
 * first listed is not found.
 */
export function findTree(
  all: readonly WindowsProcess[],
  root: { readonly id: number; readonly since: number; readonly runs: boolean },
): readonly WindowsProcess[] {
  const since = root.since - TICK_MS;
  const byId = new Map(all.map((each) => [each.id, each]));
  const holder = byId.get(root.id);
  // Another process has its number by now.
  const until = !root.runs && holder && holder.created >= since ? holder.created : Number.POSITIVE_INFINITY;
  const family = new Map<number, WindowsProcess>();
  if (root.runs && holder) family.set(holder.id, holder);
  const belongs = ({ id, parent, created }: WindowsProcess) => {
    if (created < since || id === root.id) return false;
    const known = family.get(parent);
    if (known) return created >= known.created - TICK_MS;
    return parent === root.id && created <= until;
  };
  for (let size = -1; size !== family.size; ) {
    size = family.size;
    for (const each of all) if (!family.has(each.id) && belongs(each)) family.set(each.id, each);
  }
  return [...family.values()];
}
