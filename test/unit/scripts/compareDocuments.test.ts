/** A translated document has the headings, links and code of the first one; its words are its own. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareDocuments } from '../../../scripts/manifest/compareDocuments.ts';
import { ROOT } from '../../../scripts/paths.ts';

const ENGLISH =
  '# A\n\n[中文](README.zh-CN.md)\n\nRun `npm start`, see [more](docs/a.md).\n\n```\nx = 1\n```\n\n| a | b |\n';

test('words differ freely, and each language leads to the other', () => {
  const chinese =
    '# 甲\n\n[English](README.md)\n\n运行 `npm start`，见[更多](docs/a.md)。\n\n```\nx = 1\n```\n\n| 甲 | 乙 |\n';
  expect(compareDocuments(ENGLISH, chinese)).toEqual([]);
});

test.each([
  ['a row', `${ENGLISH}| c | d |\n`, ['rows of tables: only the first has 1', 'rows of tables: only the second has 2']],
  [
    'a link',
    ENGLISH.replace('docs/a.md', 'docs/b.md'),
    ['links: only the first has docs/a.md', 'links: only the second has docs/b.md'],
  ],
  ['code', ENGLISH.replace('`npm start`', 'npm start'), ['code: only the first has npm start']],
  ['a block', ENGLISH.replace('x = 1', 'x = 2'), [expect.stringContaining('x = 1'), expect.stringContaining('x = 2')]],
  ['a heading', `${ENGLISH}## B\n`, ['headings: only the first has 1', 'headings: only the second has 2']],
])('%s that only one has is told', (_, other, differences) => {
  expect(compareDocuments(ENGLISH, other)).toEqual(differences);
});

test('the README is the same in both languages', () => {
  const [english, chinese] = ['README.md', 'README.zh-CN.md'].map((path) => readFileSync(join(ROOT, path), 'utf8'));
  expect(compareDocuments(english ?? '', chinese ?? '')).toEqual([]);
});
