/**
 * Runs lines that only read in a small repository of its own and tells what they changed there. Paths of the recorded
 * folder become paths of that repository.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface ReadLine {
  readonly line: string;
  readonly root: string;
}

export interface RunResult {
  readonly ran: number;
  /** Those that ended with 0: what they name need not be there. */
  readonly succeeded: number;
  /** Lines after which a file was there, gone or different. */
  readonly changed: readonly string[];
}

const FILES = ['README.md', 'package.json', 'src/index.ts', 'docs/a.md', 'packages/core/src/index.ts', 'cmd/main.go'];
const LONGEST_MS = 10_000;

export function runReading(lines: readonly ReadLine[]): RunResult {
  const home = mkdtempSync(join(tmpdir(), 'palimpsest-questions-'));
  const folder = join(home, 'work');
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, GIT_OPTIONAL_LOCKS: '0', GIT_PAGER: 'cat' };
  const run = (program: string, args: readonly string[]) =>
    spawnSync(program, args, { cwd: folder, env, timeout: LONGEST_MS, stdio: 'ignore' }).status;
  try {
    for (const file of FILES) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${file}\none\ntwo\n`);
    }
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      [...own, 'commit', '-qm', 'first'],
    ])
      run('git', args);
    let before = stateOf(home);
    const changed: string[] = [];
    let succeeded = 0;
    for (const { line, root } of lines) {
      if (run('bash', ['-c', '--', line.replaceAll(root, folder)]) === 0) succeeded++;
      const after = stateOf(home);
      if (after !== before) changed.push(line);
      before = after;
    }
    return { ran: lines.length, succeeded, changed };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Changes with each name and content below the folder. */
function stateOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    hash.update(`${name}\0`);
    if (lstatSync(path).isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
