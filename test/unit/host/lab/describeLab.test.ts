import { expect, it } from 'vitest';
import type { NamedContender } from '../../../../src/host/lab/contenders.ts';
import { describeLab } from '../../../../src/host/lab/describeLab.ts';
import type { LabFacts } from '../../../../src/host/lab/labFacts.ts';
import { BASELINES } from '../../../../src/lab/baselines/baselines.ts';
import { generateCodingSession } from '../../../../src/lab/generateCodingSession.ts';
import { makeReport } from '../../../../src/lab/makeReport.ts';
import { prepareSession } from '../../../../src/lab/prepareSession.ts';
import { replay } from '../../../../src/lab/replay.ts';
import { fieldsOf } from '../../../../src/node/lab/labFields.ts';
import type { LabResult } from '../../../../src/node/lab/replayStored.ts';
import { labCsv, labSvg } from '../../../../src/node/lab/saveReport.ts';
import { pageText } from '../../../../src/node/pages/pageText.ts';
import { decodeToPage } from '../../../../src/protocol/pages.ts';
import { t } from '../../../support/inEnglish.ts';

const stored = { id: 'a', title: 'Mine', path: '/a', size: 10 };

function named(key: string, typed: Record<string, string> = {}): NamedContender {
  const strategy = {
    id: 'none',
    label: 'none',
    kind: 'builtIn' as const,
    fields: fieldsOf(null),
    inForce: { 'trigger.ratio': 0.8 },
  };
  return { contender: { key, strategy, typed }, name: `none${key}`, label: `None ${key}` };
}

const facts = (changes: Partial<LabFacts>): LabFacts => ({
  sessions: [stored],
  contenders: [named('1')],
  window: 64_000,
  progress: null,
  results: [],
  report: null,
  broken: [],
  unread: [],
  opened: null,
  ...changes,
});
const textOf = (changes: Partial<LabFacts>) => pageText(describeLab(facts(changes), t));

it('one is not told as many', { tags: ['B6'] }, () => {
  expect(textOf({})).toContain('Sessions: 1 · strategies: 1 · window: 64,000 tokens');
});

it('a value that cannot be used is marked, and nothing is replayed with it', { tags: ['B6'] }, () => {
  const ready = JSON.stringify(describeLab(facts({}), t));
  expect(ready).toContain('"id":"replay"');
  const page = describeLab(facts({ contenders: [named('1', { 'trigger.ratio': '7' })] }), t);
  expect(JSON.stringify(page)).not.toContain('"id":"replay"');
  expect(pageText(page)).toContain('- palimpsest.compaction.trigger.ratio: 7 · It must be at most 1.');
});

it('the figures of a replay fit the page, with the compactions of the one that is looked at', {
  tags: ['B6'],
}, async () => {
  const prepared = prepareSession({
    name: 'Mine',
    messages: generateCodingSession({ seed: 1, messages: 200 }),
    compactions: [],
  });
  const { signal } = new AbortController();
  const results: LabResult[] = [];
  for (const id of ['none', 'truncate-80-50']) {
    const contender = BASELINES.get(id)?.(prepared, 10_000);
    if (!contender) throw new Error(id);
    const score = { strategy: id, ...(await replay(prepared, contender, { signal })) };
    const misses = [{ step: 7, message: 30, kind: 'line' as const, text: 'a line' }];
    results.push({ score, sizes: [5, 9, 4], compactions: id === 'none' ? [] : [3], misses });
  }
  const contenders = results.map(({ score }, at) => ({ ...named(String(at)), name: score.strategy }));
  const report = makeReport(
    { window: 10_000, beforeFirstCompaction: false, strategies: contenders.map(({ name }) => name) },
    results.map(({ score }) => score),
  );
  const page = describeLab(
    facts({ contenders, results, report, opened: { session: 'Mine', name: 'truncate-80-50' } }),
    t,
  );
  expect(decodeToPage({ type: 'page', page }).kind).toBe('ok');
  const text = pageText(page);
  const { blocks } = page;
  expect(JSON.stringify(blocks[0])).toMatch(/None \d is the cheapest[^\n]*: \d+\.\d% of the cost/);
  expect(text).toMatch(
    /Strategy *\| *Cost with rereads % *\| *Cost % *\| *Recall % *\| *Compactions *\| *Paid % *\| *Gap *\|/,
  );
  expect(text).toContain('None 1 compacts at step 3.');
  expect(text).toMatch(/\| Step 7 +\| line +\| a line/);
  expect(labCsv(report).split('\n')).toHaveLength(4);
  expect(labSvg(report, t)).toMatch(/truncate-80-50 \d+\.\d \/ \d+\.\d/);
});

it('a session that is too small is told in one sentence, with a sample and longer sessions in place of figures', async () => {
  const messages = generateCodingSession({ seed: 1, messages: 40 });
  const prepared = prepareSession({ name: 'Mine', messages, compactions: [] });
  const results: LabResult[] = [];
  for (const id of ['none', 'truncate-80-50', 'digest']) {
    const contender = BASELINES.get(id)?.(prepared, 2_000_000);
    if (!contender) throw new Error(id);
    const score = { strategy: id, ...(await replay(prepared, contender, { signal: new AbortController().signal })) };
    results.push({ score, sizes: [score.peak], compactions: [], misses: [] });
  }
  const contenders = results.map(({ score }, at) => ({ ...named(String(at)), name: score.strategy }));
  const strategies = contenders.map(({ name }) => name);
  const scores = results.map(({ score }) => score);
  const report = makeReport({ window: 2_000_000, beforeFirstCompaction: false, strategies }, scores);
  const page = describeLab(facts({ contenders, results, report, opened: { session: 'Mine', name: 'none' } }), t);
  const text = pageText(page);
  expect(text).toContain('Too small to compare anything: ');
  expect(text).not.toContain('100.0');
  const buttons = page.blocks.flatMap((block) => (block.kind === 'actions' ? block.actions : []));
  expect(buttons.filter(({ primary }) => primary).map(({ id }) => id)).toEqual(['sample']);
  expect(buttons.map(({ id }) => id)).toEqual(expect.arrayContaining(['longer sessions', 'window']));
});
