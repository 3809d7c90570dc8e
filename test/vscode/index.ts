/**
 * Entry of the suite inside VS Code: runs every `*.test.js` beside it with Mocha and writes the counts for the runner.
 * `PALIMPSEST_TEST_NAMES` narrows it to tests whose name matches the expression.
 */

import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  for (const file of readdirSync(folder).sort()) if (file.endsWith('.test.js')) mocha.addFile(join(folder, file));
  await mocha.loadFilesAsync();
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
