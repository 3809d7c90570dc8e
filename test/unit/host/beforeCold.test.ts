/**
 * Compaction while the person is away, shortly before the cache goes cold: the host's conversation, the product's agent and
 * client, and a server that keeps Claude's cache as published. Time passes only when a test says so.
 */

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { millisUntilDue, paysBeforeCold } from '../../../src/core/compaction/trigger/beforeCold.ts';
import type { CacheClock } from '../../../src/core/cost/cacheFacts.ts';
import type { Price } from '../../../src/core/money.ts';
import { eventRow } from '../../../src/core/transcript/eventRow.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { MessagesCache } from '../../support/modelServer/messagesCache.ts';
import { startModelServer } from '../../support/modelServer/modelServer.ts';
import { HandTimers } from '../../support/ports/handTimers.ts';
import { memoryBlobs, memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { testConversation } from '../../support/testConversation.ts';

const MINUTE = 60_000;
const PRICE: Price = { currency: 'USD', input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, source: 'table' };
const LONG = 'Many words that fill the context, and that a summary makes short. '.repeat(2_000);

async function begin(
  settings: Readonly<Record<string, unknown>> = { 'trigger.beforeCold': true },
  limits: Readonly<Record<string, unknown>> = {},
) {
  const clock = testClock();
  const cache = new MessagesCache(clock);
  const answers: object[] = [];
  const server = await startModelServer({
    script: ({ body, text }) => {
      const usage = cache.count(body) as never;
      const asks = /about to be compacted/.test(text);
      return { kind: 'answer', text: asks ? 'Notes of it all.' : 'Said.', usage, ...answers.shift() };
    },
  });
  onTestFinished(() => server.close());
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => 'k', dialect: 'messages' });
  const choice = { client, model: 'claude-opus-5', window: 200_000, price: PRICE };
  const timers = new HandTimers();
  const { journal } = await memoryJournal({ clock });
  const { agent, conversation } = await testConversation(
    choice,
    {
      models: { initial: () => choice.model, resolve: () => choice },
      compaction: () => ({ strategy: 'llm-summary', ...settings }),
      session: { journal, blobs: memoryBlobs() },
      system: { clock, timers: systemTimers, crypto: testCrypto(), log: () => undefined },
      timers,
      settings: limits,
    },
    () => undefined,
  );
  const compactions = () => agent.journal.context.activeCompactions;
  const s = {
    agent,
    conversation,
    cache,
    clock,
    timers,
    server,
    answers,
    compactions,
    /** Two turns, so that there is something besides the newest messages. */
    fill: async (text = LONG) => {
      await conversation.send(text);
      await conversation.send('And now?');
      await conversation.send('And then?');
    },
    /** Rest for so long, with the machine awake. */
    rest: async (ms: number) => {
      clock.advance(ms);
      timers.elapse();
      await vi.waitFor(() => expect(conversation.status).toBe('idle'));
    },
  };
  return s;
}

describe('while the person is away', { tags: ['B8'] }, () => {
  it('the context is compacted from the cache before it goes cold, once, with a row that says why', async () => {
    const s = await begin();
    await s.fill();
    const [ms = 0] = s.timers.pending;
    expect(ms).toBe(3.5 * MINUTE);
    const before = s.cache.counts.length;
    await s.rest(ms);
    const [made] = s.compactions();
    expect(made).toMatchObject({
      strategy: 'llm-summary',
      trigger: 'cooling',
      early: { why: 'cooling', idleMs: 3.5 * MINUTE, livesMs: 5 * MINUTE },
    });
    const summary = s.cache.counts[before];
    expect(s.cache.counts.length).toBe(before + 1);
    // The goals F15 and F20 of the speed table.
    expect(summary?.read).toBeGreaterThan(0.95 * (summary?.input ?? 1));
    const row = made && eventRow('e', made, s.agent.journal.context);
    expect(row?.type === 'compaction' && inEnglish(row.triggerName)).toBe(
      "before the provider's cache went cold: idle for 4 of 5 min, and reading all of it anew would have cost more",
    );
    expect(row).toMatchObject({ canUndo: true });
    expect(s.timers.pending).toEqual([]);
  });

  it('its undo brings everything back, and it is not made again in that pause', async () => {
    const s = await begin();
    await s.fill();
    const view = () => s.agent.journal.context.conversation.map(({ id }) => id);
    const whole = view();
    await s.rest(3.5 * MINUTE);
    expect(view()).not.toEqual(whole);
    await s.conversation.change(() => s.agent.compactor.undo());
    expect(view()).toEqual(whole);
    expect(s.timers.pending).toEqual([]);
  });

  it('a machine that slept compacts nothing, because the cache is cold by then', async () => {
    const s = await begin();
    await s.fill();
    const before = s.cache.counts.length;
    await s.rest(8 * 60 * MINUTE);
    expect(s.compactions()).toEqual([]);
    expect(s.cache.counts.length).toBe(before);
  });

  it('a timer that fires too early waits on', async () => {
    const s = await begin();
    await s.fill();
    await s.rest(MINUTE);
    expect(s.compactions()).toEqual([]);
    expect(s.timers.pending).toEqual([2.5 * MINUTE]);
  });

  it('a failure is not tried again in that pause, and leaves the context as it is', async () => {
    const s = await begin({ 'trigger.beforeCold': true, 'summary.retries': 0 });
    await s.fill();
    s.answers.push({ kind: 'error', status: 400, body: { error: { message: 'no' } } });
    const whole = s.agent.journal.context.conversation.length;
    await s.rest(3.5 * MINUTE);
    expect(s.compactions()).toEqual([]);
    expect([...s.agent.journal.ofType('compactionFailed')]).toHaveLength(1);
    expect(s.agent.journal.context.conversation).toHaveLength(whole);
    expect(s.timers.pending).toEqual([]);
    // In the next pause it is, once there is more to gain.
    await s.conversation.send('I am back.');
    expect(s.timers.pending).toEqual([]);
    await s.conversation.send(LONG);
    expect(s.timers.pending).toHaveLength(1);
  });

  it('a message ends the wait', async () => {
    const s = await begin();
    await s.fill();
    const sent = s.conversation.send('I am back.');
    expect(s.timers.pending).toEqual([]);
    await sent;
    expect(s.timers.pending).toEqual([3.5 * MINUTE]);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['it is off, as it is by default', {}, LONG],
    ['automatic compaction is off', { 'trigger.beforeCold': true, auto: false }, LONG],
    ['the person is asked before each compaction', { 'trigger.beforeCold': true, requireConfirmation: true }, LONG],
    ['the strategy asks no model', { 'trigger.beforeCold': true, strategy: 'tool-result-hiding' }, LONG],
    ['a summary would not read from the cache', { 'trigger.beforeCold': true, 'summary.continueRequest': false }, LONG],
    ['the session is small', { 'trigger.beforeCold': true }, 'Hello.'],
  ])('nothing is waited for where %s', async (_where, settings, text) => {
    const s = await begin(settings);
    await s.fill(text);
    expect(s.timers.pending).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['a session may cost less than it would have with the summary', { budgets: { session: 0.3 } }, 0],
    ['a turn may cost less than the summary', { costLimit: 0.05 }, 0],
    ['both may cost more', { budgets: { session: 2 }, costLimit: 1 }, 1],
  ])('limits of cost hold: %s', async (_which, limits, waits) => {
    const s = await begin({ 'trigger.beforeCold': true }, limits);
    await s.fill();
    expect(s.timers.pending).toHaveLength(waits);
  });

  it('nothing is waited for once the window is closed', async () => {
    const s = await begin();
    await s.fill();
    await s.conversation.close();
    expect(s.timers.pending).toEqual([]);
  });
});

describe('a look at the clock', { tags: ['B8'] }, () => {
  const clock = (more: Partial<CacheClock> = {}): CacheClock => ({
    says: 'reported',
    usedAt: 0,
    livesMs: 60 * MINUTE,
    held: 1,
    warm: null,
    cold: null,
    loss: null,
    ...more,
  });

  it.each<[string, Partial<CacheClock>, number, number | null]>([
    ['waits until a minute and a half before the end', {}, 0, 58.5 * MINUTE],
    ['is due from then on', {}, 59 * MINUTE, 0],
    ['is too late in the last seconds', {}, 60 * MINUTE - 5_000, null],
    ['leaves most of a short lifetime', { livesMs: MINUTE }, 0, 0.7 * MINUTE],
    ['says nothing where no lifetime is published', { livesMs: null }, 0, null],
    ['says nothing where nothing was reported', { says: 'unknown', usedAt: null }, 0, null],
    ['says nothing of a context that changed', { held: 0 }, 0, null],
    ['says nothing where the clock was set back', {}, -MINUTE, null],
  ])('%s', (_what, more, now, expected) => {
    expect(millisUntilDue(clock(more), now)).toBe(expected);
  });

  it('pays from a size on that depends on what would be left and on the prices', () => {
    const shares = { cached: 0.1, uncached: 1.25, output: 5 };
    const pays = (tokens: number, recent: number, given = shares) =>
      paysBeforeCold({ tokens, header: 4_000 }, { recent, notes: 0 }, given);
    expect([20_000, 40_000].map((tokens) => pays(tokens, 5_000))).toEqual([false, true]);
    expect(pays(40_000, 15_000)).toBe(false);
    // Where reading anew costs little more, a compaction never pays.
    expect(pays(400_000, 5_000, { cached: 0.9, uncached: 1, output: 5 })).toBe(false);
  });
});
