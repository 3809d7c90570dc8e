import { describe, expect, it } from 'vitest';
import {
  makeReport,
  readDifferences,
  readFigures,
  readIntervals,
  renderMarkdown,
} from '../../../src/lab/makeReport.ts';
import type { SessionScore } from '../../../src/lab/sessionScore.ts';

const NOTHING = { total: 0, kept: 0 };

function scoreOf(session: string, facts: Partial<SessionScore>): SessionScore {
  return {
    session,
    steps: 10,
    input: 500,
    cached: 400,
    fullInput: 1000,
    cost: 50,
    fullCost: 100,
    peak: 100,
    rewrites: 1,
    invalid: 0,
    all: NOTHING,
    longRange: NOTHING,
    verbatim: NOTHING,
    wholeLine: NOTHING,
    toolOnly: NOTHING,
    reachable: NOTHING,
    path: NOTHING,
    identifier: NOTHING,
    line: NOTHING,
    pair: NOTHING,
    user: NOTHING,
    files: NOTHING,
    refetches: 2,
    refetchCost: 10,
    edits: NOTHING,
    unrepaired: 1,
    repairCost: 6,
    repairedEdits: NOTHING,
    tailCost: 0,
    tailFullCost: 0,
    tail: NOTHING,
    model: { name: '', answered: 0, refused: 0 },
    failures: 0,
    ...facts,
  };
}

const BIG = scoreOf('big', { cost: 300, fullCost: 900, steps: 90, rewrites: 19, longRange: { total: 100, kept: 50 } });
const SMALL = scoreOf('small', { cost: 100, fullCost: 100, longRange: { total: 10, kept: 10 } });
const TINY = scoreOf('tiny', { cost: 0, fullCost: 0, longRange: { total: 4, kept: 0 } });

describe('figures', { tags: ['B6'] }, () => {
  it('pool tokens and steps over all sessions', () => {
    const { costPercent, costWithRefetchPercent, inputPercent, hitPercent, rewritesPer100, refetchPer100, peak } =
      readFigures([BIG, SMALL]);
    expect({
      costPercent,
      costWithRefetchPercent,
      inputPercent,
      hitPercent,
      rewritesPer100,
      refetchPer100,
      peak,
    }).toEqual({
      costPercent: 40,
      costWithRefetchPercent: 42,
      inputPercent: 50,
      hitPercent: 80,
      rewritesPer100: 20,
      refetchPer100: 4,
      peak: 100,
    });
  });

  it('are all there, each from its own counts', () => {
    const share = (kept: number) => ({ total: 100, kept });
    const one = scoreOf('one', {
      input: 200,
      cached: 180,
      fullInput: 1000,
      cost: 30,
      fullCost: 100,
      peak: 77,
      steps: 50,
      rewrites: 3,
      invalid: 2,
      all: share(99),
      longRange: share(90),
      verbatim: share(80),
      wholeLine: share(85),
      toolOnly: share(70),
      reachable: share(60),
      path: share(97),
      identifier: share(96),
      line: share(95),
      pair: share(50),
      user: share(40),
      files: share(30),
      refetches: 4,
      refetchCost: 5,
      edits: share(65),
      unrepaired: 2,
      repairCost: 3,
      repairedEdits: share(82),
      tailCost: 30,
      tailFullCost: 40,
      tail: share(88),
    });
    expect(readFigures([one])).toEqual({
      inputPercent: 20,
      hitPercent: 90,
      costPercent: 30,
      peak: 77,
      rewritesPer100: 6,
      longRangeRecall: 90,
      longRangeVerbatim: 80,
      wholeLine: 85,
      pair: 50,
      toolOnly: 70,
      allRecall: 99,
      pathRecall: 97,
      identifierRecall: 96,
      lineRecall: 95,
      userPercent: 40,
      filesPercent: 30,
      reachablePercent: 60,
      refetchPer100: 8,
      costWithRefetchPercent: 35,
      editPercent: 65,
      unrepairedPer100: 4,
      costWithRepairPercent: 33,
      repairedEditPercent: 82,
      tailCostPercent: 75,
      tailRecall: 88,
      invalid: 2,
    });
  });

  it('average recall over sessions with five or more anchors', () => {
    expect(readFigures([BIG, SMALL, TINY]).longRangeRecall).toBe(75);
    expect(readFigures([TINY]).longRangeRecall).toBe(null);
  });

  it('have bounds that come out the same each time, and none where one session decides', () => {
    const scores = [BIG, SMALL, TINY];
    expect(readIntervals(scores)).toEqual(readIntervals(scores));
    expect(readIntervals(scores).longRangeRecall).toEqual([50, 100]);
    expect(readIntervals([SMALL]).costPercent).toEqual([100, 100]);
  });
});

describe('the difference of two strategies', { tags: ['B6'] }, () => {
  const HARD = scoreOf('hard', { cost: 90, longRange: { total: 10, kept: 2 } });
  const EASY = scoreOf('easy', { cost: 10, longRange: { total: 10, kept: 10 } });
  const cheaper = (score: SessionScore) => ({ ...score, cost: score.cost - 4 });

  it('is certain where every session says the same, however far the sessions are apart', () => {
    const { costPercent, longRangeRecall } = readDifferences([EASY, HARD].map(cheaper), [HARD, EASY]);
    expect([costPercent, longRangeRecall]).toEqual([
      [-4, -4, -4],
      [0, 0, 0],
    ]);
    expect(readIntervals([HARD, EASY]).costPercent).toEqual([10, 90]);
  });

  it('spans zero where one session gains and the other loses', () => {
    const dearer = { ...HARD, cost: HARD.cost + 6 };
    expect(readDifferences([cheaper(EASY), dearer], [EASY, HARD]).costPercent).toEqual([1, -4, 6]);
  });

  it('counts only sessions that both replayed, and is absent without a figure', () => {
    const { costPercent, pair } = readDifferences([cheaper(EASY), HARD], [EASY]);
    expect([costPercent, pair]).toEqual([[-4, -4, -4], null]);
  });
});

describe('the report', { tags: ['B6'] }, () => {
  const setting = { window: 64_000, beforeFirstCompaction: false, strategies: ['b', 'a'] };
  const scores = [
    { strategy: 'a', ...BIG },
    { strategy: 'b', ...BIG, model: { name: 'none', answered: 0, refused: 3 } },
    { strategy: 'a', ...SMALL },
    { strategy: 'b', ...SMALL },
  ];

  it('has a row a strategy in the order asked for, whatever order the scores came in', () => {
    const report = makeReport(setting, scores);
    expect(report.strategies.map((row) => [row.id, row.costPercent])).toEqual([
      ['b', 40],
      ['a', 40],
    ]);
    expect(makeReport(setting, scores.toReversed())).toEqual(report);
  });

  it('names its figures as the format says', () => {
    const report = makeReport(setting, scores);
    expect(Object.keys(report)).toEqual(['window', 'beforeFirstCompaction', 'sessions', 'strategies']);
    const figures = Object.keys(readFigures([BIG]));
    expect(Object.keys(report.strategies[0] ?? {})).toEqual(['id', 'note', ...figures, 'interval', 'difference']);
    expect(Object.keys(report.strategies[0]?.interval ?? {})).toEqual(figures);
  });

  it('sets each strategy beside the first one', () => {
    const other = { strategy: 'a', ...BIG, cost: 200 };
    const report = makeReport(setting, [...scores.filter(({ strategy }) => strategy === 'b'), other]);
    expect(report.strategies.map(({ difference }) => difference?.costPercent?.[0].toFixed(2) ?? null)).toEqual([
      null,
      '-11.11',
    ]);
    expect(renderMarkdown(report)).toContain('More or less than b');
    expect(renderMarkdown(report)).toContain('| a | -11.1 |');
  });

  it('labels a row whose model did not answer', () => {
    const report = makeReport(setting, scores);
    expect(report.strategies.map((row) => row.note)).toEqual([
      'deterministic part only where no model answered (3 times asked)',
      '',
    ]);
    expect(renderMarkdown(report)).toContain('- b: deterministic part only');
  });
});
