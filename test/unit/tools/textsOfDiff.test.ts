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
  const parts = { before: 'a\nb', after: 'a\nc' };
  expect(textsOfDiff(diff, null)).toEqual(parts);
  expect(textsOfDiff(diff, 'something else\n')).toEqual(parts);
  const long = diffTexts(lines(0, 90), lines(10, 100)).diff;
  expect(textsOfDiff(long.slice(0, 200), lines(0, 90)).before).toContain('line 0');
});

test('a part is shown without a line that nobody wrote, unless something is left out before it', () => {
  // A call whose turn has not come: its texts, and no place of them.
  expect(textsOfDiff('-a\n+b\n', null)).toEqual({ before: 'a', after: 'b' });
  expect(textsOfDiff('-a\n+b\n', 'a\n')).toEqual({ before: 'a', after: 'b' });
  expect(textsOfDiff('-a\n+b\n@@\n-c\n', null)).toEqual({ before: 'a\n⋯\nc', after: 'b\n⋯' });
  const later = diffTexts(`${lines(0, 20)}a\n`, `${lines(0, 20)}b\n`).diff;
  expect(textsOfDiff(later, null).before.split('\n')).toEqual(['⋯', 'line 17', 'line 18', 'line 19', 'a']);
});
