/**
 * The owner of a lock, described so that it can be judged later and elsewhere: process numbers are reused, after a
 * restart of the machine by anything, and a machine can be renamed.
 */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { codeOf } from '../disk/storageError.ts';

export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** Of the installed system; unchanged when the machine is renamed. */
  readonly machine?: string;
  /** Different after each restart. */
  readonly boot?: string;
  /** When the machine was started, in milliseconds since the epoch; an estimate, since clocks are adjusted. */
  readonly bootedAt?: number;
  /** The namespace of process numbers; containers have their own. */
  readonly space?: string;
  /** When the process was started, in the system's units. */
  readonly born?: string;
  /** As the program names itself; absent for a window of the editor. */
  readonly program?: string;
}

/** This process, and the facts available about others. */
export interface Here {
  readonly owner: LockOwner;
  /** False when no process has that number. */
  isAlive(pid: number): boolean;
  /** Null where the system does not report it. */
  bornOf(pid: number): string | null;
}

/** `doubtful`: it may be gone; a live owner answers when asked. */
export type Verdict = 'there' | 'gone' | 'doubtful';

/** Tolerance in milliseconds between estimates of the same start. */
const SAME_START_MS = 120_000;

/** The namespace of Linux processes outside containers. */
const NO_CONTAINER = 'pid:[4026531836]';

/** Pure except for the lookups in `here`. */
export function judgeOwner(owner: LockOwner, here: Here): Verdict {
  const own = here.owner;
  if (owner.boot !== undefined && own.boot !== undefined) {
    if (owner.boot === own.boot) return owner.space === own.space ? judgeProcess(owner, here) : 'doubtful';
    if (owner.machine === undefined || owner.machine !== own.machine) return 'there';
    // Containers made from one image report the same machine.
    return owner.space === NO_CONTAINER && own.space === NO_CONTAINER ? 'gone' : 'doubtful';
  }
  const started = sameStart(owner, own);
  if (owner.host === own.host) {
    const verdict = judgeProcess(owner, here);
    return verdict === 'there' && started === false ? 'doubtful' : verdict;
  }
  return started && !here.isAlive(owner.pid) ? 'doubtful' : 'there';
}

function judgeProcess({ pid, born }: LockOwner, here: Here): Verdict {
  if (!here.isAlive(pid)) return 'gone';
  const found = here.bornOf(pid);
  return born !== undefined && found !== null && found !== born ? 'gone' : 'there';
}

/** Undefined where one of them is unknown. */
function sameStart({ bootedAt: one }: LockOwner, { bootedAt: other }: LockOwner): boolean | undefined {
  return one === undefined || other === undefined ? undefined : Math.abs(one - other) <= SAME_START_MS;
}

/** As this system reports it. Looked up each time, because a machine may be renamed while it runs. */
export function inspectSystem(): Here {
  const born = bornOf(process.pid);
  const stated = {
    machine: readWord('/etc/machine-id'),
    boot: readWord('/proc/sys/kernel/random/boot_id'),
    space: readSpace(),
    born,
  };
  const owner: LockOwner = {
    pid: process.pid,
    host: hostname(),
    bootedAt: Math.round(Date.now() - uptime() * 1000),
    ...Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== null)),
  };
  return { owner, isAlive: processIsAlive, bornOf };
}

function processIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // Being forbidden to signal it means that it exists.
    return codeOf(thrown) === 'EPERM';
  }
}

/** Ticks since the machine was started; the 22nd word, counted after the program's name, which may contain anything. */
function bornOf(pid: number): string | null {
  const text = readWord(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function readWord(path: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

function readSpace(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
