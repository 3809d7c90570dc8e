import { describe, expect, it } from 'vitest';
import { costOf, priced } from '../../../src/core/cost/costOf.ts';
import { explainCosts, formatCosts, formatMoney } from '../../../src/core/cost/formatMoney.ts';
import { NO_SPENDING, type Spending } from '../../../src/core/cost/spending.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import { type Price, readMoney, readPrice } from '../../../src/core/money.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { entriesOf, memoryStore, memoryStored } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { testAgent } from '../../support/testAgent.ts';

const DOLLARS: Price = { currency: 'USD', input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, source: 'settings' };
const YUAN: Price = { currency: 'CNY', input: 4, output: 16, source: 'table', asOf: '2026-11-01' };
const used = (input: number, cached: number, output: number) => ({ input, cached, output, reasoning: 0 });
const going = new AbortController().signal;

/** A real agent whose price a test may change between turns. */
async function session(steps: readonly Step[], price?: Price, settings = {}) {
  const model = new ScriptedModel(steps);
  const current: { price: Price | undefined } = { price };
  const choice = (): ModelChoice => ({ ...model.choice(), ...(current.price ? { price: current.price } : {}) });
  const made = await testAgent(choice(), {
    settings,
    models: { initial: () => 'scripted', resolve: () => choice() },
  });
  return { ...made, current, model };
}

/** The same session opened from its lines in each way that a journal can be opened. */
function opened(lines: readonly string[]): Spending[] {
  const entries = entriesOf(lines);
  const ports = { store: memoryStore(lines), clock: testClock(), crypto: testCrypto() };
  const whole = new Journal(entries, ports);
  const scanned = Journal.scan(memoryStored(entries), ports);
  const half = entries.slice(0, entries.length >> 1);
  const snapshot = new Journal(half, ports).snapshot();
  const newer = entries.slice(half.length);
  const resumed = Journal.resume(JSON.parse(JSON.stringify(snapshot)), memoryStored(half), newer, ports);
  const { spending: _, ...older } = snapshot;
  const fromOlderIndex = Journal.resume(older, memoryStored(half), newer, ports);
  return [whole, scanned, resumed, fromOlderIndex].map(({ spending }) => spending);
}

describe('what a request costs', () => {
  it('has a price for what is fresh, read from the cache, written to it, and answered', () => {
    const usage = { input: 1_000_000, cached: 600_000, written: 100_000, output: 50_000, reasoning: 0 };
    expect(costOf(usage, DOLLARS).amount).toBeCloseTo(0.3 * 2 + 0.6 * 0.2 + 0.1 * 2.5 + 0.05 * 10, 9);
    expect(costOf(usage, YUAN).amount).toBeCloseTo(4 + 0.05 * 16, 9);
  });

  it('has a price of its own for what is written to live for an hour', () => {
    const usage = { input: 1_000_000, cached: 0, written: 800_000, writtenLong: 500_000, output: 0, reasoning: 0 };
    expect(costOf(usage, { ...DOLLARS, cacheWriteLong: 4 }).amount).toBeCloseTo(0.2 * 2 + 0.3 * 2.5 + 0.5 * 4, 9);
    expect(costOf(usage, DOLLARS).amount).toBeCloseTo(0.2 * 2 + 0.8 * 2.5, 9);
  });

  it('has the price of its length for all of it, and of its time', () => {
    const price: Price = {
      currency: 'USD',
      input: 1,
      output: 2,
      cacheRead: 0.1,
      source: 'table',
      longer: [
        { above: 200_000, input: 2, output: 3 },
        { above: 500_000, input: 4, output: 5, cacheRead: 1 },
      ],
      hours: [
        { from: '01:00', to: '04:00', input: 10, output: 20 },
        { from: '23:30', to: '00:30', input: 0.5, output: 1 },
      ],
    };
    const at = (time: string) => Date.parse(`2026-11-22T${time}Z`);
    const cost = (input: number, cached: number, time: string) =>
      priced({ usage: used(input, cached, 100_000) }, { ...price }, at(time)).cost?.amount;
    expect(cost(200_000, 100_000, '12:00:00')).toBeCloseTo(0.1 + 0.01 + 0.2, 9);
    expect(cost(200_001, 100_000, '12:00:00')).toBeCloseTo(0.200002 + 0.2 + 0.3, 5);
    expect(cost(600_000, 100_000, '12:00:00')).toBeCloseTo(2 + 0.1 + 0.5, 9);
    const short = ['00:59:59', '01:00:00', '03:59:59', '04:00:00', '23:29:00', '23:30:00', '00:29:00', '00:30:00'];
    expect(short.map((time) => cost(100_000, 0, time))).toEqual(
      [0.3, 3, 3, 0.3, 0.3, 0.15, 0.15, 0.3].map((amount) => expect.closeTo(amount, 9)),
    );
  });

  it('keeps the price of that moment and length, which says the same again', () => {
    const price: Price = { ...DOLLARS, longer: [{ above: 100, input: 4, output: 8 }], source: 'table' };
    const { price: kept, cost } = priced({ usage: used(200, 50, 10) }, price, 0);
    expect(kept).toEqual({ currency: 'USD', input: 4, output: 8, source: 'table' });
    expect(readPrice(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
    expect(cost).toEqual(costOf(used(200, 50, 10), kept as Price));
  });

  it('is what the provider said, unless the person set a price', () => {
    const cost = { amount: 0.5, currency: 'USD' };
    const of = (price: Price | undefined) => priced({ usage: used(1_000_000, 0, 0), cost }, price, 0);
    expect(of(undefined)).toEqual({ cost });
    expect(of({ ...DOLLARS, source: 'endpoint' })).toEqual({ cost, price: { ...DOLLARS, source: 'endpoint' } });
    expect(of(DOLLARS).cost).toEqual({ amount: 2, currency: 'USD' });
  });

  it('is not known without a price, nor where the provider counted nothing', () => {
    expect(priced({ usage: used(10, 0, 1) }, undefined, 0)).toEqual({});
    expect(priced({ usage: null }, DOLLARS, 0)).toEqual({});
  });

  it('is not taken from a journal that says nonsense', () => {
    for (const stored of [null, 'x', {}, { amount: '1', currency: 'USD' }, { amount: -1, currency: 'USD' }]) {
      expect(readMoney(stored)).toBeNull();
    }
    expect(readMoney({ amount: Number.NaN, currency: 'USD' })).toBeNull();
    expect(readMoney({ amount: 1, currency: '<b>' })).toBeNull();
    expect(readMoney({ amount: 1, currency: 'USD', more: 1 })).toEqual({ amount: 1, currency: 'USD' });
  });
});

describe('money as it is read', () => {
  it('shows cents, and two digits of what is less', () => {
    const shown = [0, 12.4, 0.126, 0.0312, 0.00042, 0.0000001].map((amount) =>
      formatMoney({ amount, currency: 'USD' }),
    );
    expect(shown).toEqual(['$0.00', '$12.40', '$0.13', '$0.031', '$0.00042', '<$0.000001']);
    expect(formatMoney({ amount: 1.5, currency: 'CNY' })).toBe('CN¥1.50');
  });

  it('adds no currencies, and says what is missing', () => {
    const both = [
      { amount: 1, currency: 'CNY' },
      { amount: 2, currency: 'USD' },
    ];
    expect(formatCosts({ known: both, unknown: 0 })).toBe('CN¥1.00 + $2.00');
    expect(inEnglish(explainCosts({ known: both.slice(1), unknown: 3 }))).toBe(
      '≥ $2.00, without 3 requests of unknown price',
    );
    expect(inEnglish(explainCosts({ known: [], unknown: 3 }))).toBe('');
    expect(explainCosts(NO_SPENDING)).toEqual([]);
  });
});

describe('what a session costs', () => {
  it('is journaled with each answer, at the price of that moment', async () => {
    const { agent, current } = await session([{ text: 'a', usage: used(1_000, 500, 100) }, 'b'], DOLLARS);
    await agent.send('one', going);
    current.price = undefined;
    await agent.send('two', going);
    const [first, second] = [...agent.journal.ofType('usage')];
    expect(first).toMatchObject({ cost: { amount: 0.0021, currency: 'USD' }, price: DOLLARS });
    expect(second).not.toHaveProperty('cost');
    expect(second).not.toHaveProperty('price');
    expect(formatCosts(agent.journal.spending)).toBe('≥ $0.0021');
    expect(inEnglish(explainCosts(agent.journal.spending))).toBe('≥ $0.0021, without 1 request of unknown price');
  });

  it('counts branches that were left, keeps currencies apart, and is the same however it is opened', async () => {
    const steps = [
      { text: 'a', usage: used(1_000, 0, 0) },
      { text: 'b', usage: used(2_000, 0, 0) },
      { text: 'c', usage: used(1_000, 0, 0) },
    ];
    const { agent, current, store } = await session(steps, DOLLARS);
    await agent.send('one', going);
    const back = agent.journal.head;
    await agent.send('two', going);
    await agent.journal.revert(back, 'user');
    current.price = YUAN;
    await agent.send('three', going);
    const { spending } = agent.journal;
    expect(spending).toEqual({
      requests: 3,
      known: [
        { amount: 0.004, currency: 'CNY' },
        { amount: 0.006, currency: 'USD' },
      ],
      unknown: 0,
      usage: used(4_000, 0, 0),
    });
    for (const each of opened(store.lines)) expect(each).toEqual(spending);
  });

  it('takes an answer that broke off, or that nobody counted, for unknown, and a refused request for nothing', async () => {
    const broken = new ModelError('interrupted', 'cut');
    const refused = new ModelError('auth', 'no');
    const steps = [{ text: 'half', error: broken }, { error: refused }, { text: 'x', usage: null }, 'ok'];
    const { agent, store } = await session(steps, DOLLARS);
    for (const text of ['one', 'two', 'three', 'four']) await agent.send(text, going);
    expect(agent.journal.spending).toMatchObject({ requests: 3, unknown: 2, usage: used(100, 0, 10) });
    for (const each of opened(store.lines)) expect(each).toEqual(agent.journal.spending);
  });

  it('says that a summary of an older version has a cost that nobody knows', async () => {
    const { agent } = await session(['ok'], DOLLARS);
    await agent.send('one', going);
    const { journal } = agent;
    const base = journal.head ?? 0;
    const facts = { strategy: 'llm-summary', trigger: 'manual', durationMs: 1, attempt: 1 } as const;
    const usage = used(500, 0, 50);
    await journal.append({ type: 'compaction', base, plan: [], tokensBefore: 9, tokensAfter: 8, ...facts, usage });
    expect(journal.spending).toMatchObject({ requests: 2, unknown: 1 });
  });

  it('reads no message of a stored journal', async () => {
    const { agent, store } = await session(Array<string>(5).fill('ok'), DOLLARS);
    for (let turn = 0; turn < 5; turn++) await agent.send('again', going);
    const stored = memoryStored(entriesOf(store.lines));
    const journal = Journal.scan(stored, { store: memoryStore(store.lines), clock: testClock(), crypto: testCrypto() });
    stored.reads = 0;
    expect(journal.spending).toEqual(agent.journal.spending);
    expect(stored.reads).toBe(5);
  });
});

describe('a limit of what a turn may cost', () => {
  const look = { calls: [['list_directory', { path: '.' }]] as const, usage: used(10_000, 0, 0) };

  it('pauses the turn before the next request, and going on has the whole limit again', async () => {
    const { agent, model } = await session([look, look, look, 'done'], DOLLARS, { costLimit: 0.03 });
    const outcome = await agent.send('work', going);
    expect(outcome.kind === 'paused' && inEnglish(outcome.reason)).toBe(
      'The turn has cost $0.04; its limit is $0.03. Continue, or send a message.',
    );
    expect(model.requests).toHaveLength(2);
    expect(await agent.continue(going)).toEqual({ kind: 'done' });
  });

  it('is not there by default', async () => {
    const { agent } = await session([look, look, look, 'done'], DOLLARS);
    expect(await agent.send('work', going)).toEqual({ kind: 'done' });
  });

  it('says once that it does not hold where nobody has a price', async () => {
    const { agent } = await session([look, look, 'done', look, 'done'], undefined, { costLimit: 0.001 });
    expect(await agent.send('work', going)).toEqual({ kind: 'done' });
    expect(await agent.send('more', going)).toEqual({ kind: 'done' });
    expect([...agent.journal.ofType('note')].map(({ text }) => text)).toEqual([
      'The cost limit cannot be checked: the price of scripted is unknown. Set it in the settings of its endpoint.',
    ]);
  });
});
