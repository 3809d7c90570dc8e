/** The sentences that a replay begins with. */

import { expect, test } from 'vitest';
import { fittingWindow } from '../../../../src/host/lab/strategyLab.ts';
import { BASELINES } from '../../../../src/lab/baselines/baselines.ts';
import { FIXED_TOKENS } from '../../../../src/lab/costMeter.ts';
import { generateCodingSession } from '../../../../src/lab/generateCodingSession.ts';
import { type LabReport, makeReport } from '../../../../src/lab/makeReport.ts';
import { prepareSession } from '../../../../src/lab/prepareSession.ts';
import { type LabScore, replay } from '../../../../src/lab/replay.ts';
import type { ReportFacts } from '../../../../src/node/lab/describeReport.ts';
import { readStored, sampleSession } from '../../../../src/node/lab/storedSession.ts';
import { describeVerdict, isTelling, readVerdict } from '../../../../src/node/lab/verdict.ts';
import { t } from '../../../support/inEnglish.ts';

type Names = readonly (readonly [label: string, baseline: string])[];

const factsOf = (report: LabReport, scores: readonly LabScore[], yardsticks: readonly string[]): ReportFacts => ({
  report,
  scores,
  broken: [],
  labelOf: (id) => id,
  isYardstick: (id) => yardsticks.includes(id),
});

/** Generated sessions, by seed, under the given strategies. */
async function replayed(seeds: readonly number[], window: number, names: Names, yardsticks: readonly string[] = []) {
  const scores: LabScore[] = [];
  for (const seed of seeds) {
    const messages = generateCodingSession({ seed, messages: 200 });
    const prepared = prepareSession({ name: `s${seed}`, messages, compactions: [] });
    for (const [label, baseline] of names) {
      const made = BASELINES.get(baseline)?.(prepared, window);
      if (!made) throw new Error(baseline);
      scores.push({ strategy: label, ...(await replay(prepared, made, { signal: new AbortController().signal })) });
    }
  }
  const strategies = names.map(([label]) => label);
  return factsOf(makeReport({ window, beforeFirstCompaction: false, strategies }, scores), scores, yardsticks);
}

/** Rows as a report has them: cost with rereads, and recall. */
function rows(...given: readonly (readonly [id: string, cost: number, recall: number | null])[]): ReportFacts {
  const strategies = given.map(([id, costWithRereadsPercent, longRangeRecall]) => ({
    id,
    costWithRereadsPercent,
    longRangeRecall,
    compactions: 3,
  }));
  return factsOf({ window: 8_000, strategies, idle: [] } as unknown as LabReport, [], []);
}

const TRUNCATE = ['truncate-80-50', 'truncate-80-50'] as const;
const DIGEST = ['digest', 'digest'] as const;
const NONE = ['none', 'none'] as const;

test('a strategy that keeps less does not win by being cheaper: what it would save is said', () => {
  expect(describeVerdict(rows(['Layered', 38, 94.8], ['Summary', 31, 70.5], ['Hide', 58, 95.9]), t)).toBe(
    'Layered is the cheapest of those that keep the most: 38.0% of the cost without compaction, with what has to be read again, and 94.8% of what was needed later was still there. Summary costs less, 31.0%, but only 70.5% was still there. Hide follows, 20.0 points behind. One session cannot tell whether that is chance: add others.',
  );
});

test('one that is the cheapest and keeps as much as any is told as such, alone or not', () => {
  const alone = describeVerdict(rows(['Layered', 38, 94.8], ['Summary', 51, 70.5]), t);
  expect(alone).toBe(
    'Layered is the cheapest: 38.0% of the cost without compaction, with what has to be read again, and 94.8% of what was needed later was still there.',
  );
  expect(readVerdict(rows(['a', 40, 93.1], ['b', 42, 95]))).toMatchObject({ best: { id: 'a' }, cheapest: null });
  expect(readVerdict(rows(['a', 40, 92.9], ['b', 42, 95]))).toMatchObject({ best: { id: 'b' }, cheapest: { id: 'a' } });
});

test('where nothing was needed again, cost alone decides', () => {
  expect(describeVerdict(rows(['a', 40, null], ['b', 42, null]), t)).toMatch(/^a is the cheapest: 40\.0% of the cost/);
});

test('a real replay is judged by both figures, and of one session says that it tells nothing', async () => {
  const facts = await replayed([1], 10_000, [TRUNCATE, DIGEST]);
  const verdict = readVerdict(facts);
  if (verdict.kind !== 'best') throw new Error(verdict.kind);
  const most = Math.max(...facts.report.strategies.map(({ longRangeRecall }) => longRangeRecall ?? 0));
  expect(verdict.best.longRangeRecall).toBeGreaterThanOrEqual(most - 2);
  expect(describeVerdict(await replayed([1], 10_000, [TRUNCATE, ['again', 'truncate-80-50']]), t)).toMatch(
    /costs the same\.$/,
  );
});

test('of several sessions says whether the lead is more than chance, with its bounds', async () => {
  const facts = await replayed([1, 2, 3, 4], 10_000, [
    ['truncate', 'truncate-80-50'],
    ['last', 'last-40'],
  ]);
  const { strategies } = facts.report;
  // As if both had kept the same.
  const equal = strategies.map((row) => ({ ...row, longRangeRecall: 90 }));
  expect(describeVerdict({ ...facts, report: { ...facts.report, strategies: equal } }, t)).toMatch(
    /points behind(; over these sessions that is more than chance|, which may be chance) \(-?\d+\.\d to -?\d+\.\d points, 4 sessions\)\.$/,
  );
});

test('a yardstick does not win', async () => {
  const facts = await replayed([1], 10_000, [NONE, TRUNCATE], ['none']);
  expect(readVerdict(facts)).toMatchObject({
    kind: 'best',
    best: { id: 'truncate-80-50' },
    next: null,
    cheapest: null,
  });
});

test('sessions that never fill the window are too small, and one sentence says so', async () => {
  const facts = await replayed([1], 2_000_000, [NONE, TRUNCATE]);
  expect(describeVerdict(facts, t)).toMatch(
    /^Too small to compare anything: the messages of the largest request have [\d,]+ tokens, and in a window of 2,000,000 no strategy had to compact\.$/,
  );
  // Of what the window holds: without system prompt and tools, which come on top of it.
  const longest = Math.max(...facts.scores.map(({ peak }) => peak));
  expect(readVerdict(facts)).toEqual({ kind: 'small', peak: longest - FIXED_TOKENS });
});

test('rows of 100 are explained where a compaction came too late to save anything', () => {
  expect(describeVerdict(rows(['a', 100, null], ['b', 100, null]), t)).toMatch(/^No compaction pays here: /);
  // Nor does one that never compacted win over one that lost by it.
  expect(describeVerdict(rows(['a', 100, null], ['b', 115.7, null]), t)).toMatch(/^No compaction pays here: /);
});

test('figures are shown where they say more than the verdict', () => {
  expect(isTelling(rows(['a', 100, null], ['b', 100, null]))).toBe(false);
  expect(isTelling(rows(['a', 100, null], ['b', 115.7, null]))).toBe(true);
});

test('no blank parts its sentences in Chinese', () => {
  const chinese = (text: string) => (text.startsWith('{0} is') ? '甲最便宜。' : '乙的费用相同。');
  expect(describeVerdict(rows(['a', 38, null], ['b', 38, null]), chinese)).toBe('甲最便宜。乙的费用相同。');
});

test('the sample is long enough for strategies to differ in a window that fits it', async () => {
  const session = await readStored(sampleSession('Sample session'));
  expect(session.name).toBe('Sample session');
  const window = fittingWindow(session);
  const prepared = prepareSession(session);
  const scores: LabScore[] = [];
  for (const name of ['truncate-80-50', 'digest']) {
    const made = BASELINES.get(name)?.(prepared, window);
    if (made)
      scores.push({ strategy: name, ...(await replay(prepared, made, { signal: new AbortController().signal })) });
  }
  const setting = { window, beforeFirstCompaction: false, strategies: ['truncate-80-50', 'digest'] };
  expect(readVerdict(factsOf(makeReport(setting, scores), scores, []))).toMatchObject({ kind: 'best' });
});

test('the window at first is half of the session, within bounds', () => {
  const of = (characters: number) => fittingWindow({ messages: [{ role: 'user', content: 'x'.repeat(characters) }] });
  expect([of(100), of(100_000), of(4_000_000)]).toEqual([8_000, 13_000, 64_000]);
});
