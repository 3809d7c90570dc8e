import { expect, test } from 'vitest';
import { formatDuration } from '../../../src/core/duration.ts';
import { formatBytes, formatPercent, formatShare, formatTokens } from '../../../src/core/figures.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { ageOf } from '../../../webview/page/format.ts';

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
  const times = [34, 120, 4_210, 59_960, 65_000].map((ms) => inEnglish(formatDuration(ms)));
  expect(times).toEqual(['34 ms', '0.1 s', '4.2 s', '1 min 0 s', '1 min 5 s']);
});

test('shares and sizes have one form', () => {
  expect([formatShare(1, 3), formatShare(0, 0), formatPercent(94.84, 1), formatPercent(37.96)]).toEqual([
    '33%',
    '0%',
    '94.8%',
    '38%',
  ]);
  expect([1, 12_300, 999_999, 1_000_000, 1_250_000_000].map(formatBytes)).toEqual([
    '1 KB',
    '13 KB',
    '1,000 KB',
    '1 MB',
    '1,250 MB',
  ]);
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
