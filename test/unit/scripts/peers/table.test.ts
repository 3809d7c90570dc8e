import { expect, test } from 'vitest';
import type { RequestRecord } from '../../../../scripts/peers/scriptedServer.ts';
import { writeSession } from '../../../../scripts/peers/session.ts';
import { compactionsOf, costOf, factsOf, type Run, tableOf, tokensOf } from '../../../../scripts/peers/table.ts';

const { facts } = writeSession(1);
const record = (more: Partial<RequestRecord>): RequestRecord => ({
  kind: 'step',
  tokens: 1_000,
  cached: 0,
  facts: [],
  gone: 0,
  ...more,
});
const run = (title: string, more: Partial<Run['result']>, summaries: Run['summaries'] = 'full'): Run => ({
  title,
  window: 64_000,
  summaries,
  result: { fault: null, records: [], usage: null, ...more },
});

test('the cost is what was not cached and a tenth of what was, without refused requests', () => {
  const its = run('one', {
    records: [
      record({ tokens: 10_000 }),
      record({ tokens: 12_000, cached: 10_000 }),
      record({ kind: 'refused', tokens: 70_000 }),
      record({ kind: 'summary', tokens: 13_000, cached: 12_000 }),
    ],
  });
  expect(tokensOf(its)).toBe(35_000);
  expect(costOf(its)).toBeCloseTo(10_000 + (2_000 + 1_000) + (1_000 + 1_200));
});

test('a compaction is a request that lost 2 % of the window or more', () => {
  const goes = [0, 1_279, 1_280, 40_000];
  expect(compactionsOf(run('one', { records: goes.map((gone) => record({ gone })) }))).toBe(2);
});

test('facts are counted in the last request that goes on with the work', () => {
  const records = [
    record({ facts: facts.slice(0, 20) }),
    record({ kind: 'end of part', facts: facts.slice(0, 9) }),
    record({ kind: 'summary', facts }),
  ];
  expect(factsOf(run('one', { records }))).toBe(9);
});

test('an agent has one row, with ranges over its runs and facts by kind of summary', () => {
  const usage = (cpuSeconds: number) => ({ cpuSeconds, memory: 100 * 2 ** 20 });
  const table = tableOf([
    run('one 1.0', { records: [record({ tokens: 500_000, facts })], usage: usage(4) }),
    run('one 1.0', { records: [record({ tokens: 600_000, facts: facts.slice(1) })], usage: usage(9) }),
    run('one 1.0', { records: [record({ tokens: 500_000, facts: [] })], usage: usage(5) }, 'empty'),
    run('two 2.0', { records: [record({ tokens: 1_500_000, cached: 1_500_000, facts })] }),
  ]);
  expect(table.split('\n').slice(2)).toEqual([
    '| one 1.0 | 1 | 0.50–0.60 | 0 | 500–600 | 0 | 29–30 / – / 0 | 4–9 | 100 |',
    '| two 2.0 | 1 | 1.50 | 100 | 150 | 0 | 30 / – / – | – | – |',
  ]);
});

test('a run that did not get through is named with its reason, beside the runs of the same agent that did', () => {
  const table = tableOf([
    run('one 1.0', { records: [record({ tokens: 500_000, facts })] }),
    run('one 1.0', { fault: 'stopped at step 12 of 63:\na | b', records: [record({ tokens: 9 })] }, 'empty'),
    run('two', { fault: 'npm cannot install it' }),
  ]);
  expect(table.split('\n').slice(2)).toEqual([
    '| one 1.0 | 1 | 0.50 | 0 | 500 | 0 | 30 / – / – | – | – |',
    '| one 1.0, summary empty: stopped at step 12 of 63: a \\| b | – | – | – | – | – | – | – | – |',
    '| two, summary full: npm cannot install it | – | – | – | – | – | – | – | – |',
  ]);
});
