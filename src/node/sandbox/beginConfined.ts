/**
 * Lets a command in `bwrap` begin: gives it its options, waits until its mounts are made, and opens the way only if every
 * guarded name is mounted as it must be. Until then nothing of the command has run.
 */

import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { words } from '../../core/words.ts';
import { type ExpectedMount, findWrongMount, isMounted } from './checkMounts.ts';
import { DESCRIPTORS } from './confinement.ts';
import { textOf } from './guardedWalk.ts';
import { SandboxRefusal } from './sandboxRefusal.ts';

interface Beginning {
  /** In `latin1`. */
  readonly options: readonly string[];
  readonly folders: readonly string[];
  readonly expected: readonly ExpectedMount[];
}

/** Between two looks whether the mounts are made, at first and at most: many of them take long, and so does each look. */
const LOOK_MS = 2;
const MOST_LOOK_MS = 50;
/** A folder that was renamed or removed meanwhile is never mounted. */
const LONGEST_MS = 120_000;

export async function beginConfined(child: ChildProcess, { options, folders, expected }: Beginning): Promise<void> {
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  child.once('error', () => ended.abort());
  const pipe = (descriptor: number) => {
    const found = child.stdio[descriptor];
    if (!found) throw new Error(`The sandbox needs a pipe as descriptor ${descriptor}.`);
    // A process that has ended closes them, which is noticed by its end.
    return found.on('error', () => undefined);
  };
  const over = AbortSignal.any([ended.signal, AbortSignal.timeout(LONGEST_MS)]);
  const begin = pipe(DESCRIPTORS.begin) as Writable;
  const info = pipe(DESCRIPTORS.info) as Readable;
  try {
    (pipe(DESCRIPTORS.options) as Writable).end(Buffer.from(options.map((each) => `${each}\0`).join(''), 'latin1'));
    const pid = await readProcessId(info, over);
    for (let wait = LOOK_MS; !isMounted(pid, folders); wait = Math.min(wait * 1.5, MOST_LOOK_MS)) {
      await delay(wait, undefined, { signal: over });
    }
    const wrong = findWrongMount(pid, expected);
    if (wrong !== null) {
      throw new SandboxRefusal(
        words(
          '{0} was moved or replaced while the sandbox was being created, so the command has not run.',
          textOf(wrong),
        ),
      );
    }
    begin.end('\n');
  } catch (thrown) {
    child.kill('SIGKILL');
    if (over.aborted && !(thrown instanceof SandboxRefusal)) {
      throw new SandboxRefusal(words('The sandbox could not be made, so the command has not run.'));
    }
    throw thrown;
  } finally {
    info.destroy();
  }
}

async function readProcessId(info: Readable, signal: AbortSignal): Promise<number> {
  let received = '';
  for await (const bytes of info.iterator({ destroyOnReturn: false })) {
    received += String(bytes);
    const pid = Number(/"child-pid":\s*(\d+)/.exec(received)?.[1]);
    if (pid > 0 && received.includes('}')) return pid;
  }
  signal.throwIfAborted();
  throw new SandboxRefusal(words('The sandbox could not be made, so the command has not run.'));
}
