/**
 * The product's own agent and client against a loopback server that keeps a prompt cache: what the session did is in its
 * journal, and what the server read from its cache is what it reported.
 */

import type { Agent } from '../../src/core/agent/agent.ts';
import { cacheTimeline, type TimelineRow } from '../../src/core/cost/cacheTimeline.ts';
import type { ModelChoice } from '../../src/core/model/modelChoice.ts';
import type { Price } from '../../src/core/money.ts';
import { createEndpointClient } from '../../src/providers/endpointClient.ts';
import { systemTimers } from '../../src/providers/timers.ts';
import { type CachingOptions, type CachingServer, startCachingServer } from './modelServer/cachingServer.ts';
import { type MemoryStore, memoryBlobs, memoryJournal } from './ports/memoryStore.ts';
import { testCrypto } from './ports/nodeCrypto.ts';
import { type TestClock, testClock } from './ports/testClock.ts';
import { type TestAgentOptions, testAgent } from './testAgent.ts';

export interface CachingSession {
  readonly agent: Agent;
  readonly server: CachingServer;
  readonly clock: TestClock;
  readonly store: MemoryStore;
  /** The price of the model from here on. */
  setPrice(price: Price | undefined): void;
  /** A whole turn; a second passes for it. */
  say(text?: string): Promise<void>;
  compact(): Promise<void>;
  /** `livesMs`: what the preset says of the endpoint. */
  timeline(livesMs?: number | null): TimelineRow[];
}

export interface CachingSessionOptions
  extends Omit<CachingOptions, 'clock'>,
    Pick<TestAgentOptions, 'compaction' | 'files' | 'header' | 'settings'> {
  readonly price?: Price;
  readonly window?: number;
}

const going = new AbortController().signal;

export async function cachingSession(options: CachingSessionOptions = {}): Promise<CachingSession> {
  const { price, window = 100_000, compaction, files, header, settings, ...caching } = options;
  const clock = testClock();
  const server = await startCachingServer({ ...caching, clock });
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => 'k' });
  const { journal, store } = await memoryJournal({ clock });
  let current = price;
  const choose = (model: string): ModelChoice => ({ client, model, window, ...(current ? { price: current } : {}) });
  const { agent } = await testAgent(choose('first'), {
    ...(compaction ? { compaction } : {}),
    ...(files ? { files } : {}),
    ...(header ? { header } : {}),
    ...(settings ? { settings } : {}),
    session: { journal, blobs: memoryBlobs() },
    models: { initial: () => 'first', resolve: choose },
    system: { clock, timers: systemTimers, crypto: testCrypto(), log: () => undefined },
  });
  return {
    agent,
    server,
    clock,
    store,
    setPrice: (next) => {
      current = next;
    },
    say: async (text = 'Go on.') => {
      clock.advance(1_000);
      const outcome = await agent.send(text, going);
      if (outcome.kind !== 'done') throw new Error(`The turn ended otherwise: ${JSON.stringify(outcome)}`);
    },
    compact: async () => {
      const outcome = await agent.compactor.compact({ trigger: 'manual' }, going);
      if (outcome.kind !== 'compacted') throw new Error(`Not compacted: ${JSON.stringify(outcome)}`);
    },
    timeline: (livesMs = null) => [...cacheTimeline(journal, () => livesMs)],
  };
}
