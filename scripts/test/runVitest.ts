/** Runs the tests of one folder with vitest: `test/unit` in seconds, `test/properties` with many generated cases. */

import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { RESULTS, ROOT } from '../paths.ts';
import type { Failure, Part, Which } from './part.ts';
import { runProcess } from './runProcess.ts';

/** The part of vitest's report that is read. */
interface JsonTestResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly {
    readonly ancestorTitles: readonly string[];
    readonly title: string;
    readonly status: string;
  }[];
}

export function runVitest(folder: 'unit' | 'properties', which: Which, note: string): Part {
  return async (filter, again) => {
    const file = join(RESULTS, `${folder}.json`);
    rmSync(file, { force: true });
    const code = await runProcess(process.execPath, [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...(again ? new Set(again.map(({ file }) => file)) : [`test/${folder}/`]),
      ...TAGS[which],
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...patternOf(filter, again),
    ]);
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const { numPassedTests: passed, numFailedTests, numPendingTests: skipped } = report;
    // A file that does not load fails without a failed test.
    const failed = Math.max(numFailedTests, code === 0 ? 0 : 1);
    return { passed, failed, skipped, note, failures: report.testResults.flatMap(failuresIn) };
  };
}

/** Tests that take seconds are left for a run of the rest. */
const TAGS: Readonly<Record<Which, readonly string[]>> = {
  everyday: ['--tags-filter=!long'],
  rest: ['--tags-filter=long'],
  all: [],
};

function patternOf(filter: string, again: readonly Failure[] = []): readonly string[] {
  if (again.some(({ name, file }) => name === file)) return [];
  if (again.length > 0) return ['--testNamePattern', `^(?:${again.map(({ name }) => RegExp.escape(name)).join('|')})$`];
  return filter === '' ? [] : ['--testNamePattern', RegExp.escape(filter)];
}

/** A file that does not load stands for its tests. */
function failuresIn({ name, status, assertionResults }: JsonTestResult): Failure[] {
  const file = relative(ROOT, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [{ name: file, file }];
  // As `--testNamePattern` sees it.
  return failed.map(({ ancestorTitles, title }) => ({ name: [...ancestorTitles, title].join(' > '), file }));
}
