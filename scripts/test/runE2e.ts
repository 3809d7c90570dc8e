/**
 * Runs the end-to-end scenarios with Node's own test runner, two files at a time, against the packaged VSIX. On a checking
 * machine (`CI`) what failed runs once more, and the last line names it: a scenario that passes only then is unsteady.
 */

import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildTests } from '../build/buildTests.ts';
import { provideChromium } from '../host/browser.ts';
import { provideCodeServer } from '../host/installCodeServer.ts';
import { RESULTS, ROOT } from '../paths.ts';
import type { Counts } from './part.ts';
import { runProcess } from './runProcess.ts';

/** More failures than this are no matter of chance. */
const AGAIN = 3;

export async function runE2e(filter: string): Promise<Counts> {
  provideChromium();
  provideCodeServer();
  await buildTests();
  if ((await runProcess(process.execPath, ['scripts/package.ts'])) !== 0)
    throw new Error('the package could not be built');
  rmSync(join(RESULTS, 'screenshots'), { recursive: true, force: true });
  const first = await runScenarios('e2e', filter === '' ? [] : [filter]);
  const { passed, failed, skipped, failures } = first;
  const note = 'packaged VSIX in code-server, headless Chromium';
  if (!process.env.CI || failures.length === 0 || failures.length > AGAIN) return { passed, failed, skipped, note };
  const names = failures.map((name) => `'${name}'`).join(', ');
  console.log(`\n== e2e, once more: ${names}`);
  const second = await runScenarios('e2e-again', failures);
  const still = failures.filter((name) => !second.successes.includes(name)).length;
  const failedAgain = Math.max(second.failed, still);
  return {
    passed: passed + failed - failedAgain,
    failed: failedAgain,
    skipped,
    note: `${note}; failed at first and ran once more: ${names}`,
  };
}

interface Run {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of the scenarios and suites that passed, and of those that failed. */
  readonly successes: readonly string[];
  readonly failures: readonly string[];
}

async function runScenarios(name: string, only: readonly string[]): Promise<Run> {
  const report = join(RESULTS, `${name}.tap`);
  rmSync(report, { force: true });
  const code = await runProcess(process.execPath, [
    '--test',
    '--test-concurrency=2',
    // A file may keep a server open although its tests are over, or none of them were asked for.
    '--test-force-exit',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${report}`,
    ...only.map((each) => `--test-name-pattern=${RegExp.escape(each)}`),
    ...listScenarios(),
  ]);
  const tap = readFileSync(report, 'utf8');
  const count = (counted: string): number => Number(new RegExp(`^# ${counted} (\\d+)$`, 'm').exec(tap)?.[1] ?? 0);
  // A file in which the filter leaves no test is reported as one passed test with the file's name.
  const emptyFiles = tap.match(/^ok \d+ - .*\.e2e\.ts$/gm)?.length ?? 0;
  return {
    passed: count('pass') - emptyFiles,
    failed: Math.max(count('fail') + count('cancelled'), code === 0 ? 0 : 1),
    skipped: count('skipped'),
    successes: listNames(tap, /^ok \d+ - (.*)$/gm),
    failures: listNames(tap, /^not ok \d+ - (.*)$/gm),
  };
}

/** TAP escapes what would begin a comment. */
const listNames = (tap: string, line: RegExp): string[] =>
  [...tap.matchAll(line)].map(([, name = '']) => name.replaceAll(/\\(?=[#\\])/g, ''));

/** Files named `*.full.e2e.ts` run only in `test:full`, so that the everyday run stays short. */
function listScenarios(): string[] {
  const files = globSync('test/e2e/*.e2e.ts', { cwd: ROOT }).sort();
  return process.env.PALIMPSEST_FULL ? files : files.filter((file) => !file.endsWith('.full.e2e.ts'));
}
