/**
 * A session whose model's provider keeps a prompt cache: the product's agent and client against a loopback server. It reads
 * files turn by turn, and requests for summaries are answered when the test lets them be.
 */

import { vi } from 'vitest';
import type { StrategyRegistry } from '../../src/core/compaction/hosting/registry.ts';
import type { ConsentAnswer } from '../../src/core/compaction/signals/consent.ts';
import { type Json, listOf, objectOf } from '../../src/core/json.ts';
import type { ModelClient } from '../../src/core/model/modelClient.ts';
import type { Price } from '../../src/core/money.ts';
import { createEndpointClient } from '../../src/providers/endpointClient.ts';
import { systemTimers } from '../../src/providers/timers.ts';
import { type ModelServer, startModelServer } from './modelServer/modelServer.ts';
import type { AnswerReply, Reply } from './modelServer/modelServerReply.ts';
import { PromptCache } from './modelServer/promptCache.ts';
import { textOfContent } from './modelServer/summaryRequest.ts';
import { memoryBlobs, memoryJournal } from './ports/memoryStore.ts';
import { testCrypto } from './ports/nodeCrypto.ts';
import { type TestClock, testClock } from './ports/testClock.ts';
import { testAgent } from './testAgent.ts';

const open: ModelServer[] = [];

export async function closeServers(): Promise<void> {
  for (const server of open.splice(0)) await server.close();
}

export const WINDOW = 60_000;
const PROMPT = /about to be compacted|record to be summarised/;
const isSummary = (body: Json) => PROMPT.test(textOfContent(objectOf(listOf(body.messages).at(-1)).content));
export const FILE = Array.from({ length: 250 }, (_, i) => `line ${i} of a file that is read again and again`).join(
  '\n',
);

export interface ReadingOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether the server says that it reads from a cache. */
  readonly caches?: boolean;
  readonly registry?: StrategyRegistry;
  readonly consent?: ConsentAnswer;
  /** Lines that an earlier session left on its disk. */
  readonly lines?: readonly string[];
  readonly clock?: TestClock;
  /** The model runs on this machine. */
  readonly local?: true;
  /** How long the provider keeps its cache. */
  readonly cacheLivesMs?: number;
  readonly files?: Readonly<Record<string, string>>;
  /** For a million tokens; null where nobody knows. */
  readonly price?: Pick<Price, 'input' | 'output' | 'cacheRead' | 'cacheWrite'> | null;
}

export async function readingSession(options: ReadingOptions = {}) {
  const { settings = {}, caches = true, files = {}, registry, consent, lines, cacheLivesMs, local } = options;
  const cache = new PromptCache('automatic');
  const turns: Reply[] = [];
  let answer = (): Reply => ({ kind: 'answer', text: 'The prepared notes.' });
  const server = await startModelServer({
    script: ({ body }) => {
      const counted = cache.count(body);
      const usage = caches ? counted : { ...counted, prompt_tokens_details: { cached_tokens: 0 } };
      const reply = isSummary(body) ? answer() : (turns.shift() ?? { kind: 'answer', text: 'Done.' });
      return reply.kind === 'answer' ? { ...reply, usage } : reply;
    },
  });
  open.push(server);
  const real = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
  let gate = Promise.resolve();
  const model = 'm';
  const asked: number[] = [];
  const client: ModelClient = {
    // The same for a session that is opened again.
    endpoint: 'https://models.test',
    async *stream(request, signal) {
      if (request.toolChoice === 'none') await gate;
      yield* real.stream(request, signal);
    },
  };
  const clock = options.clock ?? testClock();
  const { price = { input: 1, output: 2, cacheRead: 0.1 } } = options;
  const choice = {
    client,
    window: WINDOW,
    ...(price ? { price: { ...price, currency: 'USD', source: 'settings' as const } } : {}),
    ...(cacheLivesMs ? { cacheLivesMs } : {}),
    ...(local ? { local } : {}),
  };
  const compaction: Record<string, unknown> = { 'summary.retries': 0, strategy: 'llm-summary', ...settings };
  const { journal, store } = await memoryJournal({ clock, ...(lines ? { lines } : {}) });
  const { agent } = await testAgent(
    { ...choice, model },
    {
      session: { journal, blobs: memoryBlobs() },
      files: { 'a.txt': FILE, ...files },
      ...(registry ? { registry } : {}),
      models: { initial: () => model, resolve: (name) => ({ ...choice, model: name }) },
      person: {
        approver: { ask: async () => ({ kind: 'allow', remember: 'no' }) },
        consent: async ({ tokens }) => {
          asked.push(tokens);
          return consent ?? 'compact';
        },
      },
      compaction: () => compaction,
      system: { clock, timers: systemTimers, crypto: testCrypto(), log: () => undefined },
    },
  );
  const { compactor } = agent;
  const read = (path: string): AnswerReply => ({
    kind: 'answer',
    text: 'Looking.',
    calls: [{ name: 'read_file', arguments: { path } }],
  });
  const bodies = () => server.requests.map(({ body }) => body);
  const s = {
    agent,
    journal,
    compactor,
    server,
    clock,
    store,
    compaction,
    asked,
    turn: new AbortController(),
    /** One turn that reads so often. */
    read: async (times: number, path = 'a.txt') => {
      turns.push(...Array<Reply>(times).fill(read(path)));
      return agent.send('read', s.turn.signal);
    },
    /** Turns until the context holds this share of where it is compacted. */
    fill: async (share: number) => {
      while (compactor.gauge.reading.tokens < share * (compactor.gauge.mark?.at ?? 0)) await s.read(1);
    },
    /** Turns until the context is compacted once more. */
    untilCompacted: async () => {
      const before = s.compactions().length;
      for (let turn = 0; s.compactions().length === before; turn++) {
        if (turn === 40) throw new Error('It is not compacted');
        await s.read(1);
      }
    },
    /** No request for a summary is answered before the result is called. */
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    summaries: () => bodies().filter(isSummary),
    turns: () => bodies().filter((body) => !isSummary(body)),
    compactions: () => journal.entries.filter((entry) => entry.type === 'compaction'),
    /** Requests for summaries, answered or not. */
    asking: () => journal.entries.filter((entry) => entry.type === 'request' && entry.purpose === 'summary').length,
    used: () => journal.entries.filter((entry) => entry.type === 'summaryUsage'),
    /** Sets the answers to summary requests from here on. */
    answerSummaries: (next: () => Reply) => {
      answer = next;
    },
    /** Id of the newest message. */
    newest: () => journal.context.conversation.at(-1)?.id ?? '',
    notes: () => journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])),
    /** A summary is ready. */
    prepared: () => vi.waitUntil(() => s.used().length > 0, { timeout: 5_000, interval: 1 }),
  };
  return s;
}

export type ReadingSession = Awaited<ReturnType<typeof readingSession>>;
