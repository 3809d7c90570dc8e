/** Runs the tests that name a row, in an environment that changes the product, until one of them fails. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../paths.ts';

export async function runTests(
  row: string,
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly failed: number; readonly passed: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'rows-'));
  const report = join(folder, 'report.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const output = ['--bail=1', '--reporter=json', `--outputFile=${report}`];
  try {
    // The exit code does not say whether a test failed or none could be loaded: the report does.
    await promisify(execFile)(process.execPath, [vitest, 'run', ...output, '-t', `\\b${row}:`, ...files], {
      cwd: ROOT,
      env: { ...process.env, ...environment },
      maxBuffer: 64 * 1024 * 1024,
    }).catch(() => undefined);
    const { numFailedTests, numPassedTests } = JSON.parse(await readFile(report, 'utf8'));
    return { failed: Number(numFailedTests), passed: Number(numPassedTests) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
