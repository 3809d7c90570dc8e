import { expect, it } from 'vitest';
import { countTokens } from '../../../../src/core/tokens/estimate.ts';
import { calls, type Line, says, user } from '../../../support/compactionHarness.ts';
import { type GrownSession, grownSession } from '../../../support/grownSession.ts';

const WINDOW = 40_000;

const WORDS = 'invoice tariff meter account ledger balance charge quota region vendor parcel courier'.split(' ');
const wordAt = (n: number) => WORDS[n % WORDS.length] ?? '';

/** No two lines are alike. */
const code = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, i) => {
    const [a, b, c] = [wordAt(i), wordAt(i * 5 + 1), wordAt(Math.floor(i / WORDS.length) * 7 + 2)];
    return `  const ${a}_${b}_${c}_${name} = compute_${name}(${b}, '${c} of the ${a}');`;
  }).join('\n');

const read = (name: string, lines = 140) => calls(['read_file', code(name, lines), { path: `src/${name}.ts` }]);

const grow = (history: readonly Line[], settings: Readonly<Record<string, unknown>> = {}, more = {}) =>
  grownSession({ window: WINDOW, history, settings: { strategy: 'layered', ...settings }, ...more });

const kept = (s: GrownSession) => s.view().filter((text) => text.includes('Kept lines of earlier work'));

/** Adds files until it has compacted so often. */
const until = async (s: GrownSession, compactions: number) => {
  for (let round = 0; s.compactions().length < compactions; round++) {
    expect(round).toBeLessThan(60);
    await s.add(read(`part_${compactions}_${round}`));
    await s.say();
  }
};

it('layered: all kept lines together take no more than their share, earlier ones included', async () => {
  const s = await grow([user('Go.'), read('begun')], { 'layered.summary': false, 'layered.keptShare': 0.2 });
  for (let compactions = 1; compactions <= 5; compactions++) {
    await until(s, compactions);
    const tokens = kept(s).reduce((sum, text) => sum + countTokens(text), 0);
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(0.2 * WINDOW);
  }
});

it('layered: no model is asked within ten answers of the last notes, unless a person compacts', async () => {
  const summaries = [1, 2, 3, 4].map((n) => `Notes ${n}: so far.`);
  const s = await grow([user('Go.'), ...['a', 'b', 'c', 'd', 'e'].map((name) => read(name, 280))], {}, { summaries });
  await s.say();
  expect(s.compactions()).toHaveLength(1);
  expect(s.summariser.requests).toHaveLength(1);
  for (let round = 0; s.compactions().length < 2; round++) {
    expect(round).toBeLessThan(4);
    await s.add(read(`more_${round}`, 420));
    await s.say();
  }
  expect(s.summariser.requests).toHaveLength(1);
  await s.add(read('last', 280), says('Read.'));
  await s.agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal);
  expect(s.summariser.requests.length).toBeGreaterThan(1);
});

it('layered: compacting again by hand changes nothing where nothing new came', async () => {
  const s = await grow([user('Go.'), read('begun')], { 'layered.summary': false });
  await until(s, 2);
  const press = () => s.agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal);
  await press();
  const [before, made] = [s.view(), s.compactions().length];
  expect(kept(s)).not.toEqual([]);
  for (let nth = 0; nth < 5; nth++) await press();
  expect(s.view()).toEqual(before);
  expect(s.compactions()).toHaveLength(made);
});

it('layered: a share of an unknown window to keep leaves the number of tokens in force', async () => {
  const history = [user('Go.'), ...['a', 'b', 'c', 'd'].map((name) => read(name)), says('So.')];
  const s = await grow(history, { 'layered.summary': false, 'keep.recent': '15%' }, { window: 0 });
  await s.agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal);
  expect(s.compactions()).toMatchObject([{ strategy: 'layered' }]);
  expect(kept(s)).toHaveLength(1);
});

it('layered: of lines that differ in their digits alone few stand for all', async () => {
  const constants = (name: string) =>
    code(name, 90)
      .split('\n')
      .flatMap((line, i) => [line, `  return ${name}_total + ${1_000 + 37 * i};`])
      .join('\n');
  const passing = Array.from({ length: 120 }, (_, i) => `  ok ${i} merges the invoice of a ledger in ${i}.3 ms`).join(
    '\n',
  );
  const history = ['alpha', 'beta', 'gamma', 'delta', 'omega'].flatMap((name) => [
    calls(['read_file', constants(name), { path: `src/${name}.ts` }]),
    calls(['run_command', passing, { command: `sh check.sh ${name}` }]),
  ]);
  const s = await grow([user('Go.'), ...history, says('So.'), ...history.slice(0, 4), says('Now.')], {
    'layered.summary': false,
  });
  await s.say();
  const lines = kept(s).flatMap((text) => text.split('\n'));
  const dull = lines.filter((line) => /^(?:return |ok \d)/.test(line));
  expect(lines.filter((line) => line.startsWith('const ')).length).toBeGreaterThan(50);
  expect(dull.length).toBeLessThan(lines.length / 4);
});

it('layered: of the newest part as many whole groups stay as their tokens allow, and always one', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'newest'];
  const whole = async (recentTokens: number) => {
    const history = [user('Go.'), read('first', 600), ...names.map((name) => read(name, 40))];
    const s = await grow(history, { 'layered.summary': false, 'layered.recentTokens': recentTokens });
    await s.agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal);
    expect(s.compactions()).toHaveLength(1);
    return names.filter((name) => s.view().some((text) => text.includes(code(name, 40))));
  };
  const size = countTokens(code('newest', 40)) + 100;
  expect(await whole(0)).toEqual(['newest']);
  expect(await whole(size + 100)).toEqual(['newest']);
  expect(await whole(2 * size)).toEqual(['e', 'newest']);
  // At most half of what a compaction aims at.
  expect((await whole(1_000_000)).length).toBeLessThan(names.length);
});

it('layered: a path that heads the lines of its file does not stand below it again', async () => {
  const s = await grow([user('Go.'), read('begun')], { 'layered.summary': false });
  await until(s, 2);
  const lines = kept(s).flatMap((text) => text.split('\n'));
  const headers = lines.filter((line) => line.startsWith('# src/begun.ts [id '));
  expect(headers.length).toBeGreaterThan(0);
  expect(lines).not.toContain('src/begun.ts');
});
