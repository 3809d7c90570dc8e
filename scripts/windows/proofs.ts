/** Proves, in the system that it runs in, each reason for which a test is not shown there. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reason } from './notShown.ts';

export type Proofs = Readonly<Record<Exclude<Reason, 'slow'>, boolean>>;

export async function proveReasons(): Promise<Proofs> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-proofs-'));
  const at = (name: string) => join(folder, name);
  writeFileSync(at('file'), '');
  try {
    return {
      links:
        !fails(() => symlinkSync(at('file'), at('link'))) &&
        !lstatSync(at('link'), { throwIfNoEntry: false })?.isSymbolicLink(),
      modes: proveModes(at('file')),
      pipes: isMissing('mkfifo'),
      open: proveOpen(at('held')),
      spelling: proveSpelling(at('spelled')),
      posix: sep === '\\' && isAbsolute('C:\\a') && statSync('.') !== undefined,
      below: codeOf(() => statSync(at('file/x'))) === 'ENOENT',
      git: isMissing('git'),
      powerShell: !spawnSync('powershell.exe', ['-NoProfile', '-Command', 'echo here'], {
        encoding: 'utf8',
      }).stdout?.includes('here'),
      tree: await proveTree(),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function proveModes(file: string): boolean {
  chmodSync(file, 0o751);
  return (statSync(file).mode & 0o777) !== 0o751;
}

/** Neither the file nor its folder is gone while it is open. */
function proveOpen(folder: string): boolean {
  mkdirSync(folder);
  const file = openSync(join(folder, 'open'), 'w');
  const kept = fails(() => {
    unlinkSync(join(folder, 'open'));
    rmdirSync(folder);
  });
  closeSync(file);
  return kept && existsSync(folder);
}

function proveSpelling(folder: string): boolean {
  mkdirSync(folder);
  writeFileSync(join(folder, 'a'), '');
  renameSync(join(folder, 'a'), join(folder, 'A'));
  return readdirSync(folder)[0] === 'a';
}

const WAITS = 'setTimeout(() => undefined, 20_000)';

/** A child's own child outlives what ends the tree of the child. */
async function proveTree(): Promise<boolean> {
  const script = `const { spawn } = require('node:child_process');
    const inner = spawn(process.execPath, ['-e', ${JSON.stringify(WAITS)}], { stdio: 'ignore' });
    console.log(inner.pid); ${WAITS}`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const inner = Number(said.toString());
  spawnSync('taskkill', ['/T', '/F', '/PID', String(child.pid)]);
  await sleep(500);
  const lives = !fails(() => process.kill(inner, 0));
  if (lives) process.kill(inner);
  child.kill();
  return lives;
}

const isMissing = (program: string) => spawnSync(program, ['--version']).error !== undefined;
const fails = (act: () => void) => codeOf(act) !== null;

function codeOf(act: () => void): unknown {
  try {
    act();
    return null;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown ? thrown.code : thrown;
  }
}
