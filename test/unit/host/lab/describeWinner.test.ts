/** The sentence that a replay begins with. */

import { expect, test } from 'vitest';
import type { NamedContender } from '../../../../src/host/lab/contenders.ts';
import { describeWinner } from '../../../../src/host/lab/describeLab.ts';
import { type LabFacts, reportOf } from '../../../../src/host/lab/describeReport.ts';
import { fittingWindow } from '../../../../src/host/lab/strategyLab.ts';
import { BASELINES } from '../../../../src/lab/baselines/baselines.ts';
import type { LabReport } from '../../../../src/lab/makeReport.ts';
import { prepareSession } from '../../../../src/lab/prepareSession.ts';
import { replay } from '../../../../src/lab/replay.ts';
import type { LabResult } from '../../../../src/node/lab/replayStored.ts';
import { t } from '../../../support/inEnglish.ts';
import { generateCodingSession } from '../../../support/sessions/generateCodingSession.ts';

const contender = (name: string, kind: 'builtIn' | 'yardstick'): NamedContender => ({
  name,
  label: name,
  contender: { key: name, strategy: { id: name, label: name, kind, fields: [], inForce: {} }, typed: {} },
});

/** The sentence about generated sessions, by seed, under the given strategies. */
async function sentence(seeds: readonly number[], window: number, contenders: readonly NamedContender[]) {
  const results: LabResult[] = [];
  for (const seed of seeds) {
    const prepared = prepareSession({
      name: `s${seed}`,
      messages: generateCodingSession({ seed, messages: 200 }),
      compactions: [],
    });
    for (const { name } of contenders) {
      const made = BASELINES.get(name)?.(prepared, window);
      if (!made) throw new Error(name);
      const score = await replay(prepared, made, { signal: new AbortController().signal });
      const compactions = score.rewrites > 0 ? [2] : [];
      results.push({ score: { strategy: name, ...score }, sizes: [score.peak], compactions, misses: [] });
    }
  }
  const facts = { contenders, results, window } as unknown as LabFacts;
  const names = contenders.map(({ name }) => name);
  return describeWinner(reportOf(window, names, results, []), facts, t);
}

const [none, truncate] = [contender('none', 'builtIn'), contender('truncate-80-50', 'builtIn')];

test('names the winner, and of one session says that it tells nothing', async () => {
  expect(await sentence([1], 10_000, [none, truncate])).toMatch(
    /^(none|truncate-80-50) is the cheapest: .* One session cannot tell whether that is chance: add others\.$/,
  );
});

test('of several sessions says whether the lead is more than chance, with its bounds', async () => {
  expect(await sentence([1, 2, 3, 4], 10_000, [none, truncate])).toMatch(
    /points behind(; over these sessions that is more than chance|, which may be chance) \(-?\d+\.\d to -?\d+\.\d points, 4 sessions\)\.$/,
  );
});

test('a yardstick does not win, and equals are told as such', async () => {
  expect(await sentence([1], 10_000, [none, contender('truncate-80-50', 'yardstick')])).toMatch(/^No strategy had to/);
  const twice = [truncate, { ...truncate, label: 'again' }];
  expect(await sentence([1], 10_000, twice)).toMatch(/again costs the same\.$/);
});

test('seven rows of 100 are explained: the window was never filled', async () => {
  expect(await sentence([1], 2_000_000, [none, truncate])).toMatch(
    /^No strategy had to compact: the largest request has [\d,]+ tokens, and the window 2,000,000\./,
  );
});

test('rows of 100 are explained where a compaction came too late to save anything', async () => {
  const score = { costWithRereadsPercent: 100, longRangeRecall: null };
  const report = { strategies: [none, truncate].map(({ name }) => ({ id: name, ...score })) } as unknown as LabReport;
  const results = [none, truncate].map(({ name }) => ({
    score: { strategy: name },
    sizes: [9_000],
    compactions: [17],
  }));
  const facts = { contenders: [none, truncate], results, window: 8_000 } as unknown as LabFacts;
  expect(describeWinner(report, facts, t)).toMatch(
    /^No compaction pays here: every strategy costs what no compaction costs\./,
  );
});

test('the window at first is half of the session, within bounds', () => {
  const of = (characters: number) => fittingWindow({ messages: [{ role: 'user', content: 'x'.repeat(characters) }] });
  expect([of(100), of(100_000), of(4_000_000)]).toEqual([8_000, 13_000, 64_000]);
});
