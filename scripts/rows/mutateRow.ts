/** Applies one mutation to a copy of the sources and runs the tests that name its row there. */

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../paths.ts';
import type { Mutation } from './readRows.ts';

const COPIED = ['src', 'test', 'scripts', 'webview', 'package.json', 'package.nls.json', 'package.nls.zh-cn.json'];
const CONFIGS = ['vitest.config.ts', 'tsconfig.json', 'tsconfig.base.json', 'tsconfig.layer.json'];

export type MutationOutcome =
  | 'mutation found'
  | 'mutation not found'
  | 'the mutated place is not there'
  | 'the tests could not run';

export async function mutateRow(row: string, mutation: Mutation, files: readonly string[]): Promise<MutationOutcome> {
  const source = await readFile(join(ROOT, mutation.file), 'utf8').catch(() => '');
  if (!source.includes(mutation.find)) return 'the mutated place is not there';
  const copy = await mkdtemp(join(tmpdir(), 'row-'));
  try {
    for (const name of [...COPIED, ...CONFIGS]) await cp(join(ROOT, name), join(copy, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    await writeFile(join(copy, mutation.file), source.replace(mutation.find, mutation.replace));
    const unit = files.filter((file) => file.startsWith('test/unit/'));
    return await countFailures(copy, row, unit);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The tests of the copy that name the row, as vitest counts them. */
async function countFailures(folder: string, row: string, files: readonly string[]): Promise<MutationOutcome> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const report = join(folder, 'report.json');
  const output = ['--reporter=json', `--outputFile=${report}`];
  // Exit codes say only that something failed: a suite that could not even be loaded proves nothing.
  await promisify(execFile)(process.execPath, [vitest, 'run', ...output, '-t', `\\b${row}:`, ...files], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  }).catch(() => undefined);
  const { numFailedTests, numPassedTests } = JSON.parse(await readFile(report, 'utf8'));
  if (numFailedTests > 0) return 'mutation found';
  return numPassedTests > 0 ? 'mutation not found' : 'the tests could not run';
}
