import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { listPanelItems } from '../../../scripts/test/panelItems.ts';

/** The title of each end-to-end test of every day, as its source has it. */
const titles = globSync('test/e2e/**/*.e2e.ts', { cwd: ROOT })
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .flatMap((text) => [...text.matchAll(/\btest\(\s*(['`])(.+?)\1,\s*(?!FULL)/g)].map(([, , title = '']) => title));

it('npm test -- e2e panel covers every item of the panel', () => {
  const items = listPanelItems();
  expect(items.map(({ item }) => item)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
  const unknown = items.flatMap(({ tests }) => tests.filter((part) => !titles.some((title) => title.includes(part))));
  expect(unknown).toEqual([]);
  expect(items.filter(({ tests }) => tests.length === 0)).toEqual([]);
});

it('each of the fifteen complaints has its test, and its line in the documentation', () => {
  const found = titles.flatMap((title) => [...title.matchAll(/^complaint (\d+): (.+?)(?: \(.+\))?$/g)]);
  const numbers = found.map(([, number]) => Number(number)).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  const documented = readFileSync(join(ROOT, 'docs/complaints.md'), 'utf8').split('\n');
  const missing = found.filter(
    ([, number, words = '']) =>
      !documented.some((line) => line.startsWith(`| ${number} |`) && line.includes(`| ${words} |`)),
  );
  expect(missing.map(([title]) => title)).toEqual([]);
});
