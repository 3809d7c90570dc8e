import { expect, test } from 'vitest';
import { diffTexts, textsOfDiff } from '../../../src/core/tools/text/diffTexts.ts';

const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}\n`).join('');

test('with the text before, both are whole', () => {
  for (const [before, after] of [
    [`${lines(0, 40)}old\n${lines(40, 80)}`, `${lines(0, 40)}new\n${lines(40, 80)}more`],
    ['', 'made\n'],
    ['a\r\nb\r\n', 'a\r\nc\r\n'],
  ] as const)
    expect(textsOfDiff(diffTexts(before, after).diff, before)).toEqual({ before, after });
});

test('without it, or where it does not fit, they are what the diff shows', () => {
  const { diff } = diffTexts('a\nb\n', 'a\nc\n');
  const parts = { before: '⋯\na\nb', after: '⋯\na\nc' };
  expect(textsOfDiff(diff, null)).toEqual(parts);
  expect(textsOfDiff(diff, 'something else\n')).toEqual(parts);
  const long = diffTexts(lines(0, 90), lines(10, 100)).diff;
  expect(textsOfDiff(long.slice(0, 200), lines(0, 90)).before).toContain('line 0');
});
