import { describe, expect, it } from 'vitest';
import { words } from '../../../src/core/words.ts';
import {
  makeReport,
  readDifferences,
  readFigures,
  readIntervals,
  renderMarkdown,
} from '../../../src/lab/makeReport.ts';
import type { LabScore } from '../../../src/lab/replay.ts';
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
    isTimed: false,
    coldSteps: 0,
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
    missingLines: 4,
    rereads: 2,
    firstRereads: 1,
    rereadCost: 10,
    edits: NOTHING,
    unrepaired: 1,
    repairCost: 6,
    repairedEdits: NOTHING,
    tailCost: 0,
    tailFullCost: 0,
    tail: NOTHING,
    model: { name: '', answered: 0, refused: 0 },
    paid: NOTHING,
    gaps: { count: 0, steps: 0 },
    runs: null,
    ...facts,
  };
}

const BIG = scoreOf('big', { cost: 300, fullCost: 900, steps: 90, rewrites: 19, longRange: { total: 100, kept: 50 } });
const SMALL = scoreOf('small', { cost: 100, fullCost: 100, longRange: { total: 10, kept: 10 } });
const TINY = scoreOf('tiny', { cost: 0, fullCost: 0, longRange: { total: 4, kept: 0 } });

describe('figures', { tags: ['B6'] }, () => {
  it('pool tokens and steps over all sessions', () => {
    const { costPercent, costWithRereadsPercent, inputPercent, hitPercent, rewritesPer100, rereadsPer100, peak } =
      readFigures([BIG, SMALL]);
    expect({
      costPercent,
      costWithRereadsPercent,
      inputPercent,
      hitPercent,
      rewritesPer100,
      rereadsPer100,
      peak,
    }).toEqual({
      costPercent: 40,
      costWithRereadsPercent: 42,
      inputPercent: 50,
      hitPercent: 80,
      rewritesPer100: 20,
      rereadsPer100: 4,
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
      missingLines: 6,
      rereads: 4,
      firstRereads: 3,
      rereadCost: 5,
      paid: { total: 4, kept: 3 },
      gaps: { count: 2, steps: 30 },
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
      missingLinesPer100: 12,
      rereadsPer100: 8,
      firstRereadsPer100: 6,
      compactions: 4,
      paidPercent: 75,
      gap: 15,
      costWithRereadsPercent: 35,
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

  it('has a row a strategy, the cheapest with rereads first, whatever order the scores came in', () => {
    const read = scores.map((score) => (score.strategy === 'b' ? { ...score, rereadCost: 90 } : score));
    const report = makeReport(setting, read);
    expect(report.strategies.map((row) => [row.id, row.costPercent, row.costWithRereadsPercent])).toEqual([
      ['a', 40, 42],
      ['b', 40, 58],
    ]);
    expect(report.reference).toBe('b');
    expect(makeReport(setting, read.toReversed())).toEqual(report);
  });

  it('names its figures as the format says', () => {
    const report = makeReport(setting, scores);
    expect(Object.keys(report)).toEqual([
      'window',
      'beforeFirstCompaction',
      'sessions',
      'timed',
      'reference',
      'strategies',
      'idle',
    ]);
    const figures = Object.keys(readFigures([BIG]));
    const row = report.strategies[0];
    expect(Object.keys(row ?? {})).toEqual(['id', 'note', 'runs', ...figures, 'interval', 'difference']);
    expect(Object.keys(row?.interval ?? {})).toEqual(figures);
  });

  it('takes no figure from a session in which a strategy never compacted, and says so', () => {
    const vain = {
      due: 3,
      own: 0,
      others: [{ fate: 'replaced', by: 'layered', reason: words('it broke'), count: 3 }],
      warnings: [],
    };
    const runs = { due: 2, own: 2, others: [], warnings: [] };
    const report = makeReport(setting, [
      { strategy: 'b', ...BIG, runs: vain } as LabScore,
      { strategy: 'b', ...SMALL, runs },
      { strategy: 'a', ...BIG, runs: vain } as LabScore,
      // It was never due here, which is no work of its own either.
      { strategy: 'a', ...SMALL, runs: { due: 0, own: 0, others: [], warnings: [] } },
    ]);
    expect(report.strategies.map(({ id, costPercent }) => [id, costPercent])).toEqual([['b', 100]]);
    expect(report.strategies[0]?.note).toBe(
      '2 of 5 runs were its own; 3 were replaced: by layered, because it broke (3); ' +
        'in 1 of 2 sessions no run was its own, so they are not in its figures',
    );
    expect(report.idle.map(({ id, runs: { due } }) => [id, due])).toEqual([['a', 3]]);
    expect(renderMarkdown(report)).toContain('- a: it never compacted. 0 of 3 runs were its own; 3 were replaced');
  });

  it('sets each strategy beside the first one', () => {
    const other = { strategy: 'a', ...BIG, cost: 200 };
    const report = makeReport(setting, [...scores.filter(({ strategy }) => strategy === 'b'), other]);
    expect(report.strategies.map(({ difference }) => difference?.costPercent?.[0].toFixed(2) ?? null)).toEqual([
      '-11.11',
      null,
    ]);
    expect(renderMarkdown(report)).toContain('More or less than b');
    expect(renderMarkdown(report)).toContain('| a | -11.1 |');
  });

  it('labels a row whose model did not answer', () => {
    const report = makeReport(setting, scores);
    expect(report.strategies.map((row) => row.note)).toEqual(['no model answered 3 times', '']);
    expect(renderMarkdown(report)).toContain('- b: no model answered 3 times');
  });
});
