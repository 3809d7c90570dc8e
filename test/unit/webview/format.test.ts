import { expect, test } from 'vitest';
import { formatDuration, formatTokens } from '../../../webview/page/format.ts';

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
