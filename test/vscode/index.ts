/**
 * Entry of the suite inside VS Code: runs every `*.test.js` beside it with Mocha and writes the counts for the runner.
 * `PALIMPSEST_TEST_NAMES` narrows it to tests whose name matches the expression.
 */

import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Mocha from 'mocha';

export async function run(): Promise<void> {
  const names = process.env.PALIMPSEST_TEST_NAMES ?? '';
  const mocha = new Mocha({
    ui: 'tdd',
    color: false,
    timeout: 120_000,
    ...(names === '' ? {} : { grep: new RegExp(names) }),
  });
  const folder = dirname(fileURLToPath(import.meta.url));
  for (const name of readdirSync(folder).sort()) if (name.endsWith('.test.js')) await load(mocha, join(folder, name));
  const failures: { name: string; file: string }[] = [];
  const stats = await new Promise<Mocha.Stats | undefined>((resolve) => {
    const runner = mocha.run(() => resolve(runner.stats));
    runner.on('fail', (test) => failures.push({ name: test.fullTitle(), file: test.file ?? '' }));
  });
  if (stats === undefined) throw new Error('Mocha kept no counts');
  const counts = { passed: stats.passes, failed: stats.failures, skipped: stats.pending, failures };
  const results = process.env.PALIMPSEST_MOCHA_RESULTS;
  if (results !== undefined) writeFileSync(results, JSON.stringify(counts));
  if (counts.failed > 0) throw new Error(`${counts.failed} tests failed`);
}

/** Mocha itself would `require` the file, and an older VS Code never answers a `require` of a module that imports `vscode`. */
async function load(mocha: Mocha, file: string): Promise<void> {
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, file, mocha);
  const module = await import(pathToFileURL(file).href);
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_REQUIRE, module, file, mocha);
  mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_POST_REQUIRE, globalThis, file, mocha);
}
