/** What a compaction took is offered to a model that has room for it: computed, and never where it would go again at once. */

import { expect, test } from 'vitest';
import { findRoomAgain } from '../../../src/core/compaction/roomAgain.ts';
import { estimateContext } from '../../../src/core/tokens/meter.ts';
import { compactionHarness, type HarnessOptions, reads, says, user } from '../../support/compactionHarness.ts';

const PRICE = { currency: 'USD', input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5, source: 'table' } as const;

/** About 9,000 tokens, of which a compaction took most, for a window of 10,000. */
async function compacted(options: HarnessOptions = {}) {
  const harness = await compactionHarness({
    settings: { strategy: 'tool-result-hiding' },
    history: [user('go'), ...reads(40, 200), says('ok'), user('and now?'), says('done')],
    ...options,
  });
  const { journal, compactor } = harness;
  const whole = estimateContext(journal.context);
  await compactor.compact({ trigger: 'manual' }, new AbortController().signal);
  expect(journal.context.activeCompactions).toHaveLength(1);
  return { ...harness, whole, find: () => findRoomAgain(journal, compactor.gauge) };
}

test('a larger window is offered it, with tokens and price as they will be', async () => {
  const { journal, compactor, setWindow, find, whole } = await compacted({ price: PRICE });
  const [target] = journal.context.activeCompactions;
  expect(find()).toBe(null);
  const before = journal.nextSeq;
  setWindow(100_000);
  const room = find();
  expect(room).toMatchObject({ compaction: target?.seq, model: 'test', before: compactor.gauge.reading.tokens });
  expect(room?.after).toBeGreaterThanOrEqual(whole);
  // Only looked at.
  expect([journal.nextSeq, journal.context.activeCompactions.length]).toEqual([before, 1]);
  expect(room?.price?.amount).toBeCloseTo(((room?.after ?? 0) * PRICE.input) / 1e6, 6);
  await compactor.undo();
  expect(compactor.gauge.reading.tokens).toBe(room?.after);
  expect(find()).toBe(null);
  await compactor.redo();
  expect(compactor.gauge.reading.tokens).toBe(room?.before);
});

test('a price that nobody knows is not made up', async () => {
  const { setWindow, find } = await compacted();
  setWindow(100_000);
  expect(find()).toMatchObject({ price: null });
});

test('it is not offered where a compaction would be due at once, or nothing fits', async () => {
  const { setWindow, set, find } = await compacted();
  const room = (window: number) => {
    setWindow(window);
    return find()?.after ?? null;
  };
  const after = room(100_000) ?? 0;
  expect(after).toBeGreaterThan(0);
  set({ strategy: 'tool-result-hiding', 'trigger.ratio': 0.8, 'trigger.reserveTokens': 0, 'trigger.reserve': 0 });
  expect(room(Math.floor(after / 0.8))).toBe(null);
  expect(room(after)).toBe(null);
  set({ strategy: 'tool-result-hiding', auto: false });
  expect(room(after)).toBe(null);
  expect(room(100_000)).toBe(after);
});

test('the window at the time is the learnt one where there was one', async () => {
  const { journal, compactor, setWindow, find } = await compacted();
  await journal.append({
    type: 'configured',
    model: 'test',
    endpoint: 'scripted:',
    window: 200_000,
    strategy: 'tool-result-hiding',
    parameters: {},
  });
  // The entry says so itself.
  expect(journal.context.activeCompactions.at(-1)).toMatchObject({ window: 10_000 });
  setWindow(200_000);
  expect(find()).not.toBe(null);
  await compactor.undo();
  await compactor.compact({ trigger: 'manual' }, new AbortController().signal);
  expect(journal.context.activeCompactions.at(-1)?.window).toBe(undefined);
  expect(find()).toBe(null);
});

test('of several compactions the newest is offered first, and the one before it once that is undone', {
  tags: ['item:27'],
}, async () => {
  const { journal, compactor, add, setWindow, find } = await compacted();
  await add(user('more'), ...reads(20, 200), says('read'));
  await compactor.compact({ trigger: 'manual' }, new AbortController().signal);
  const [first, second] = journal.context.activeCompactions.map(({ seq }) => seq);
  expect(second).toBeGreaterThan(first ?? 0);
  setWindow(100_000);
  expect(find()?.compaction).toBe(second);
  await compactor.undo();
  expect(find()?.compaction).toBe(first);
  await compactor.undo();
  expect(find()).toBe(null);
});
