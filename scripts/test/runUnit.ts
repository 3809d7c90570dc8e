/** Runs the unit tests with vitest. */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RESULTS, ROOT } from '../paths.ts';
import type { Counts } from './part.ts';
import { runProcess } from './runProcess.ts';

export async function runUnit(filter: string): Promise<Counts> {
  const file = join(RESULTS, 'unit.json');
  rmSync(file, { force: true });
  const code = await runProcess(process.execPath, [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...(filter === '' ? [] : ['--testNamePattern', RegExp.escape(filter)]),
  ]);
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const { numPassedTests: passed, numFailedTests, numPendingTests: skipped } = report;
  // A file that does not load fails without a failed test.
  return { passed, failed: Math.max(numFailedTests, code === 0 ? 0 : 1), skipped, note: '' };
}
