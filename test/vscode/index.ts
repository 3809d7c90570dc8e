/**
 * Entry of the suite inside VS Code: runs every `*.test.js` beside it with Mocha and writes the counts for the runner.
 * `PALIMPSEST_TEST_NAME` narrows it to tests whose name contains the text.
 */

import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';

export async function run(): Promise<void> {
  const name = process.env.PALIMPSEST_TEST_NAME;
  const mocha = new Mocha({
    ui: 'tdd',
    color: false,
    timeout: 120_000,
    ...(name === undefined || name === '' ? {} : { fgrep: name }),
  });
  const folder = dirname(fileURLToPath(import.meta.url));
  for (const file of readdirSync(folder).sort()) if (file.endsWith('.test.js')) mocha.addFile(join(folder, file));
  await mocha.loadFilesAsync();
  const stats = await new Promise<Mocha.Stats | undefined>((resolve) => {
    const runner = mocha.run(() => resolve(runner.stats));
  });
  if (stats === undefined) throw new Error('Mocha kept no counts');
  const counts = { passed: stats.passes, failed: stats.failures, skipped: stats.pending };
  const results = process.env.PALIMPSEST_MOCHA_RESULTS;
  if (results !== undefined) writeFileSync(results, JSON.stringify(counts));
  if (counts.failed > 0) throw new Error(`${counts.failed} tests failed`);
}
