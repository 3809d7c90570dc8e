import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { type JudgedReport, judgeReports, leastOf, mostOf } from '../../../src/core/tokens/judgeReports.ts';

const HEADER = 8_000;
const BY = { window: 32_000, factor: 1, learnt: false };

/** Pairs of what was reported, and what the messages of its request have by our estimate. */
type Series = readonly (readonly [input: number, messages: number])[];

const series = (pairs: Series, more: Partial<JudgedReport> = {}): JudgedReport[] =>
  pairs.map(([input, messages]) => ({ input, messages, header: HEADER, tools: 5_000, ...more }));

describe('which counts can be true', () => {
  it.each<[string, Series, window: number, believed: number, why: readonly (string | null)[]]>([
    [
      'as estimated',
      [
        [9_000, 1_000],
        [9_600, 1_500],
      ],
      32_000,
      1,
      [null, null],
    ],
    ['90,000 of 32,000, at first', [[90_000, 500]], 32_000, -1, ['aboveWindow']],
    [
      '90,000 once, between true ones',
      [
        [9_000, 1_000],
        [90_000, 1_300],
        [9_700, 1_600],
      ],
      32_000,
      2,
      [null, 'aboveWindow', null],
    ],
    [
      '90,000 where no window is known',
      [
        [9_000, 1_000],
        [90_000, 1_300],
      ],
      0,
      0,
      [null, 'tooMuch'],
    ],
    [
      '90,000 of 128,000',
      [
        [9_000, 1_000],
        [90_000, 1_300],
      ],
      128_000,
      0,
      [null, 'tooMuch'],
    ],
    [
      '90,000 always',
      [
        [90_000, 500],
        [90_400, 900],
        [90_800, 1_300],
        [91_000, 1_500],
      ],
      32_000,
      -1,
      ['aboveWindow', 'aboveWindow', 'aboveWindow', 'aboveWindow'],
    ],
    [
      'a sum of all so far',
      [
        [9_000, 1_000],
        [18_400, 1_400],
        [28_200, 1_800],
        [38_400, 2_200],
      ],
      64_000,
      0,
      [null, 'grew', 'grew', 'tooMuch'],
    ],
    [
      'a sum of all so far, in a small window',
      [
        [9_000, 1_000],
        [18_400, 1_400],
        [28_200, 1_800],
        [38_400, 2_200],
      ],
      16_000,
      0,
      [null, 'grew', 'grew', 'aboveWindow'],
    ],
    [
      'one doubled',
      [
        [9_000, 1_000],
        [18_800, 1_400],
        [9_800, 1_800],
      ],
      32_000,
      2,
      [null, 'grew', null],
    ],
    [
      'the first doubled',
      [
        [18_000, 1_000],
        [9_400, 1_400],
        [9_800, 1_800],
      ],
      32_000,
      2,
      [null, null, null],
    ],
    [
      'standing still',
      [
        [9_000, 1_000],
        [9_000, 2_000],
        [9_001, 4_000],
      ],
      32_000,
      -1,
      [null, 'standsStill', 'standsStill'],
    ],
    [
      'standing still at last',
      [
        [8_200, 400],
        [9_000, 1_000],
        [9_000, 2_000],
        [9_001, 4_000],
      ],
      32_000,
      1,
      [null, null, 'standsStill', 'standsStill'],
    ],
    [
      'standing still while little is added each time',
      Array.from({ length: 5 }, (_, i) => [9_000, 1_000 + i * 90] as const),
      32_000,
      -1,
      [null, null, null, 'standsStill', 'standsStill'],
    ],
    [
      'standing still, then growing again',
      [
        [9_000, 1_000],
        [9_000, 3_000],
        [11_400, 3_400],
      ],
      32_000,
      2,
      [null, 'standsStill', null],
    ],
    [
      'nothing, less than nothing, no number',
      [
        [9_000, 1_000],
        [0, 1_200],
        [-5, 1_400],
        [Number.NaN, 1_600],
      ],
      32_000,
      0,
      [null, 'tooLittle', 'tooLittle', 'tooLittle'],
    ],
    [
      'without an end',
      [
        [9_000, 1_000],
        [Number.POSITIVE_INFINITY, 1_200],
      ],
      0,
      0,
      [null, 'tooMuch'],
    ],
    [
      'only what is new',
      [
        [9_000, 1_000],
        [350, 1_300],
        [400, 1_700],
      ],
      32_000,
      0,
      [null, 'tooLittle', 'tooLittle'],
    ],
    // All of these are true.
    [
      'instructions that the server adds',
      [
        [14_000, 1_000],
        [14_500, 1_500],
      ],
      32_000,
      1,
      [null, null],
    ],
    [
      'a vocabulary that needs few tokens',
      [
        [4_600, 1_000],
        [4_900, 1_600],
      ],
      32_000,
      1,
      [null, null],
    ],
    [
      'a vocabulary that needs many, for Chinese',
      [
        [12_000, 2_000],
        [17_600, 4_000],
        [23_300, 6_000],
      ],
      32_000,
      2,
      [null, null, null],
    ],
    [
      'a long result at last',
      [
        [9_000, 1_000],
        [29_000, 11_000],
      ],
      64_000,
      1,
      [null, null],
    ],
    [
      'without the tools',
      [
        [4_000, 1_000],
        [4_500, 1_500],
      ],
      32_000,
      1,
      [null, null],
    ],
    [
      'another server behind a router, by a quarter',
      [
        [10_000, 2_000],
        [12_700, 2_200],
        [10_500, 2_400],
      ],
      32_000,
      2,
      [null, null, null],
    ],
    [
      'another vocabulary from now on',
      [
        [9_000, 1_000],
        [16_000, 1_200],
        [16_400, 1_400],
      ],
      64_000,
      2,
      [null, 'grew', null],
    ],
    [
      'less from now on',
      [
        [15_000, 4_000],
        [9_000, 4_300],
        [9_400, 4_700],
      ],
      32_000,
      2,
      [null, 'shrank', null],
    ],
    [
      'a window that was set too small',
      [
        [30_000, 22_000],
        [33_000, 25_000],
        [60_000, 52_000],
      ],
      32_000,
      2,
      [null, null, null],
    ],
    ['the same, from the first', [[60_000, 52_000]], 32_000, 0, [null]],
    [
      'the same with a vocabulary that needs many',
      [
        [60_000, 22_000],
        [60_500, 22_400],
        [61_000, 22_800],
      ],
      32_000,
      2,
      ['aboveWindow', 'aboveWindow', null],
    ],
  ])('%s', (_, pairs, window, believed, why) => {
    const judged = judgeReports(series(pairs), { ...BY, window });
    expect([judged.believed, judged.doubts.map((doubt) => doubt?.why ?? null)]).toEqual([believed, why]);
  });

  it('an answer cannot be longer than the window, unless its text is', () => {
    const of = (output: number, answer: number) =>
      judgeReports(series([[9_000, 1_000]], { output, answer }), BY).believed;
    expect([of(20_000, 40), of(500_000, 40), of(40_000, 20_000)]).toEqual([0, -1, 0]);
  });

  it('images may count for more, or for nothing', () => {
    const images = { unseen: 8_000, leaves: 8_000 };
    expect(judgeReports(series([[35_000, 2_000]], images), { ...BY, window: 0 }).believed).toBe(0);
    expect(judgeReports(series([[2_400, 9_000]], images), BY).believed).toBe(0);
  });

  it('an import whose instructions are unknown', () => {
    const imported = { header: null, tools: 0 };
    expect(
      judgeReports(
        series(
          [
            [40_000, 9_000],
            [41_000, 9_800],
          ],
          imported,
        ),
        { ...BY, window: 200_000 },
      ).believed,
    ).toBe(1);
    expect(judgeReports(series([[90_000, 9_000]], imported), BY).believed).toBe(-1);
  });

  it('over random series with some false ones, what is believed stays near what is true', () => {
    const random = seededRandom(37);
    const between = (low: number, high: number) => low + random() * (high - low);
    for (let run = 0; run < 2_000; run++) {
      const [factor, preamble] = [between(0.6, 2), Math.floor(between(0, 5_000))];
      const header = Math.floor(between(2_000, 12_000));
      let messages = Math.floor(between(100, 4_000));
      const window = Math.floor(between(2, 6) * (header + messages) * factor);
      const reports: JudgedReport[] = [];
      const exactOf = new Map<JudgedReport, number>();
      let [sum, wrong] = [0, 0];
      const length = 3 + Math.floor(random() * 12);
      const allowed = Math.floor(random() * 4);
      for (let at = 0; at < length; at++) {
        const exact = Math.round((header + messages) * factor) + preamble;
        sum += exact;
        const falsely = wrong < allowed && at < length - 1 && random() < 0.4;
        if (falsely) wrong++;
        const kinds = [90_000, sum, exact * 2, reports.at(-1)?.input ?? 0, 0, Number.NaN, -exact, 120, exact * 30];
        const input = falsely ? (kinds[Math.floor(random() * kinds.length)] ?? 0) : exact;
        const report = { input, messages, header, tools: Math.floor(header / 2) };
        reports.push(report);
        exactOf.set(report, exact);
        const { believed } = judgeReports(reports, { window, factor: 1, learnt: false });
        const found = reports[believed];
        if (found) {
          expect(found.input).toBeGreaterThanOrEqual(leastOf(found, BY, 0));
          expect(found.input).toBeLessThanOrEqual(mostOf(found, 0));
        }
        // One false report, as the first, spoils at most the next three.
        if (wrong <= 1 && at > 3 && reports.slice(-4).every((each) => each.input === exactOf.get(each)))
          expect(Math.abs(Math.log((found?.input ?? 0) / exact))).toBeLessThan(Math.log(1.5));
        messages += Math.floor(between(20, 1_500));
      }
    }
  });
});
