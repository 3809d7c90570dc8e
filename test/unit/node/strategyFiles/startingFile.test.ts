import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkStrategy } from '../../../../src/core/compaction/conformance/kit.ts';
import { compileStrategyFile, loadStrategyFile } from '../../../../src/node/strategyFiles/loadStrategyFile.ts';
import { readStrategyFile } from '../../../../src/node/strategyFiles/readStrategyFile.ts';
import { STARTING_FILE } from '../../../../src/node/strategyFiles/startingFile.ts';

it('what New Strategy writes works as it stands, and breaks no rule', { tags: ['K11', 'long'] }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pal-strategy-'));
  const path = join(folder, 'my-strategy.js');
  // The messages of the kit are short.
  writeFileSync(path, STARTING_FILE.replace('default: 4000', 'default: 200'));
  const file = await readStrategyFile(path, []);
  rmSync(folder, { recursive: true });
  const report = await checkStrategy(await loadStrategyFile(file, await compileStrategyFile(file)), { cases: 40 });
  expect(report.broken).toEqual([]);
  expect(report.compactions).toBeGreaterThan(20);
});
