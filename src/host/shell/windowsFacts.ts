/**
 * What Windows tells by its own programs: the code page of programs that know no other, and which processes run. They are
 * started by absolute paths. What they do not tell is unknown, never guessed.
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

/** The encoding of output that is no UTF-8; null on other systems, and where it is UTF-8 or unknown. Asked once. */
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
  /** Stays the same when that one has ended, and its number may belong to another by then. */
  readonly parent: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly name: string;
}

/** In PowerShell, because it is there on every Windows. */
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
    ...{ id: Number(id), parent: Number(parent), name },
    created: Number(time) / 10_000 - EPOCH_MS,
  }));
}

/** Clocks of processes and of the system tick apart by that much. */
const TICK_MS = 100;

/**
 * What runs of all that the process `root` has started, itself included while it runs. `since` is when it was started:
 * Windows gives a number to another process soon, and the children of that one are not ours. What lost its parent before
 * it was first listed is not found.
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
