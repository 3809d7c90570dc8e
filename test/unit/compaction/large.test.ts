import { describe, expect, it } from 'vitest';
import type { CompactionStrategy } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import type { ConsentAnswer } from '../../../src/core/compaction/signals/consent.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { compactionHarness, going, reads, says, user } from '../../support/compactionHarness.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';

/** About 120,000 tokens, which a window of 10,000 summarises in some twenty parts. */
const LARGE = [user('go'), ...reads(60, 2_000), says('done'), user('and now?')];
const price = { currency: 'USD', input: 3, output: 15, source: 'table' } as const;

const open = (consent: readonly ConsentAnswer[], history = LARGE) =>
  compactionHarness({
    history,
    settings: { strategy: 'llm-summary' },
    summaries: Array(60).fill('Notes.'),
    consent,
    price,
  });

describe('a conversation far larger than the window', () => {
  it('is summarised only after a person saw the number of requests and the price', async () => {
    const h = await open(['notNow']);
    expect(await h.compactor.trigger.beforeCall(going)).toEqual({ kind: 'refused', choice: 'notNow' });
    expect(h.model.requests).toEqual([]);
    expect(h.figures).toMatchObject([{ summary: { cost: { currency: 'USD' } } }]);
    const { requests = 0, tokens = 0, cost } = h.figures[0]?.summary ?? {};
    expect(requests).toBeGreaterThan(10);
    expect(tokens).toBeGreaterThan(120_000);
    expect(cost?.amount).toBeGreaterThan((120_000 * 3) / 1_000_000);
    // Held, and not asked again at each message.
    expect((await h.compactor.trigger.beforeMessage(10, going)).kind).toBe('none');
    expect(h.figures).toHaveLength(1);
  });

  it('takes about as many requests as it said', async () => {
    const h = await open(['compact']);
    expect((await h.compactor.compact({ trigger: 'manual' }, going)).kind).toBe('compacted');
    const { requests = 0 } = h.figures[0]?.summary ?? {};
    expect(h.model.requests.length).toBeGreaterThanOrEqual(requests);
    expect(h.model.requests.length).toBeLessThan(2 * requests);
  });

  it('costs what was asked before the question too', async () => {
    const error = new ModelError('overflow', 'Too long.', { learnedWindow: 10_000 });
    const client = new ScriptedModel(['Notes.', { error }, ...Array(60).fill('Notes.')]);
    const h = await compactionHarness({
      history: LARGE,
      settings: { strategy: 'llm-summary' },
      summaryModel: { client, model: 'writer', window: 60_000 },
      consent: ['compact'],
    });
    expect((await h.compactor.compact({ trigger: 'manual' }, going)).kind).toBe('compacted');
    expect(h.figures).toMatchObject([{ summary: { requests: expect.any(Number) } }]);
    const answered = client.requests.length - 1;
    expect(h.events.find(({ type }) => type === 'contextCompacted')).toMatchObject({
      entry: { usage: { input: answered * 100 } },
    });
  });

  it('drops the oldest, or goes to a new session, if that is the answer', async () => {
    const h = await open(['dropOldest']);
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ entry: { strategy: 'drop-oldest' } });
    const other = await open(['newSession']);
    expect(await other.compactor.trigger.beforeCall(going)).toEqual({ kind: 'refused', choice: 'newSession' });
    expect([h.model.requests, other.model.requests]).toEqual([[], []]);
  });

  it('is not summarised for a preview, nor ahead', async () => {
    const h = await open([]);
    expect(await h.compactor.consent.preview({}, going)).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('not made for a preview'),
    });
    expect(h.model.requests).toEqual([]);
  });
});

it('is no question once a first attempt was paid for: what that made is kept', async () => {
  const registry = new StrategyRegistry();
  const compact: CompactionStrategy['compact'] = async ({ history, llm, attempt }) => {
    const covers = attempt === 1 ? history.slice(0, 9) : history;
    const { text } = await llm.complete({ prompt: 'Summarise.', covers });
    return [{ role: 'user', kind: 'summary', text }, ...history.slice(9)];
  };
  const factory: StrategyEntry['factory'] = { needs: ['llm'], create: () => ({ compact }) };
  registry.register({ id: 'test.test/twice', label: 'Twice', description: '', publisher: 'Test', factory });
  const h = await compactionHarness({
    history: LARGE,
    registry,
    settings: { strategy: 'contributed', contributedStrategy: 'test.test/twice' },
    summaries: ['Notes.'],
    consent: [],
    price,
  });
  expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
  expect(h.figures).toEqual([]);
  expect(h.model.requests).toHaveLength(1);
  expect(h.view()[0]).toContain('Notes.');
});

it('a few parts need no question', async () => {
  const h = await open([], [user('go'), ...reads(9, 2_000), says('done'), user('and now?')]);
  expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
  expect(h.figures).toEqual([]);
});
