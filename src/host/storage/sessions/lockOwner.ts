/**
 * Who owns a lock, told so that it can be judged later and elsewhere: a number of a process is given again, after a
 * restart of the machine to anybody, and a machine can get another name.
 */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { codeOf } from '../disk/storageError.ts';

export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** Of the installed system; stays when it gets another name. */
  readonly machine?: string;
  /** Another one after each restart. */
  readonly boot?: string;
  /** When the machine was started, in milliseconds since the epoch; an estimate, since clocks are set. */
  readonly bootedAt?: number;
  /** Where numbers of processes mean the same; containers have their own. */
  readonly space?: string;
  /** When the process was started, as the system counts. */
  readonly born?: string;
}

/** This process, and what can be learned of others. */
export interface Here {
  readonly owner: LockOwner;
  /** False when there is no process of that number. */
  isAlive(pid: number): boolean;
  /** Null where the system does not tell. */
  bornOf(pid: number): string | null;
}

/** `doubtful`: it may be gone or not; an owner that is there answers when it is asked. */
export type Verdict = 'there' | 'gone' | 'doubtful';

/** Milliseconds by which an estimate of the same start may be off. */
const SAME_START_MS = 120_000;

/** Processes of Linux that are in no container count in this space. */
const NO_CONTAINER = 'pid:[4026531836]';

/** Pure but for what `here` looks up. */
export function judgeOwner(owner: LockOwner, here: Here): Verdict {
  const own = here.owner;
  if (owner.boot !== undefined && own.boot !== undefined) {
    if (owner.boot === own.boot) return owner.space === own.space ? judgeProcess(owner, here) : 'doubtful';
    if (owner.machine === undefined || owner.machine !== own.machine) return 'there';
    // Containers made of one image say that they are one machine.
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

/** Undefined where one of them does not say. */
function sameStart({ bootedAt: one }: LockOwner, { bootedAt: other }: LockOwner): boolean | undefined {
  return one === undefined || other === undefined ? undefined : Math.abs(one - other) <= SAME_START_MS;
}

/** As this system tells it. Looked up anew each time: a machine may get another name while it runs. */
export function lookAround(): Here {
  const born = bornOf(process.pid);
  const told = {
    machine: readWord('/etc/machine-id'),
    boot: readWord('/proc/sys/kernel/random/boot_id'),
    space: readSpace(),
    born,
  };
  const owner: LockOwner = {
    ...{ pid: process.pid, host: hostname(), bootedAt: Math.round(Date.now() - uptime() * 1000) },
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null)),
  };
  return { owner, isAlive: processIsAlive, bornOf };
}

function processIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // Not allowed to signal it means that it is there.
    return codeOf(thrown) === 'EPERM';
  }
}

/** Ticks since the machine was started; the 22nd word, counted behind the program's name, which may hold anything. */
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
