/** Where a summary is cut that is longer than it may be. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtSentence, fitSummary } from '../../../src/core/compaction/strategies/summaryLimits.ts';
import { countTokens } from '../../../src/core/tokens/estimate.ts';

const MERGED = '\n(These notes were merged 2 times.)';

describe('a summary is cut at the end of a sentence', () => {
  it.each([
    ['One is done. Two is no', 'One is done.'],
    ['用户要求修复测试。时钟只读取一', '用户要求修复测试。'],
    ['Is it done? Yes! And th', 'Is it done? Yes!'],
    ['He said “it works.” Then a', 'He said “it works.”'],
    ['Read src/clock.ts and src/retry.ts for v1.2 of', 'Read src/clock.ts and src/retry.ts for v1.2'],
    ['- one file\n- another fi', '- one file'],
    ['Steps.\n1. read\n2. wri', 'Steps.\n1. read'],
    ['one line that\ngoes on in the ne', 'one line that\ngoes on in the'],
    [
      'First. And then a very long sentence without any end that goes on for',
      'First. And then a very long sentence without any end that goes on',
    ],
    ['xxxxxxxxxxxx', 'xxxxxxxxxxxx'],
    ['修复修复修复修复', '修复修复修复修复'],
  ])('%s', (start, kept) => {
    expect(cutAtSentence(`${start}xt word of the text`, start.length)).toBe(kept);
  });

  it('and is never longer than its limits, with all of its marks', () => {
    const texts = fc.array(
      fc.constantFrom('The user asked. ', '用户要求。', 'word ', '\n- item', '}{"a":', '😀', 'x'.repeat(50)),
      {
        maxLength: 400,
      },
    );
    const limits = fc.record(
      {
        tokens: fc.integer({ min: 64, max: 900 }),
        characters: fc.integer({ min: 100, max: 2_000 }),
        words: fc.integer({ min: 50, max: 500 }),
      },
      { requiredKeys: ['tokens'] },
    );
    fc.assert(
      fc.property(texts, limits, fc.boolean(), fc.constantFrom('', MERGED), (parts, most, ended, tail) => {
        const given = `Begins. ${parts.join('')}`.trim();
        const { text, cut } = fitSummary(given, most, tail, ended);
        expect(countTokens(text)).toBeLessThanOrEqual(most.tokens);
        expect(text.length).toBeLessThanOrEqual(most.characters ?? Number.POSITIVE_INFINITY);
        expect(text.match(/\p{Script=Han}|[^\s\p{Script=Han}]+/gu)?.length ?? 0).toBeLessThanOrEqual(
          most.words ?? Number.POSITIVE_INFINITY,
        );
        expect(text.endsWith(tail)).toBe(true);
        expect(text.isWellFormed()).toBe(true);
        if (cut > 0) expect(text).toMatch(/\((These notes were|The rest was) cut/);
        else expect(text).toContain(given);
      }),
      { numRuns: 500 },
    );
  });
});
