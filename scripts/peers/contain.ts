/**
 * Runs a program of others apart from this machine: with its own environment, no network but loopback where the system can do
 * that, and an end at which all its processes end. Invariant: nothing that it started outlives it where `isContained`.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

/** A network and processes of its own: when the first process ends, so do all. */
const APART = ['unshare', '--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const WITH_LOOPBACK = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

let contained: boolean | null = null;

/** Whether this system lets programs run without a network but loopback. */
export function isContained(): boolean {
  contained ??= runSync([...APART, ...WITH_LOOPBACK, 'true']);
  return contained;
}

function runSync([command = '', ...words]: readonly string[]): boolean {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

export interface ProgramEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly isTooLong: boolean;
  /** What it wrote to both of its outputs, of which only the end is kept. */
  readonly output: string;
}

const MOST_OUTPUT = 100_000;

/** Resolves when the program, and whatever it left, has ended. Rejects when it cannot be started. */
export function runContained(command: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  if (isContained()) return runProgram([...APART, ...WITH_LOOPBACK, ...command], options);
  // A killed program could not end what it started in groups of their own.
  return runProgram(command, options, 'SIGTERM');
}

/** The same without a network of its own; `signal` ends the program and its group when its time is over. */
export function runProgram(
  [command = '', ...words]: readonly string[],
  options: ProgramOptions,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<ProgramEnd> {
  const { cwd, env, timeoutMs } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let isTooLong = false;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output = `${output}${piece}`.slice(-MOST_OUTPUT);
      });
    const tooLong = setTimeout(() => {
      isTooLong = true;
      endGroup(child, signal);
    }, timeoutMs);
    const atExit = () => endGroup(child, signal);
    process.prependOnceListener('exit', atExit);
    child.once('error', reject);
    // Its own end, and not that of its output, which a process that it left could hold open.
    child.once('exit', (code) => {
      clearTimeout(tooLong);
      process.off('exit', atExit);
      endGroup(child, signal);
      setImmediate(() => resolve({ code, isTooLong, output }));
    });
  });
}

/** The program and all of its group. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // None of the group is left.
  }
}

/** Ends this process when it is asked to, in a way that also ends the programs that it runs. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
}

/** Nothing of the person's own environment but where programs are. `home` and its `tmp` must exist. */
export function cleanEnvironment(home: string): Record<string, string> {
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].join(':');
  return { PATH: path, HOME: home, TMPDIR: join(home, 'tmp'), LANG: 'C.UTF-8', TERM: 'dumb', NO_COLOR: '1', CI: '1' };
}
