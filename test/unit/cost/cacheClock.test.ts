/** The clock of the prompt cache: the product's agent and client against servers that keep one, or none. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { CacheFollower } from '../../../src/core/cost/cacheFacts.ts';
import { cacheTimeline } from '../../../src/core/cost/cacheTimeline.ts';
import { describeLoss, describeLossOfMove, isWarm } from '../../../src/core/cost/coldCache.ts';
import * as pauses from '../../../src/core/cost/pauses.ts';
import { sharesOf } from '../../../src/core/cost/priceShares.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import type { Price } from '../../../src/core/money.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { type CachingSessionOptions, cachingSession } from '../../support/cachingSession.ts';
import { MessagesCache } from '../../support/modelServer/messagesCache.ts';
import { startModelServer } from '../../support/modelServer/modelServer.ts';
import { memoryBlobs, memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { testAgent } from '../../support/testAgent.ts';

const PRICE: Price = { currency: 'USD', input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, source: 'table' };
const LONG = 'A long message that fills the context. '.repeat(400);

async function begin(options: CachingSessionOptions = {}) {
  const s = await cachingSession({ price: PRICE, ...options });
  onTestFinished(() => s.server.close());
  const clock = () => s.agent.compactor.gauge.clock;
  return { ...s, now: s.clock, clock };
}

describe('the clock of the cache', { tags: ['B2'] }, () => {
  it('runs from when the newest request that used it was sent, and says what the next message costs', async () => {
    const s = await begin();
    expect(s.clock()).toMatchObject({ says: 'unknown', usedAt: null, held: 0, warm: null, loss: null });
    await s.say(LONG);
    // The first request finds nothing, so the table says what the next one may find.
    expect(s.clock()).toMatchObject({ says: 'unknown', usedAt: null });
    expect(s.clock().warm?.amount).toBeLessThan(s.clock().cold?.amount ?? 0);
    await s.say();
    const { says, usedAt, livesMs, held, warm, cold, loss } = s.clock();
    expect({ says, usedAt, livesMs }).toEqual({ says: 'reported', usedAt: s.now.now(), livesMs: null });
    const { tokens, reported } = s.agent.compactor.gauge.reading;
    expect(held).toBe(reported?.input);
    expect(cold?.amount).toBeCloseTo((tokens * 10) / 1e6, 9);
    expect(warm?.amount).toBeCloseTo((held + (tokens - held) * 10) / 1e6, 9);
    expect(loss?.amount).toBeCloseTo((held * 9) / 1e6, 9);
  });

  it('holds nothing of a context that changed its shape, until the next request', async () => {
    const s = await begin();
    await s.say(LONG);
    await s.say();
    const [first] = s.agent.journal.context.conversation;
    await s.agent.journal.append({ type: 'pinned', ids: [first?.id ?? ''] });
    expect(s.clock()).toMatchObject({ says: 'reported', held: 0, warm: null, loss: null });
    await s.say();
    expect(s.clock().held).toBeGreaterThan(0);
  });

  it('counts no cache where two requests were counted and none of them found any', async () => {
    const s = await begin({ livesMs: -1 });
    await s.say(LONG);
    expect(s.clock().says).toBe('unknown');
    await s.say();
    const { says, held, warm, cold } = s.clock();
    expect({ says, held, warm }).toEqual({ says: 'none', held: 0, warm: null });
    expect(cold?.amount).toBeCloseTo((s.agent.compactor.gauge.reading.tokens * 10) / 1e6, 9);
  });

  it('knows no cost without a price', async () => {
    const { price: _, ...none } = { price: PRICE };
    const s = await cachingSession(none);
    onTestFinished(() => s.server.close());
    await s.say(LONG);
    await s.say();
    expect(s.agent.compactor.gauge.clock).toMatchObject({ says: 'reported', warm: null, cold: null, loss: null });
  });

  it.each([
    ['5m', 300_000],
    ['1h', 3_600_000],
  ] as const)('lives as long as what was written was reported to: %s', async (cacheLifetime, livesMs) => {
    const clock = testClock();
    const cache = new MessagesCache(clock);
    const server = await startModelServer({
      script: ({ body }) => ({ kind: 'answer', text: 'ok', usage: cache.count(body) as never }),
    });
    onTestFinished(() => server.close());
    const client = createEndpointClient({
      baseUrl: server.baseUrl,
      key: async () => 'k',
      dialect: 'messages',
      cacheLifetimes: () => (cacheLifetime === '1h' ? pauses.LONG : pauses.SHORT),
    });
    // The setting says another lifetime: what was reported goes first.
    const choice = { client, model: 'claude-opus-5', window: 100_000, price: PRICE, cacheLivesMs: 1_000 };
    const { journal } = await memoryJournal({ clock });
    const { agent } = await testAgent(choice, {
      session: { journal, blobs: memoryBlobs() },
      models: { initial: () => choice.model, resolve: () => choice },
      system: { clock, timers: systemTimers, crypto: testCrypto(), log: () => undefined },
    });
    await agent.send(LONG, new AbortController().signal);
    const { usedAt, says, held } = agent.compactor.gauge.clock;
    expect({ usedAt, says, livesMs: agent.compactor.gauge.clock.livesMs }).toEqual({
      usedAt: clock.now(),
      says: 'reported',
      livesMs,
    });
    expect(held).toBe(cache.counts[0]?.input);
    clock.advance(livesMs);
    expect(isWarm(agent.compactor.gauge.clock, clock.now())).toBe(true);
    expect(inEnglish(describeLoss(agent.compactor.gauge.clock, clock.now()))).toMatch(
      /^Gives up the prompt cache: up to/,
    );
    expect(inEnglish(describeLossOfMove(agent.compactor.gauge.clock, clock.now()))).toMatch(/^Going back .* up to \$/);
    clock.advance(1);
    expect(isWarm(agent.compactor.gauge.clock, clock.now())).toBe(false);
    expect(describeLoss(agent.compactor.gauge.clock, clock.now())).toEqual([]);
    expect(describeLossOfMove(agent.compactor.gauge.clock, clock.now())).toEqual([]);
    // The timeline says so too.
    await agent.send('And now?', new AbortController().signal);
    expect([...cacheTimeline(journal, () => 1_000)].at(-1)?.breaks).toEqual([
      { kind: 'idle', idleMs: livesMs + 1, livesMs },
    ]);
  });
});

describe('what a session says of a cache', { tags: ['B2'] }, () => {
  const entries = (...given: readonly object[]) =>
    given.map((entry, seq) => ({ seq, time: new Date(seq * 1_000).toISOString(), parent: seq - 1, ...entry }) as Entry);
  const usage = (cached: number, more: object = {}) => ({
    type: 'usage',
    model: 'm',
    usage: { input: 100, cached, output: 1, reasoning: 0, ...more },
  });
  const request = { type: 'request', purpose: 'turn', model: 'm' };
  const follow = (...given: readonly object[]) => {
    const follower = new CacheFollower('https://a');
    for (const entry of entries(...given)) follower.follow(entry);
    return follower;
  };

  it('is of one model at one endpoint', () => {
    const follower = follow(request, usage(50), { type: 'configured', endpoint: 'https://b' }, usage(0), usage(0));
    expect(follower.of('https://a', 'm')).toEqual({ says: 'reported', writes: false, usedAt: 0, livesMs: null });
    expect(follower.of('https://b', 'm').says).toBe('none');
    expect(follower.of('https://a', 'other').says).toBe('unknown');
  });

  it('is not what was estimated, nor what was reported before an import', () => {
    expect(follow(usage(0), { ...usage(0), estimated: true }).of('https://a', 'm').says).toBe('unknown');
    expect(follow(usage(50), { type: 'opened', imported: true }, usage(0)).of('https://a', 'm').says).toBe('unknown');
  });

  it('lives as long as the end of what was written last', () => {
    const lives = (...given: readonly object[]) => follow(...given).of('https://a', 'm').livesMs;
    expect(lives(usage(0, { written: 90, writtenLong: 90 }))).toBe(3_600_000);
    expect(lives(usage(0, { written: 90, writtenLong: 30 }))).toBe(300_000);
    expect(lives(usage(0, { written: 90, writtenLong: 90 }), usage(90, { written: 5, writtenLong: 0 }))).toBe(300_000);
    expect(lives(usage(0, { written: 90, writtenLong: 90 }), usage(90))).toBe(3_600_000);
    expect(lives(usage(0, { written: 90 }))).toBe(null);
  });

  it('sets what tokens cost beside one that is read without a cache', () => {
    const shares = (price: Price | undefined, ...given: readonly object[]) =>
      sharesOf(price, follow(...given).of('https://a', 'm'));
    expect(shares(undefined)).toEqual({ cached: 0.1, uncached: 1.25, output: 5 });
    expect(shares(PRICE, usage(50, { written: 10 }))).toEqual({ cached: 0.1, uncached: 1.25, output: 5 });
    expect(shares(PRICE, usage(50))).toEqual({ cached: 0.1, uncached: 1, output: 5 });
    expect(shares(PRICE, usage(0), usage(0))).toEqual({ cached: 1, uncached: 1, output: 5 });
  });
});
