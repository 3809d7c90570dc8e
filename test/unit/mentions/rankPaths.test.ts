import { expect, test } from 'vitest';
import { rankPaths } from '../../../src/core/mentions/rankPaths.ts';

const PATHS = [
  'src/retry.ts',
  'test/retry.test.ts',
  'src/',
  'src/core/report.ts',
  'docs/retry/',
  'README.md',
  'src/read.ts',
];
const rank = (typed: string, recent: readonly string[] = []) => rankPaths(PATHS, typed, { recent, most: 4 });

test('names go before folders, beginnings before middles, short before long', () => {
  expect(rank('retry')).toEqual(['docs/retry/', 'src/retry.ts', 'test/retry.test.ts']);
  expect(rank('SRC/re')).toEqual(['src/read.ts', 'src/retry.ts', 'src/core/report.ts']);
  expect(rank('rprt')).toEqual(['src/core/report.ts']);
  expect(rank('xyz')).toEqual([]);
});

test('of those that match as well, the ones used last go first', () => {
  expect(rank('re', ['src/retry.ts'])[0]).toBe('src/retry.ts');
  expect(rank('', ['test/retry.test.ts', 'README.md']).slice(0, 2)).toEqual(['test/retry.test.ts', 'README.md']);
  expect(rank('')).toHaveLength(4);
});
