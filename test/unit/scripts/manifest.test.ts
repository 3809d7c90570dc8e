/** What is generated from the tables is committed as they say. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateManifest } from '../../../scripts/manifest/generateManifest.ts';
import { addStrategyRows } from '../../../scripts/manifest/strategyRows.ts';
import { ROOT } from '../../../scripts/paths.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';

test('a strategy without a row in the documentation gets one, behind the one before it', () => {
  const [first, second] = BUILT_IN_STRATEGIES;
  if (!first || !second) throw new Error('There are strategies.');
  const page = `| \`${first.id}\` (default) | no |\n\nMore.`;
  const [, row, ...rest] = addStrategyRows(page, [first, second]).split('\n');
  expect(row).toMatch(new RegExp(`^\\| \`${second.id}\` \\| sometimes \\| ${second.description} `));
  expect(rest).toEqual(['', 'More.']);
  expect(addStrategyRows(page, [first])).toBe(page);
});

test.each([...generateManifest()])('%s is what the tables say; npm run manifest writes it', (path, content) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(content);
});

test.each(['Ollama', 'summarize', 'forget', 'threshold'])('the search for “%s” finds a setting', (word) => {
  const texts: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(ROOT, 'package.nls.json'), 'utf8'));
  const ofSettings = Object.entries(texts).filter(([key]) => key.startsWith('config.'));
  expect(ofSettings.filter(([, text]) => text.includes(word))).not.toEqual([]);
});
