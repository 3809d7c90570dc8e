/**
 * Facts from Windows' own programs: the default code page, and the running processes. They are started by absolute
 * paths. Anything they do not report is unknown, never guessed.
 */

import { execFile } from 'node:child_process';
import { win32 } from 'node:path';
import { promisify } from 'node:util';
import { systemFolder } from './commandShell.ts';
import { encodingOf } from './decodeOutput.ts';

const run = promisify(execFile);
const LONGEST_MS = 10_000;

/** A file of the folder that Windows itself is in. */
export const inSystemFolder = (...path: readonly string[]) =>
  win32.join(systemFolder({ platform: 'win32', environment: process.env, exists: () => true }), ...path);

let encoding: Promise<string | null> | null = null;

/** The encoding of output that is not UTF-8; null on other systems, and where it is UTF-8 or unknown. Queried once. */
export function readOutputEncoding(): Promise<string | null> {
  if (process.platform !== 'win32') return Promise.resolve(null);
  encoding ??= askEncoding().catch(() => null);
  return encoding;
}

const CODE_PAGES = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Nls\\CodePage';

async function askEncoding(): Promise<string | null> {
  const { stdout } = await run(inSystemFolder('reg.exe'), ['query', CODE_PAGES, '/v', 'ACP'], {
    windowsHide: true,
    timeout: LONGEST_MS,
  });
  return readCodePage(stdout);
}

export function readCodePage(printed: string): string | null {
  const [, number] = /\bACP\s+REG_SZ\s+(\d+)/.exec(printed) ?? [];
  return number === undefined ? null : encodingOf(Number(number));
}

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

/** Null where they cannot be listed. */
export async function listWindowsProcesses(): Promise<readonly WindowsProcess[] | null> {
  const powershell = inSystemFolder('WindowsPowerShell', 'v1.0', 'powershell.exe');
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', LIST];
  try {
    const { stdout } = await run(powershell, args, { windowsHide: true, timeout: LONGEST_MS, maxBuffer: 16 << 20 });
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
