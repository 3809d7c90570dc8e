/** Runs one case for real, with or without a sandbox, and says the signs of an escape. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Escape } from './escape.ts';
import { USER, World } from './world.ts';

export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Called when all has ended. */
  finish?(): Promise<unknown>;
}

/** How a command line is started in a world. */
export type Enter = (world: World, command: string) => Promise<Start>;

export const withoutSandbox: Enter = async (world, command) => ({
  file: '/bin/bash',
  args: ['-c', '--', command],
  environment: world.environment,
});

/** A case that hangs ends after that time, which no test measures. */
const LONGEST_MS = 60_000;
const PIPE_MS = 5_000;

export async function runEscape(attempt: Escape, enter: Enter): Promise<readonly string[]> {
  const world = await World.make();
  const handed = openSync(world.secretFile, 'r');
  try {
    const { file, args, environment, finish } = await enter(world, `: > ran\n${world.preamble}\n${attempt.script}`);
    const child = spawn(file, [...args], {
      ...USER,
      cwd: world.workspace,
      env: environment,
      // An editor may have left a file open for every child.
      stdio: ['ignore', 'pipe', 'pipe', handed],
      detached: true,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += String(bytes)));
    const exited = once(child, 'exit');
    const closed = once(child, 'close');
    const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    const met = attempt.sign === 'met' ? await meet(world, exited) : [];
    await exited;
    clearTimeout(late);
    const alive = await livingOf(world, finish ? 200 : 0);
    // What lives on may yet do harm: it has its time, and is then gone.
    for (const pid of alive) process.kill(pid, 'SIGKILL');
    // What was written comes after the end. A process without the mark may hold the pipe.
    await Promise.race([closed, delay(PIPE_MS, undefined, { ref: false })]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    await finish?.();
    if (!wasRun(world)) throw new Error(`The command did not begin: ${output}`);
    return [...world.signs(output), ...met, ...alive.map((pid) => `alive: ${pid}`)];
  } finally {
    closeSync(handed);
    world.dispose();
  }
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
