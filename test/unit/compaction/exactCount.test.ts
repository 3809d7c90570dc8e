/** The exact count of a context that no report describes: the product's agent and client against a real server. */

import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import { estimateMessage } from '../../../src/core/tokens/estimate.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { withRetries } from '../../../src/providers/retry.ts';
import { type Line, says, user, words } from '../../support/compactionHarness.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { memoryBlobs, memoryJournal } from '../../support/ports/memoryStore.ts';
import { testAgent } from '../../support/testAgent.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Five turns of about `tokens` tokens in all, which no model of this session has counted. */
const imported = (tokens: number): Line[] =>
  Array.from({ length: 5 }, (_, i) => [user(`q${i}`), says(words(Math.round(tokens / 5)))]).flat();

const reports = (input_tokens: number) => (): Reply => ({
  kind: 'answer',
  text: 'Done.',
  usage: { input_tokens, output_tokens: 1 },
});

/** The window has 10,000 tokens, and a compaction is due at 8,000. */
async function session(history: readonly Line[], more: Partial<ModelServerOptions> = {}) {
  const server = await startModelServer({ script: reports(5_000), key: 'k', ...more });
  servers.push(server);
  const { journal } = await memoryJournal();
  for (const message of history.flat())
    await journal.append({ type: 'message', message, tokens: estimateMessage(message) });
  const client = withRetries(
    createEndpointClient({ baseUrl: server.baseUrl, key: async () => 'k', dialect: 'messages' }),
  );
  const choose = (model: string): ModelChoice => ({ client, model, window: 10_000, maxOutputTokens: 500 });
  const { agent } = await testAgent(choose('claude-one'), {
    session: { journal, blobs: memoryBlobs() },
    tools: [],
    header: async () => [],
    models: { initial: () => 'claude-one', resolve: choose },
    compaction: {
      strategy: 'llm-summary',
      'trigger.ratio': 0.8,
      'trigger.reserve': 0,
      'trigger.perModel': { '*': 'safetyMargin 0' },
    },
  });
  return {
    agent,
    server,
    say: (text = 'Go on.', signal = new AbortController().signal) => agent.send(text, signal),
    compactions: () => journal.path().flatMap((entry) => (entry.type === 'compaction' ? [entry.trigger] : [])),
  };
}

describe('the exact count', () => {
  it('compacts what the estimate would have sent whole, and is asked once', async () => {
    const { agent, server, say, compactions } = await session(imported(6_000), { counts: () => 9_000 });
    expect(agent.compactor.gauge.reading.tokens).toBeLessThan(8_000);
    await say();
    expect(compactions()).toEqual(['precheck']);
    await say();
    expect(server.counted).toHaveLength(1);
    const { headers, path, body } = server.counted[0] as (typeof server.counted)[number];
    expect(path).toBe('/v1/messages/count_tokens');
    expect(headers).toMatchObject({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' });
    expect(Object.keys(body).sort()).toEqual(['messages', 'model']);
    server.assertDone();
  });

  it('leaves whole what the estimate would have compacted', async () => {
    const { server, say, compactions } = await session(imported(8_500), { counts: () => 7_000 });
    await say();
    expect(compactions()).toEqual([]);
    expect(server.counted).toHaveLength(1);
    server.assertDone();
  });

  it('becomes the reading', async () => {
    const { agent, server, say } = await session(imported(6_000), { counts: () => 7_500 });
    const seen: number[] = [];
    const counted = server.counted.length;
    agent.journal.listen((entry) => entry.type === 'request' && seen.push(agent.compactor.gauge.reading.tokens));
    await say('?');
    expect(server.counted.length - counted).toBe(1);
    expect(Math.abs((seen[0] ?? 0) - 7_500)).toBeLessThan(150);
  });

  it('costs an ordinary turn nothing', async () => {
    const { server, say } = await session(imported(3_000), { counts: () => 4_000 });
    for (let turn = 0; turn < 3; turn++) await say();
    expect(server.counted).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });

  it('is not asked for where the model has reported', async () => {
    const { server, say } = await session(imported(3_000), {
      counts: () => 4_000,
      script: reports(7_000),
    });
    for (let turn = 0; turn < 3; turn++) await say();
    expect(server.counted).toEqual([]);
  });

  it('follows a change of model, whose tokens are others', async () => {
    const { agent, server, say, compactions } = await session(imported(6_000), {
      counts: ({ model }: Json) => (model === 'claude-two' ? 9_500 : 6_500),
      script: reports(5_000),
    });
    await say();
    await agent.configure('claude-two');
    await say();
    expect(server.counted.map(({ body }) => body.model)).toEqual(['claude-one', 'claude-two']);
    expect(compactions()).toEqual(['precheck']);
    server.assertDone();
  });

  it.each([
    ['has no such address', {}],
    ['counts nothing', { counts: () => 0 }],
  ])('is left alone for good where the endpoint %s', async (_what, more) => {
    const { server, say, compactions } = await session(imported(7_000), more);
    const outcomes = [await say('?'), await say('?')];
    expect(outcomes).toMatchObject([{ kind: 'done' }, { kind: 'done' }]);
    expect(compactions()).toEqual([]);
    expect(server.counted.length).toBeLessThan(2);
  });

  it('ends with the turn that waits for it', async () => {
    const abort = new AbortController();
    const { server, say } = await session(imported(7_000), {
      counts: () => {
        abort.abort();
        return 9_000;
      },
    });
    expect(await say('?', abort.signal)).toMatchObject({ kind: 'stopped' });
    expect(server.requests).toEqual([]);
  });
});
