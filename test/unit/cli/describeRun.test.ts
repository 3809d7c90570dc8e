import { expect, it } from 'vitest';
import { describeRun } from '../../../src/cli/describeRun.ts';
import { words } from '../../../src/core/words.ts';
import { makeReport } from '../../../src/lab/makeReport.ts';
import type { LabScore } from '../../../src/lab/replay.ts';
import { describeFigures } from '../../../src/node/lab/describeReport.ts';
import { pageHtml } from '../../../src/node/pages/pageHtml.ts';
import { pageText } from '../../../src/node/pages/pageText.ts';
import { t } from '../../support/inEnglish.ts';

const NONE = { total: 0, kept: 0 };

/** A session in which `kept` of 100 long-range needs were met, at `cost` of 1,000. */
function score(strategy: string, session: number, cost: number, kept: number): LabScore {
  const longRange = { total: 100, kept };
  const shares = { all: longRange, longRange, verbatim: NONE, wholeLine: NONE, toolOnly: NONE, reachable: NONE };
  const kinds = { path: NONE, identifier: NONE, line: NONE, pair: NONE, user: NONE, files: NONE };
  return {
    strategy,
    session: `s${session}`,
    steps: 10,
    input: 1,
    cached: 0,
    fullInput: 1,
    cost,
    fullCost: 1_000,
    peak: 1,
    rewrites: 0,
    isTimed: false,
    coldSteps: 0,
    invalid: 0,
    missingLines: 0,
    rereads: 0,
    firstRereads: 0,
    rereadCost: 0,
    paid: { total: 3, kept: 3 },
    gaps: { count: 0, steps: 0 },
    runs: null,
    edits: NONE,
    unrepaired: 0,
    repairCost: 0,
    repairedEdits: NONE,
    tailCost: 0,
    tailFullCost: 0,
    tail: NONE,
    model: { name: '', answered: 0, refused: 0 },
    ...shares,
    ...kinds,
  };
}

/** Sessions differ far more than the strategies do. */
const spread = Array.from({ length: 12 }, (_, i) => 100 + 60 * i);

const textOf = (scores: readonly LabScore[], leftOut: readonly string[] = []) =>
  pageText(
    describeRun({ strategies: ['a', 'b'], window: 64_000, beforeFirstCompaction: false, scores, broken: [], leftOut }),
  );

it('a small difference that every session shows means something, however much sessions differ', () => {
  const scores = spread.flatMap((cost, i) => [score('a', i, cost, 50), score('b', i, cost - 10, 48)]);
  expect(textOf(scores)).toContain(
    '- b against a: cost with rereads −1.0 points (−1.0 to −1.0), recall −2.0 points (−2.0 to −2.0). Both differences mean something.',
  );
});

it('a difference that a few sessions make is chance', () => {
  const scores = spread.flatMap((cost, i) => [
    score('a', i, cost, 50),
    score('b', i, cost + (i % 2 ? 200 : -180), i === 3 ? 90 : 48),
  ]);
  expect(textOf(scores)).toContain('No difference means anything: it can all be chance.');
});

it('a few sessions show nothing, and what was left out is named', () => {
  const text = textOf([score('a', 1, 100, 50), score('b', 1, 200, 50)], ['x: not valid JSON']);
  expect(text).toContain('With only 1 session the figures say little about other work.');
  expect(text).toContain('1 session cannot show whether that means anything.');
  expect(text).toMatch(/Left out: 1\s+- x: not valid JSON/);
});

it('has the chart, the tables and the words of the page in the editor, and judges by cost and recall', () => {
  const scores = [score('layered', 1, 400, 95), score('llm-summary', 1, 300, 70)];
  const strategies = ['layered', 'llm-summary'];
  const run = { strategies, window: 64_000, beforeFirstCompaction: false, scores, broken: [], leftOut: [] };
  const page = describeRun(run);
  const report = makeReport(run, scores);
  const facts = { report, scores, broken: [], labelOf: (id: string) => id, isYardstick: () => false };
  expect(page.blocks).toContainEqual(describeFigures(facts, t));
  expect(pageText(page)).toContain('layered is the cheapest of those that keep the most: 40.0% of the cost');
  expect(pageText(page)).toContain('llm-summary costs less, 30.0%, but only 70.0% was still there.');
  const html = pageHtml(page, 'en');
  expect(html).toContain('<svg');
  expect(html).toContain('Cost with rereads %');
});

it('says in one sentence that the sessions are too small, as the page in the editor does, and shows no table', () => {
  const scores = ['layered', 'llm-summary'].map((strategy) => ({ ...score(strategy, 1, 1_000, 100), paid: NONE }));
  const strategies = ['layered', 'llm-summary'];
  const page = describeRun({
    strategies,
    window: 64_000,
    beforeFirstCompaction: false,
    scores,
    broken: [],
    leftOut: ['x: gone'],
  });
  expect(page.blocks.map(({ kind }) => kind)).toEqual(['text', 'section']);
  expect(pageText(page)).toContain(
    'Too small to compare anything: the messages of the largest request have 0 tokens, and in a window of 64,000 no strategy had to compact.',
  );
  expect(pageText(page)).toMatch(/Left out: 1\s+- x: gone/);
});

it('says once how runs ended, and who wrote the summaries', () => {
  const others = [{ fate: 'failed' as const, by: '', reason: words('it did not answer'), count: 2 }];
  const runs = { due: 3, own: 1, others, warnings: [] };
  const model = { name: 'a model', answered: 1, refused: 2 };
  const text = textOf([score('a', 1, 400, 95), { ...score('b', 1, 300, 70), runs, model }]);
  expect(text.match(/it did not answer/g)).toHaveLength(1);
  expect(text).toContain('- b: 1 summary: a model; no model answered 2 times');
});
