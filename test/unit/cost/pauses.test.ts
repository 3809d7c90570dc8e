/** How long prompts are best kept, by the pauses of a person; and what that saves, counted by a cache as published. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { type CacheLifetimes, LONG, lifetimesFor, Pauses, SHORT } from '../../../src/core/cost/pauses.ts';
import type { WindowMemory } from '../../../src/core/tokens/learnedWindows.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { MessagesCache } from '../../support/modelServer/messagesCache.ts';
import { startModelServer } from '../../support/modelServer/modelServer.ts';
import { memoryBlobs, memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { testConversation } from '../../support/testConversation.ts';

const MINUTE = 60_000;

function memory(stored: unknown = undefined): WindowMemory {
  let value = stored;
  return {
    read: () => value,
    write: (next) => {
      value = next;
    },
  };
}

describe('how long a prompt is kept', { tags: ['B2'] }, () => {
  const minutes = (...given: readonly number[]) => lifetimesFor(given.map((each) => each * MINUTE));

  it('goes by the pauses that an hour bridges and five minutes do not', () => {
    expect(minutes()).toEqual(SHORT);
    expect(minutes(1, 2, 4.9, 5)).toEqual(SHORT);
    expect(minutes(61, 600)).toEqual(SHORT);
    expect(minutes(1, 1, 1, 1, 1, 1, 1, 1, 1, 10)).toEqual(LONG);
    expect(minutes(...Array<number>(19).fill(1), 10)).toEqual({ start: '1h', rest: '5m' });
  });

  it('remembers the newest twenty, whatever is stored', () => {
    const pauses = new Pauses(memory(['no', -1, null, 5]));
    expect(pauses.newest).toEqual([5]);
    for (let i = 0; i < 30; i++) pauses.add(i);
    expect(pauses.newest).toEqual(Array.from({ length: 20 }, (_, i) => i + 10));
    expect(new Pauses(memory({})).newest).toEqual([]);
  });
});

/** What a session of messages after such pauses costs to read, in units of a fresh token, by the published prices. */
async function costOf(pauseMinutes: readonly number[], lifetimes: (pauses: Pauses) => CacheLifetimes) {
  const clock = testClock();
  const cache = new MessagesCache(clock);
  const server = await startModelServer({
    script: ({ body }) => ({ kind: 'answer', text: 'ok', usage: cache.count(body) as never }),
  });
  onTestFinished(() => server.close());
  const pauses = new Pauses(memory());
  const client = createEndpointClient({
    baseUrl: server.baseUrl,
    key: async () => 'k',
    dialect: 'messages' as const,
    cacheLifetimes: () => lifetimes(pauses),
  });
  const choice = { client, model: 'claude-opus-5', window: 1_000_000 };
  const { journal } = await memoryJournal({ clock });
  const { conversation } = await testConversation(
    choice,
    {
      models: { initial: () => choice.model, resolve: () => choice },
      session: { journal, blobs: memoryBlobs() },
      system: { clock, timers: systemTimers, crypto: testCrypto(), log: () => undefined },
      pauses,
    },
    () => undefined,
  );
  for (const pause of pauseMinutes) {
    clock.advance(pause * MINUTE);
    await conversation.send('Some words that fill the context. '.repeat(300));
  }
  await conversation.close();
  expect(server.failures).toEqual([]);
  const cost = cache.counts.reduce((sum, { input, read, written: { short, long } }) => {
    return sum + (input - read - short - long) + 0.1 * read + 1.25 * short + 2 * long;
  }, 0);
  return { cost, pauses: pauses.newest };
}

describe('a session with Claude', { tags: ['B2'] }, () => {
  const auto = (pauses: Pauses) => lifetimesFor(pauses.newest);

  it('measures each pause between an answer and the next message', async () => {
    const { pauses } = await costOf([0, 1, 12], auto);
    expect(pauses).toEqual([MINUTE, 12 * MINUTE]);
  });

  it('costs as little as with five minutes for a person who does not pause', async () => {
    const quick = Array<number>(12).fill(1);
    expect((await costOf(quick, auto)).cost).toBe((await costOf(quick, () => SHORT)).cost);
  });

  it('costs less than with five minutes for a person who pauses often', async () => {
    const slow = Array.from({ length: 16 }, (_, i) => (i % 4 === 3 ? 20 : 1));
    const [measured, short] = [await costOf(slow, auto), await costOf(slow, () => SHORT)];
    expect(measured.cost).toBeLessThan(short.cost);
  });
});
