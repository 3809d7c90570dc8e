/** Runs the tests of one folder with vitest: `test/unit` in seconds, `test/properties` with many generated cases. */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RESULTS, ROOT } from '../paths.ts';
import type { Part } from './part.ts';
import { runProcess } from './runProcess.ts';

export function runVitest(folder: 'unit' | 'properties', note: string): Part {
  return async (filter) => {
    const file = join(RESULTS, `${folder}.json`);
    rmSync(file, { force: true });
    const code = await runProcess(process.execPath, [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      `test/${folder}/`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...(filter === '' ? [] : ['--testNamePattern', RegExp.escape(filter)]),
    ]);
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const { numPassedTests: passed, numFailedTests, numPendingTests: skipped } = report;
    // A file that does not load fails without a failed test.
    return { passed, failed: Math.max(numFailedTests, code === 0 ? 0 : 1), skipped, note };
  };
}
