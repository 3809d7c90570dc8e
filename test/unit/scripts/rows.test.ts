/** The table of rows holds, and what is wrong with one is found. */

import { expect, it } from 'vitest';
import { checkDocuments } from '../../../scripts/rows/checkDocuments.ts';
import { checkTable } from '../../../scripts/rows/checkTable.ts';
import { findTests, testsIn } from '../../../scripts/rows/findTests.ts';
import { readTable, type Table } from '../../../scripts/rows/table.ts';

const EMPTY: Table = { rows: [], breaks: [], sentences: [] };
const unit = { file: 'test/unit/a.test.ts', name: 'works', tags: ['X1'] };
const journey = { file: 'test/e2e/a.e2e.ts', name: 'is used', tags: ['X1'] };
const row = { row: 'X1', text: 'A feature', user: '`palimpsest.compaction.auto`, `/strategy selective`, `recall`' };
const check = (entries: Partial<Table>) => checkTable({ ...EMPTY, rows: [row], ...entries }, [unit, journey]);

it('is whole: tests, paths, defaults, breaks and sentences; and the documentation names what exists', () => {
  expect([...checkTable(readTable(), findTests()), ...checkDocuments()]).toEqual([]);
});

it.each<[string, Partial<Table>]>([
  ['has a path that no end-to-end test takes', { rows: [row, { ...row, row: 'X2' }] }],
  ['X2 is a tag of no unit or property test', { rows: [row, { ...row, row: 'X2' }] }],
  ['there is no row X1', { rows: [] }],
  ['has no path by which a person reaches it', { rows: [{ row: 'X1', text: '' }] }],
  ['item:1 is shown by no @everyday scenario', { rows: [row, { row: 'item:1', text: '' }] }],
  ...['palimpsest.manageTrust', '/shrink', 'npm run nothing', 'makeAgent'].map((name): [string, Partial<Table>] => [
    `published name ${name}`,
    { rows: [{ ...row, user: `Use \`${name}\`` }] },
  ]),
  ['the default of compaction.auto is true, not false', { rows: [{ ...row, defaults: { 'compaction.auto': false } }] }],
  ['there is no setting compaction.automatic', { rows: [{ ...row, defaults: { 'compaction.automatic': 1 } }] }],
  ['stands 0 times', { breaks: [{ breaks: 'X1', file: 'package.json', replace: 'no such text', by: '' }] }],
  ['there is no row X9', { breaks: [{ breaks: 'X9', file: 'package.json', replace: '"name"', by: '' }] }],
  [
    'does not say “5 groups of seven”',
    {
      sentences: [{ in: 'README.md', says: '{compaction.toolResultHiding.preserveRecentGroups} groups of seven' }],
    },
  ],
])('says: %s', (fault, entries) => {
  expect(check(entries)).toContainEqual(expect.stringContaining(fault));
});

it('reads the tags of each test runner', () => {
  const text = `
    it.each([1])('counts %i', { tags: ['K1', 'C2'] }, () => {});
    test('is shown', { tag: light ? ['@everyday', '@item:7'] : [] }, async () => { await test.step('x @K9', () => {}); });
    it('mentions @a/file', () => {});
    it('takes them from elsewhere', { tags: [...others] }, () => {});`;
  expect(testsIn('test/e2e/a.ts', text).map(({ tags }) => tags)).toEqual([
    ['K1', 'C2'],
    ['everyday', 'item:7'],
    ['...others'],
  ]);
  const suite = `suite('a suite', () => { test('names one @B7', () => {}); });`;
  expect(testsIn('test/vscode/a.test.ts', suite)).toMatchObject([{ name: 'names one @B7', tags: ['B7'] }]);
});
