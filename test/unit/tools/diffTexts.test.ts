import { expect, test } from 'vitest';
import { diffTexts } from '../../../src/core/tools/text/diffTexts.ts';

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `${from + n}\n`).join('');

test('three lines of context around each change, far changes in hunks of their own', () => {
  const before = numbered(1, 20);
  const after = before.replace('2\n', 'two\n').replace('19\n', 'nineteen\n');
  expect(diffTexts(before, after)).toEqual({
    diff: '@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -16,5 +16,5 @@\n 16\n 17\n 18\n-19\n+nineteen\n 20\n',
    added: 2,
    removed: 2,
  });
});

test('a new file is all added, the same text is no diff', () => {
  expect(diffTexts('', 'a\nb\n')).toEqual({ diff: '@@ -0,0 +1,2 @@\n+a\n+b\n', added: 2, removed: 0 });
  expect(diffTexts('a\n', 'a\n')).toEqual({ diff: '', added: 0, removed: 0 });
});

test('a line end that is lost is said', () => {
  expect(diffTexts('a\n', 'a').diff).toContain('\\ No newline at end of file');
});

test('texts with nothing in common are replaced whole', () => {
  const { added, removed } = diffTexts(numbered(1, 3_000), numbered(4_000, 6_999));
  expect([added, removed]).toEqual([3_000, 3_000]);
});
