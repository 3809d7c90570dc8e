import { describe, expect, it } from 'vitest';
import type { CompactionStrategy, ContextReading } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { compactionHarness, going, reads, user } from '../../support/compactionHarness.ts';
import { testClock } from '../../support/ports/testClock.ts';

const ID = 'acme.test/own';
type Say = NonNullable<CompactionStrategy['shouldCompact']>;

/** A session of about `tokens` tokens in a window of 10,000, where the settings compact at 8,000. */
async function open(say: unknown, tokens = 1_000, settings: Readonly<Record<string, unknown>> = {}) {
  const readings: ContextReading[] = [];
  const clock = testClock();
  const shouldCompact =
    typeof say === 'function'
      ? (reading: ContextReading) => {
          readings.push(reading);
          return (say as (reading: ContextReading, slow: (ms: number) => void) => unknown)(reading, clock.advance);
        }
      : say;
  const compact: CompactionStrategy['compact'] = async ({ history, hide }) => history.map((each) => hide(each));
  const factory = { needs: [], create: () => ({ compact, shouldCompact: shouldCompact as Say }) };
  const entry: StrategyEntry = { id: ID, label: 'Own', description: '', publisher: 'acme', factory };
  const h = await compactionHarness({
    clock,
    history: [user('do it'), ...reads(tokens / 200)],
    registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]),
    settings: { strategy: 'contributed', contributedStrategy: ID, ...settings },
  });
  return { ...h, readings };
}

type Opened = Awaited<ReturnType<typeof open>>;
const notes = ({ journal }: Opened) =>
  journal.entries.flatMap((entry) => (entry.type === 'note' && entry.level === 'warning' ? [entry.text] : []));

describe('a strategy that has a say in when', () => {
  it.each([
    ['before a message', 'precheck', ({ compactor }: Opened) => compactor.trigger.beforeMessage(7, going)],
    ['before a request', 'precheck', ({ compactor }: Opened) => compactor.trigger.beforeCall(going)],
    ['after an answer', 'threshold', ({ compactor }: Opened) => compactor.trigger.afterResponse(going)],
  ])('true compacts at once, far below the threshold: %s', { tags: ['B7'] }, async (_when, trigger, check) => {
    const h = await open(() => true);
    expect(await check(h)).toMatchObject({ kind: 'compacted', entry: { strategy: ID, trigger } });
  });

  it('it is told the figures of the meter, and what the settings would do', { tags: ['B7'] }, async () => {
    const h = await open(() => undefined);
    await h.compactor.trigger.beforeMessage(7, going);
    await h.used({ input: 8_500, cached: 500, output: 20 });
    await h.compactor.trigger.afterResponse(going);
    const { tokens } = h.compactor.gauge.reading;
    const shared = { maxContextSize: 10_000, triggerTokens: 8_000 };
    expect(h.readings).toMatchObject([
      { ...shared, moment: 'beforeMessage', comingTokens: 7, due: false, messages: 11, reported: null },
      { ...shared, moment: 'afterResponse', comingTokens: 0, due: true, reported: { input: 8_500, cached: 500 } },
    ]);
    expect(h.readings[1]?.tokenCount).toBeGreaterThan(8_000);
    expect(tokens).toBeLessThan(8_000);
    expect(h.readings.every((reading) => Object.isFrozen(reading))).toBe(true);
  });

  it('false holds back what can wait, and nothing that the hard limit needs', { tags: ['B7'] }, async () => {
    const h = await open(() => false, 8_600, { 'trigger.ratio': 0.5, 'trigger.reserve': 500 });
    await h.used({ input: 8_900, output: 0 });
    expect(await h.compactor.trigger.afterResponse(going)).toMatchObject({ kind: 'none', reason: /not time yet/ });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none', reason: /not time yet/ });
    await h.used({ input: 9_100, output: 0 });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
  });

  it('false changes nothing about a refusal of the provider and a compaction by hand', { tags: ['B7'] }, async () => {
    const h = await open(() => false);
    expect(await h.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({ kind: 'compacted' });
    await h.add(...reads(5));
    expect(await h.compactor.trigger.afterOverflow(1_500, going)).toMatchObject({ kind: 'compacted' });
    expect(h.readings).toEqual([]);
  });

  it('undefined leaves it to the settings', { tags: ['B7'] }, async () => {
    const h = await open(() => undefined);
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none' });
    await h.add(...reads(40));
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
  });

  it('true does not pass over a person who undid it, until the context has grown', { tags: ['B7'] }, async () => {
    const h = await open(() => true);
    await h.compactor.trigger.beforeCall(going);
    await h.compactor.undo();
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none', reason: /^Held/ });
    await h.add(...reads(10));
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
  });

  it('where automatic compaction is off it is not asked', { tags: ['B7'] }, async () => {
    const h = await open(() => true, 1_000, { auto: false });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none' });
    expect(h.readings).toEqual([]);
  });

  it('what comes to nothing is not tried again until the context has grown', { tags: ['B7'] }, async () => {
    const h = await open(() => true, 0);
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none', reason: /nothing to compact/ });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none', reason: /^Held/ });
  });

  it.each<[string, (reading: ContextReading, slow: (ms: number) => void) => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      /shouldCompact failed: boom/,
    ],
    [
      'takes too long',
      (_, slow) => {
        slow(201);
        return true;
      },
      /shouldCompact took 201 ms of 200/,
    ],
    ['answers with a promise', () => Promise.resolve(true), /neither true, false nor undefined/],
    ['answers with a number', () => 1, /neither true, false nor undefined/],
    ['changes what it is told', (reading) => ((reading as { due: boolean }).due = true), /shouldCompact failed/],
  ])('one that %s is named, not asked again, and the settings decide', { tags: ['B7'] }, async (_what, say, reason) => {
    const h = await open(say);
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none', reason: /below its limit/ });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none' });
    expect(h.readings).toHaveLength(1);
    expect(notes(h)).toEqual([expect.stringMatching(reason)]);
    expect(notes(h)[0]).toContain(ID);
    await h.add(...reads(40));
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted', entry: { strategy: ID } });
  });

  it('an answer in time is no fault', { tags: ['B7'] }, async () => {
    const h = await open((_: ContextReading, slow: (ms: number) => void) => {
      slow(200);
      return false;
    });
    await h.compactor.trigger.beforeCall(going);
    await h.compactor.trigger.beforeCall(going);
    expect(h.readings).toHaveLength(2);
    expect(notes(h)).toEqual([]);
  });

  it('a say that is no function makes the strategy unusable, and that is said', { tags: ['B7'] }, async () => {
    const h = await open(true);
    expect(await h.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({ entry: { strategy: 'layered' } });
    expect(h.journal.entries.filter(({ type }) => type === 'note')).toMatchObject([
      { text: expect.stringMatching(/its shouldCompact is not a function/) },
    ]);
  });

  it('after three failures of its own it is not asked either', { tags: ['B7'] }, async () => {
    let asked = 0;
    const broken: StrategyEntry = {
      id: 'acme.test/broken',
      label: 'Broken',
      description: '',
      publisher: 'acme',
      factory: {
        needs: [],
        create: () => ({ compact: async () => 42 as never, shouldCompact: () => ++asked > 0 }),
      },
    };
    const registry = new StrategyRegistry([...BUILT_IN_STRATEGIES, broken]);
    const h = await compactionHarness({
      history: [user('do it'), ...reads(5)],
      registry,
      settings: { strategy: 'contributed', contributedStrategy: broken.id },
    });
    for (let i = 0; i < 3; i++) await h.compactor.compact({ trigger: 'manual' }, going);
    await h.compactor.trigger.beforeCall(going);
    expect(asked).toBe(0);
  });
});
