/** A compaction that a person is asked about with its price, before any model is asked. */

import { describe, expect, it } from 'vitest';
import type { CompactionStrategy } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import type { ConsentAnswer } from '../../../src/core/compaction/signals/consent.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { compactionHarness, going, reads, says, user } from '../../support/compactionHarness.ts';

/** About 20,000 tokens, more than a window of 10,000 holds. */
const HISTORY = [user('go'), ...reads(10, 2_000), says('done'), user('and now?')];
const price = { currency: 'USD', input: 3, output: 15, source: 'table' } as const;
const REQUEST = { trigger: 'manual', pricedFirst: true } as const;

const open = (strategy: string, consent: readonly ConsentAnswer[], more: object = { price }) =>
  compactionHarness({
    history: HISTORY,
    settings: { strategy },
    summaries: Array(20).fill('Notes.'),
    consent,
    ...more,
  });

describe('a compaction with its price first', () => {
  it('asks no model before the person agreed, and says what the session’s model costs', {
    tags: ['item:26'],
  }, async () => {
    const h = await open('llm-summary', ['notNow']);
    expect(h.compactor.isDue).toBe(true);
    expect(await h.compactor.compact(REQUEST, going)).toEqual({ kind: 'refused', choice: 'notNow' });
    expect(h.model.requests).toEqual([]);
    const [{ byHand, summary } = {}] = h.figures;
    expect(byHand).toBe(true);
    expect(summary?.requests).toBeGreaterThan(0);
    // The least that reading it and writing one summary cost.
    expect(summary?.cost?.amount).toBeGreaterThan(((summary?.tokens ?? 0) * 3) / 1_000_000);
    expect(h.figures).toHaveLength(1);
  });

  it('runs once agreed to, without another question', { tags: ['item:26'] }, async () => {
    const h = await open('llm-summary', ['compact']);
    expect((await h.compactor.compact(REQUEST, going)).kind).toBe('compacted');
    expect(h.figures).toHaveLength(1);
    expect(h.model.requests.length).toBeGreaterThan(0);
    expect(h.compactor.isDue).toBe(false);
  });

  it('without a known price is said to have none', { tags: ['item:26'] }, async () => {
    const h = await open('llm-summary', ['notNow'], {});
    await h.compactor.compact(REQUEST, going);
    expect(h.figures).toMatchObject([{ summary: { cost: null } }]);
  });

  it('that asks no model is free, and what comes of it is known', { tags: ['item:26'] }, async () => {
    const h = await open('tool-result-hiding', ['notNow', 'compact']);
    expect(await h.compactor.compact(REQUEST, going)).toEqual({ kind: 'refused', choice: 'notNow' });
    expect(h.figures).toMatchObject([{ summary: { requests: 0 } }]);
    expect((await h.compactor.compact(REQUEST, going)).kind).toBe('compacted');
    expect(h.figures).toHaveLength(2);
    expect(h.model.requests).toEqual([]);
  });

  it.each(['layered', 'llm-summary', 'round-summary', 'prune-then-summary'])(
    'of %s takes about as many requests as it said',
    { tags: ['item:26'] },
    async (strategy) => {
      const h = await open(strategy, ['compact']);
      expect((await h.compactor.compact(REQUEST, going)).kind).toBe('compacted');
      const [requests = 0, ...more] = h.figures.map(({ summary }) => summary?.requests ?? 0);
      expect(more).toEqual([]);
      expect(h.model.requests.length).toBeGreaterThanOrEqual(requests);
      expect(h.model.requests.length).toBeLessThan(2 * requests);
    },
  );

  it('is asked about also where a strategy does not say what it has read', { tags: ['item:26'] }, async () => {
    const registry = new StrategyRegistry();
    const compact: CompactionStrategy['compact'] = async ({ history, llm }) => {
      const { text } = await llm.complete({ prompt: 'Summarise.' });
      return [{ role: 'user', kind: 'summary', text }, ...history.slice(9)];
    };
    const factory: StrategyEntry['factory'] = { needs: ['llm'], create: () => ({ compact }) };
    registry.register({ id: 'test.test/own', label: 'Own', description: '', publisher: 'Test', factory });
    const settings = { strategy: 'contributed', contributedStrategy: 'test.test/own' };
    const h = await open('', ['notNow'], { registry, settings, price });
    expect(await h.compactor.compact(REQUEST, going)).toEqual({ kind: 'refused', choice: 'notNow' });
    expect(h.model.requests).toEqual([]);
    expect(h.figures[0]?.summary?.cost?.amount).toBeGreaterThan(0);
  });

  it('drops the oldest where that is the answer', { tags: ['item:26'] }, async () => {
    const h = await open('tool-result-hiding', ['dropOldest']);
    expect(await h.compactor.compact(REQUEST, going)).toMatchObject({ entry: { strategy: 'drop-oldest' } });
  });
});
