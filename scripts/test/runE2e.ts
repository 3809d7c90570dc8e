/** Runs the end-to-end scenarios with Node's own test runner, two files at a time, against the packaged VSIX. */

import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildTests } from '../build/buildTests.ts';
import { provideChromium } from '../host/browser.ts';
import { provideCodeServer } from '../host/installCodeServer.ts';
import { RESULTS, ROOT } from '../paths.ts';
import type { Counts } from './part.ts';
import { runProcess } from './runProcess.ts';

export async function runE2e(filter: string): Promise<Counts> {
  provideChromium();
  provideCodeServer();
  await buildTests();
  if ((await runProcess(process.execPath, ['scripts/package.ts'])) !== 0)
    throw new Error('the package could not be built');
  const report = join(RESULTS, 'e2e.tap');
  for (const old of [report, join(RESULTS, 'screenshots')]) rmSync(old, { recursive: true, force: true });
  const code = await runProcess(process.execPath, [
    '--test',
    '--test-concurrency=2',
    // A file may keep a server open although its tests are over, or none of them was asked for.
    '--test-force-exit',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${report}`,
    ...(filter === '' ? [] : [`--test-name-pattern=${RegExp.escape(filter)}`]),
    ...listScenarios(),
  ]);
  const tap = readFileSync(report, 'utf8');
  const count = (name: string): number => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(tap)?.[1] ?? 0);
  // A file in which the filter leaves no test is reported as one passed test, named after the file.
  const emptyFiles = tap.match(/^ok \d+ - .*\.e2e\.ts$/gm)?.length ?? 0;
  const failed = Math.max(count('fail') + count('cancelled'), code === 0 ? 0 : 1);
  return {
    passed: count('pass') - emptyFiles,
    failed,
    skipped: count('skipped'),
    note: 'packaged VSIX in code-server, headless Chromium',
  };
}

/** Files named `*.full.e2e.ts` run in `test:full` only, so that the everyday run stays within its minutes. */
function listScenarios(): string[] {
  const files = globSync('test/e2e/*.e2e.ts', { cwd: ROOT }).sort();
  return process.env.PALIMPSEST_FULL ? files : files.filter((file) => !file.endsWith('.full.e2e.ts'));
}
