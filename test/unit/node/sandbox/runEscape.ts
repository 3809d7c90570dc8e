/** Runs one case for real, with or without a sandbox, and says the signs of an escape. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxRefusal } from '../../../../src/node/sandbox/sandboxRefusal.ts';
import type { Escape } from './escape.ts';
import { USER, World } from './world.ts';

export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Pipes from descriptor 3 on. */
  readonly pipes?: number;
  begin?(child: ChildProcess): Promise<void>;
  /** Called when all has ended. Returns paths that a person is told of. */
  finish?(): Promise<readonly string[]>;
}

/** How a command line is started in a world. Null where it is refused in words, so that nothing runs. */
export type Enter = (world: World, command: string) => Promise<Start | null>;

export const withoutSandbox: Enter = async (world, command) => ({
  file: '/bin/bash',
  args: ['-c', '--', command],
  environment: world.environment,
});

/** A case that hangs ends after that time, which no test measures. */
const LONGEST_MS = 60_000;
const PIPE_MS = 5_000;

export async function runEscape(attempt: Escape, enter: Enter): Promise<readonly string[]> {
  const world = await World.make(attempt);
  try {
    const first = attempt.beside === undefined ? null : await run(world, enter, attempt.beside, 'beside');
    await first?.ready;
    const started = await run(world, enter, `: > ran\n${attempt.script}`, 'main');
    const met = attempt.sign === 'met' && started ? await meet(world, started.exited) : [];
    if (attempt.meanwhile !== undefined) {
      await started?.ready;
      actAsPerson(world, attempt.meanwhile);
      writeFileSync(join(world.workspace, 'enough'), '');
    }
    const ends = [await started?.end(), await first?.end()];
    if (started && !wasRun(world)) throw new Error(`The command did not begin: ${ends[0]?.output}`);
    const alive = ends.flatMap((end) => end?.alive ?? []);
    if (attempt.after !== undefined) actAsPerson(world, attempt.after);
    const reported = ends.flatMap((end) => end?.reported ?? []);
    const output = ends.map((end) => end?.output ?? '').join('');
    return [...world.signs(output, reported), ...met, ...alive.map((pid) => `alive: ${pid}`)];
  } finally {
    world.dispose();
  }
}

function actAsPerson(world: World, script: string): void {
  execFileSync('/bin/bash', ['-c', '--', `${world.preamble}\n${script}`], {
    ...USER,
    cwd: world.workspace,
    env: world.environment,
    stdio: 'ignore',
  });
}

interface Running {
  /** It made the file `ready`, or has ended. */
  readonly ready: Promise<void>;
  readonly exited: Promise<unknown>;
  end(): Promise<{ readonly output: string; readonly alive: readonly number[]; readonly reported: readonly string[] }>;
}

async function run(world: World, enter: Enter, script: string, which: 'main' | 'beside'): Promise<Running | null> {
  const start = await enter(world, `${world.preamble}\n${script}`);
  if (start === null) return null;
  const { file, args, environment, pipes = 0, begin, finish } = start;
  const handed = openSync(world.secretFile, 'r');
  const child = spawn(file, [...args], {
    ...USER,
    cwd: world.workspace,
    env: environment,
    // An editor may have left a file open for every child.
    stdio: ['ignore', 'pipe', 'pipe', ...Array<'pipe'>(pipes).fill('pipe'), handed],
    detached: true,
  });
  closeSync(handed);
  let refusal: unknown;
  const begun = begin?.(child).catch((thrown: unknown) => (refusal = thrown));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += String(bytes)));
  let over = false;
  const exited = once(child, 'exit').then(() => (over = true));
  const closed = once(child, 'close');
  const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  const waitUntilReady = async () => {
    while (!over && !existsSync(join(world.workspace, 'ready'))) await delay(5);
  };
  return {
    get ready() {
      return waitUntilReady();
    },
    exited,
    async end() {
      if (which === 'beside') writeFileSync(join(world.workspace, 'enough'), '');
      await exited;
      await begun;
      clearTimeout(late);
      const alive = which === 'main' ? await livingOf(world, finish ? 200 : 0) : [];
      // What lives on may yet do harm: it has its time, and is then gone.
      for (const pid of alive) process.kill(pid, 'SIGKILL');
      // What was written comes after the end. A process without the mark may hold the pipe.
      await Promise.race([closed, delay(PIPE_MS, undefined, { ref: false })]);
      child.stdout?.destroy();
      child.stderr?.destroy();
      const reported = (await finish?.()) ?? [];
      if (refusal instanceof SandboxRefusal) writeFileSync(join(world.workspace, 'ran'), '');
      else if (refusal !== undefined) throw refusal;
      return { output, alive, reported };
    },
  };
}

/** An empty file that each command makes first: without it, a sandbox that starts nothing would hold everything. */
const wasRun = (world: World) =>
  [world.workspace, join(world.workspace, '../shut'), join(world.home, '../home/work/open')].some((folder) =>
    existsSync(join(folder, 'ran')),
  );

/** A server inside says `ready` in the open folder and waits for `tried`. */
async function meet(world: World, exited: Promise<unknown>): Promise<readonly string[]> {
  let over = false;
  void exited.then(() => (over = true));
  while (!over && !existsSync(join(world.workspace, 'ready'))) await delay(10);
  const met = await new Promise<boolean>((resolve) => {
    const socket = connect(world.free, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
  writeFileSync(join(world.workspace, 'tried'), '');
  return met ? ['met: a server inside'] : [];
}

/** Processes that carry the world's mark and still run. A sandbox that ends takes a moment to end all of them. */
async function livingOf(world: World, tries: number): Promise<readonly number[]> {
  for (let left = tries; ; left -= 1) {
    const found = listLiving(world.mark);
    if (found.length === 0 || left <= 0) return found;
    await delay(50);
  }
}

function listLiving(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(mark);
      } catch {
        return false;
      }
    })
    .map(Number);
}
