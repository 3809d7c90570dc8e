/** What a compaction costs: the money of its summary and what the next request reads again, in its entry and its row. */

import { afterEach, describe, expect, it } from 'vitest';
import { NOTHING_LIVE } from '../../../src/core/transcript/liveTurn.ts';
import { Transcript } from '../../../src/core/transcript/transcript.ts';
import { type CachingSession, type CachingSessionOptions, cachingSession } from '../../support/cachingSession.ts';

const PRICE = { currency: 'USD', input: 2, output: 10, cacheRead: 0.2, source: 'settings' } as const;

const sessions: CachingSession[] = [];
afterEach(async () => {
  for (const { server } of sessions.splice(0)) await server.close();
});

async function summarised(options: CachingSessionOptions = {}): Promise<CachingSession> {
  const made = await cachingSession({ price: PRICE, compaction: { strategy: 'llm-summary' }, ...options });
  sessions.push(made);
  for (let turn = 0; turn < 6; turn++) await made.say(`Think about ${turn}: ${'words and words '.repeat(150)}`);
  return made;
}

function compactionRow({ agent: { journal } }: CachingSession) {
  const { rows } = Transcript.of(journal.path()).rows(journal.context, NOTHING_LIVE, null, 100);
  const row = rows.find(({ type }) => type === 'compaction');
  if (row?.type !== 'compaction') throw new Error('There is no compaction');
  return row;
}

describe('what a compaction costs', { tags: ['C14'] }, () => {
  it('is the money of its summary, and what the next request reads again', async () => {
    const made = await summarised();
    await made.compact();
    const { journal } = made.agent;
    const [entry] = [...journal.ofType('compaction')];
    const spent = [...journal.ofType('summaryUsage')].reduce((sum, { cost }) => sum + (cost?.amount ?? 0), 0);
    expect(spent).toBeGreaterThan(0);
    expect(entry?.cost).toEqual({ amount: spent, currency: 'USD' });
    expect(compactionRow(made)).toMatchObject({ cost: entry?.cost, cache: null });

    await made.say();
    const last = [...journal.ofType('usage')].at(-1)?.usage;
    const [broken] = made.timeline().filter(({ breaks }) => breaks.length > 0);
    expect(broken?.breaks).toMatchObject([{ kind: 'compaction', seq: entry?.seq }]);
    expect(compactionRow(made).cache).toEqual({
      read: last?.cached,
      input: last?.input,
      again: broken?.again,
      cost: broken?.againCost,
    });
    expect(broken?.again).toBe((last?.input ?? 0) - (last?.cached ?? 0));
    expect(broken?.again).toBeGreaterThan(500);
  });

  it('is not known without a price, and the cache says it in tokens', async () => {
    const made = await summarised();
    made.setPrice(undefined);
    await made.compact();
    await made.say();
    const row = compactionRow(made);
    expect([row.cost, row.cache?.cost]).toEqual([null, null]);
    expect(row.cache?.again).toBeGreaterThan(500);
    expect(made.agent.journal.spending.unknown).toBe(2);
  });

  it('is nothing in cache for one that was undone before the next request', async () => {
    const made = await summarised();
    await made.compact();
    await made.agent.compactor.undo();
    await made.say();
    expect(compactionRow(made)).toMatchObject({ state: 'undone', cache: null, cost: { currency: 'USD' } });
  });

  it('counts what a preview spent once, and keeps it when that preview is applied', async () => {
    const made = await summarised();
    const { agent } = made;
    const before = agent.journal.spending;
    const preview = await agent.compactor.consent.preview({}, new AbortController().signal);
    if (preview.kind !== 'preview') throw new Error('No preview');
    expect(preview.costs).toMatchObject({ known: [{ currency: 'USD' }], unknown: 0 });
    await agent.compactor.apply(preview);
    const [entry] = [...agent.journal.ofType('compaction')];
    expect(entry?.cost).toEqual(preview.costs.known[0]);
    expect(agent.journal.spending.requests).toBe(before.requests + 1);
  });
});
