/**
 * Runs a list of test files in processes of Windows' Node, and tells the outcome of each. A file that hangs or ends its process
 * is named with that reason, and those after it run in a process of their own.
 */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Proofs } from './proofs.ts';
import type { Outcome } from './runner.ts';

export interface FileOutcome {
  readonly file: string;
  readonly ms: number;
  readonly outcomes: readonly Outcome[];
}

export interface Share {
  readonly files: readonly FileOutcome[];
  readonly proofs?: Proofs | string;
}

/** Milliseconds. */
export interface Bounds {
  /** From one line of the process to the next: one test, or the proofs. */
  readonly silence: number;
  /** For all files. Those that it leaves over are named, and not begun. */
  readonly all: number;
}

/** `start` runs the files from that place of the list on, in a process group of their own; its output is piped. */
export async function runShare(
  files: readonly string[],
  start: (from: number) => ChildProcess,
  { silence, all }: Bounds,
): Promise<Share> {
  const end = performance.now() + all;
  const outcomes: FileOutcome[] = [];
  let proofs: Proofs | string | undefined;
  while (outcomes.length < files.length) {
    const file = files[outcomes.length] ?? '';
    const left = end - performance.now();
    if (left <= 0) {
      outcomes.push(brokenFile(file, `not begun: the run is over after ${all / 1000} s`));
      continue;
    }
    const before = outcomes.length;
    const child = start(before);
    let reason = 'it ended the run';
    const stop = (why: string) => {
      reason = why;
      endGroup(child);
    };
    const late = setTimeout(stop, left, `not done when the run was over after ${all / 1000} s`);
    const quiet = setTimeout(stop, silence, `nothing was heard of it for ${silence / 1000} s`);
    const closed = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout as Readable })) {
      quiet.refresh();
      if (!line.startsWith('{')) continue;
      const told: FileOutcome | { readonly proofs: Proofs | string } = JSON.parse(line);
      if ('proofs' in told) proofs = told.proofs;
      else outcomes.push(told);
    }
    await closed;
    clearTimeout(late);
    clearTimeout(quiet);
    // What its tests left running holds the folders of the next ones.
    endGroup(child);
    const broken = files[outcomes.length];
    if (broken !== undefined) outcomes.push(brokenFile(broken, reason));
  }
  return { files: outcomes, ...(proofs === undefined ? {} : { proofs }) };
}

const brokenFile = (file: string, error: string): FileOutcome => ({
  file,
  ms: 0,
  outcomes: [{ name: '(the file)', result: 'failed', error }],
});

/** Ends the process and all that it started in its group. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
