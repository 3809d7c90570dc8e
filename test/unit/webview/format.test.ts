import { expect, test } from 'vitest';
import { formatTokens } from '../../../src/core/tokens/formatTokens.ts';
import { ageOf, formatDuration } from '../../../webview/page/format.ts';

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

test('a session is as old as the days of the calendar say', () => {
  const at = (day: number, hour: number) => new Date(2026, 2, day, hour).getTime();
  const now = at(31, 1);
  const ages = [at(31, 0), at(30, 23), at(30, 0), at(29, 23), at(25, 0), at(24, 23), at(2, 0), at(1, 23)];
  expect(ages.map((time) => ageOf(time, now))).toEqual([
    'today',
    'yesterday',
    'yesterday',
    'week',
    'week',
    'month',
    'month',
    'older',
  ]);
  expect(ageOf(now + 60_000, now)).toBe('today');
});
