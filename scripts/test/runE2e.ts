/** Runs the end-to-end tests with Playwright against the packaged VSIX; playwright.config.ts says how. */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JSONReport, JSONReportSuite } from '@playwright/test/reporter';
import { provideChromium } from '../host/browser.ts';
import { provideCodeServer } from '../host/installCodeServer.ts';
import { RESULTS, ROOT } from '../paths.ts';
import type { Counts, Failure, Part, Which } from './part.ts';
import { runProcess } from './runProcess.ts';

export const runE2e =
  (which: Which): Part =>
  (filter, again) =>
    runScenarios(which, filter, again);

/** `again`: what failed in the run before, which Playwright knows by itself; with a trace. */
async function runScenarios(which: Which, filter: string, again?: readonly Failure[]): Promise<Counts> {
  provideChromium();
  provideCodeServer();
  if (!again) {
    if ((await runProcess(process.execPath, ['scripts/package.ts'])) !== 0)
      throw new Error('the package could not be built');
    rmSync(join(RESULTS, 'screenshots'), { recursive: true, force: true });
  }
  const file = join(RESULTS, 'e2e.json');
  rmSync(file, { force: true });
  const words = [
    join(ROOT, 'node_modules/@playwright/test/cli.js'),
    'test',
    '--pass-with-no-tests',
    ...(again ? ['--last-failed', '--trace', 'on'] : []),
    ...(filter === '' ? [] : ['--grep', namesOf(filter).map(RegExp.escape).join('|')]),
  ];
  const code = await runProcess(process.execPath, words, { PALIMPSEST_SCENARIOS: which });
  const { stats, suites }: JSONReport = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: stats.expected,
    // A file that does not load fails without a failed test.
    failed: Math.max(stats.unexpected, code === 0 ? 0 : 1),
    skipped: stats.skipped,
    note: 'packaged VSIX in code-server, headless Chromium',
    failures: suites.flatMap(listFailures),
  };
}

/** Tags count as part of a name. `panel` stands for all that shows an item of the panel, beside the tests of that name. */
function namesOf(filter: string): readonly string[] {
  return filter === 'panel' ? [filter, '@item:'] : [filter];
}

function listFailures({ specs, suites = [] }: JSONReportSuite): Failure[] {
  const here = specs.filter(({ tests }) => tests.some(({ status }) => status === 'unexpected'));
  return [...here.map(({ title, file }) => ({ name: title, file })), ...suites.flatMap(listFailures)];
}
