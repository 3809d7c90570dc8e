/**
 * `npm run mutants`: changes the strategies and the phases of a proposal in every small way there is, one change at a
 * time, and lists the changes that no test with a row as a tag notices. Other files of `src/core/compaction` can be named.
 * Defaults are left alone: the rows prove them. The tool, Stryker, is large and is installed beside the others when this
 * is first run.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.ts';
import { runProcess } from './test/runProcess.ts';

const VERSION = '10.1.1';
const PACKAGES = ['@stryker-mutator/core', '@stryker-mutator/vitest-runner'];
const STRYKER = join(ROOT, 'node_modules/@stryker-mutator/core/bin/stryker.js');

const files = process.argv.slice(2);
const mutate = files.length ? files : ['src/core/compaction/strategies/**/*.ts', 'src/core/compaction/run/propose.ts'];
process.exitCode =
  (await install()) ||
  (await runProcess(process.execPath, [
    STRYKER,
    'run',
    join(ROOT, 'scripts/mutants/stryker.json'),
    '--mutate',
    mutate.join(','),
  ]));

async function install(): Promise<number> {
  if (existsSync(STRYKER)) return 0;
  return runProcess('npm', [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    ...PACKAGES.map((it) => `${it}@${VERSION}`),
  ]);
}
