/** A copy of the sources to change: one mutation at a time is applied there, and the tests that name its row must fail. */

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

/** Call `remove` in the end. */
export async function copySources(): Promise<MutationCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'row-'));
  for (const name of [...COPIED, ...CONFIGS]) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return new MutationCopy(folder);
}

export class MutationCopy {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** `files` are those with tests that name the row. The copy is whole again afterwards. */
  async try(row: string, mutation: Mutation, files: readonly string[]): Promise<MutationOutcome> {
    const path = join(this.#folder, mutation.file);
    const source = await readFile(path, 'utf8').catch(() => '');
    if (!source.includes(mutation.find)) return 'the mutated place is not there';
    await writeFile(path, source.replace(mutation.find, mutation.replace));
    try {
      return await this.#countFailures(
        row,
        files.filter((file) => file.startsWith('test/unit/')),
      );
    } finally {
      await writeFile(path, source);
    }
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /** The tests of the copy that name the row, as vitest counts them. */
  async #countFailures(row: string, files: readonly string[]): Promise<MutationOutcome> {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const report = join(this.#folder, 'report.json');
    await rm(report, { force: true });
    const output = ['--reporter=json', `--outputFile=${report}`];
    // Exit codes say only that something failed: a suite that could not even be loaded proves nothing.
    await promisify(execFile)(process.execPath, [vitest, 'run', ...output, '-t', `\\b${row}:`, ...files], {
      cwd: this.#folder,
      maxBuffer: 64 * 1024 * 1024,
    }).catch(() => undefined);
    const { numFailedTests, numPassedTests } = JSON.parse(await readFile(report, 'utf8'));
    if (numFailedTests > 0) return 'mutation found';
    return numPassedTests > 0 ? 'mutation not found' : 'the tests could not run';
  }
}
