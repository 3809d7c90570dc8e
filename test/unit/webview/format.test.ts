import { expect, test } from 'vitest';
import { formatDuration, formatTokens } from '../../../webview/words/format.ts';
import { english } from '../../../webview/words/strings.ts';
import { chinese } from '../../../webview/words/strings.zh.ts';

test('tokens and times are short', () => {
  expect([0, 980, 1_000, 1_240, 61_200, 999_600, 1_250_000].map(formatTokens)).toEqual([
    '0',
    '980',
    '1k',
    '1.2k',
    '61k',
    '1M',
    '1.3M',
  ]);
  expect([34, 120, 4_210, 65_000].map(formatDuration)).toEqual(['34ms', '0.1s', '4.2s', '1m 05s']);
});

test('every string is there in both languages, and none was left in English', () => {
  const leaves = (value: unknown, path = ''): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`))
      : [`${path}=${typeof value === 'function' ? value('1', '2', '3') : value}`];
  const [en, zh] = [leaves(english), leaves(chinese)];
  expect(zh.map((leaf) => leaf.split('=')[0])).toEqual(en.map((leaf) => leaf.split('=')[0]));
  const same = zh.filter((leaf) => en.includes(leaf)).map((leaf) => leaf.split('=')[0]);
  expect(same.filter((path) => !path?.startsWith('.keys.'))).toEqual(['.compacted']);
});
