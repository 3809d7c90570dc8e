/**
 * Where a request says that its prompt may be cached: the product's agent and client against a server that keeps and
 * counts its cache as Anthropic documents it.
 */

import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { publicSessionId } from '../../../src/core/compaction/hosting/strategyMemory.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';
import { sessionHash } from '../../../src/core/journal/sessionHash.ts';
import { asRecord, asText, type Json, listOf, objectOf } from '../../../src/core/json.ts';
import { placeBreakpoints } from '../../../src/providers/chat/chatDialect.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { AnswerReply } from '../../support/modelServer/modelServerReply.ts';
import { PromptCache } from '../../support/modelServer/promptCache.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testAgent } from '../../support/testAgent.ts';

const CLAUDE = 'anthropic/claude-sonnet';
const going = new AbortController().signal;
const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

type Said = Pick<AnswerReply, 'text' | 'calls'>;

/** An agent whose model says these things in turn. */
async function session(answers: readonly Said[], model = CLAUDE) {
  const cache = new PromptCache('marked');
  const left = [...answers];
  const server = await startModelServer({
    script: ({ body }) => ({ kind: 'answer', text: 'ok', ...left.shift(), usage: cache.count(body) }),
  });
  open.push(server);
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
  const files = { 'a.txt': 'line of a file\n'.repeat(200), 'empty.txt': '' };
  const { agent } = await testAgent({ client, model, window: 1_000_000 }, { files });
  return { agent, cache, server };
}

const reads = (count: number, path = 'a.txt'): Said => ({
  calls: Array.from({ length: count }, () => ({ name: 'read_file', arguments: { path } })),
});

/** Role and content of the messages that carry a mark. */
const marksIn = (body: Json) =>
  listOf(body.messages).flatMap((message, at) => {
    const parts = listOf(objectOf(message).content).filter((part) => asRecord(part)?.cache_control);
    return parts.map((part) => ({ at, role: objectOf(message).role, text: asText(asRecord(part)?.text) }));
  });

describe('breakpoints', () => {
  test('each request reads all that the one before it sent, however many calls an answer makes', async () => {
    const { agent, cache, server } = await session([reads(1), reads(30), reads(3), { text: 'done' }, reads(25)]);
    await agent.send('Read much', going);
    await agent.send('And more', going);
    server.assertDone();
    expect(cache.counts.length).toBeGreaterThan(5);
    expect(cache.counts[0]?.read).toBe(0);
    for (const [i, before] of cache.counts.slice(0, -1).entries()) {
      expect(cache.counts[i + 1]?.read).toBe(before.input);
      expect(before.read + before.written).toBe(before.input);
    }
  });

  test('stand behind the header, behind the end of the request before, and at the end: never more than four', async () => {
    const { agent, server } = await session([reads(2), { text: 'done' }]);
    await agent.send('Read it', going);
    const [first, second] = server.requests.map(({ body }) => marksIn(body));
    expect(first?.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(second?.map(({ role, at }) => [role, at])).toEqual([
      ['system', 0],
      ['user', 1],
      ['tool', 4],
    ]);
    expect(second?.[1]?.text).toBe('Read it');
  });

  test('what was read and written is journaled with each answer', async () => {
    const { agent, cache } = await session([reads(1)]);
    await agent.send('Read it', going);
    const used = agent.journal.entries.flatMap((entry) => (entry.type === 'usage' ? [entry.usage] : []));
    expect(used.map(({ input, cached, written }) => ({ input, read: cached, written }))).toEqual(cache.counts);
  });

  test('a model that has no use for them gets texts', async () => {
    const { agent, server } = await session([reads(1)], 'gpt-large');
    await agent.send('Read it', going);
    for (const { body } of server.requests) expect(JSON.stringify(body)).not.toContain('cache_control');
  });

  test('an endpoint that refuses them gets none from then on', async () => {
    const cache = new PromptCache('automatic');
    const server = await startModelServer({
      script: ({ body }) =>
        JSON.stringify(body).includes('cache_control')
          ? {
              kind: 'error',
              status: 400,
              body: { error: { message: 'cache_control: Extra inputs are not permitted' } },
            }
          : { kind: 'answer', text: 'ok', usage: cache.count(body) },
    });
    open.push(server);
    const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
    const { agent } = await testAgent({ client, model: CLAUDE, window: 1_000_000 });
    for (const text of ['One', 'Two']) expect(await agent.send(text, going)).toEqual({ kind: 'done' });
    expect(server.requests.map(({ body }) => marksIn(body).length)).toEqual([2, 0, 0]);
  });

  const text = fc.oneof(fc.constant(''), fc.constant(' \n'), fc.string({ minLength: 1, maxLength: 8 }));
  const content = fc.oneof(
    fc.constant(null),
    text,
    fc.array(
      fc.oneof(
        text.map((said) => ({ type: 'text', text: said })),
        fc.constant({ type: 'image_url', image_url: {} }),
      ),
    ),
  );
  const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'tool'), content });

  test('any messages: at most four, none on an empty text, and nothing else changes', () => {
    fc.assert(
      fc.property(fc.array(message), fc.boolean(), (messages, last) => {
        const sent = [{ role: 'system', content: 'Rules' }, ...messages];
        const placed = placeBreakpoints(sent, last);
        // The count itself throws for what Anthropic refuses.
        const cache = new PromptCache('marked');
        cache.count({ messages: placed });
        expect(cache.counts[0]).toMatchObject({ read: 0 });
        const plain = JSON.parse(JSON.stringify(placed).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
        const asLists = sent.map(({ role, content: said }, i) => ({
          role,
          content: typeof said === 'string' && Array.isArray(plain[i].content) ? [{ type: 'text', text: said }] : said,
        }));
        expect(plain).toEqual(JSON.parse(JSON.stringify(asLists)));
      }),
    );
  });
});

describe('the key of the cache', () => {
  test('is the same for all requests of a session, another for the next one, and says nothing of it', async () => {
    const keys: string[] = [];
    const client = createEndpointClient({
      baseUrl: 'https://api.openai.com/v1',
      key: async () => 'k',
      fetch: async (_, init) => {
        keys.push(JSON.parse(String(init?.body)).prompt_cache_key);
        return new Response(
          'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
        );
      },
    });
    const { agent } = await testAgent({ client, model: 'gpt', window: 0 });
    for (const said of ['One', 'Two']) await agent.send(said, going);
    const { session } = agent.journal;
    const of = (id: string, nonce = session.nonce) =>
      sessionHash({ crypto: testCrypto(), journal: { session: { ...session, id, nonce } } as Journal }, 'prompt cache');
    expect(keys).toEqual([await of(session.id), await of(session.id)]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    const others = await Promise.all([
      of('another'),
      of(session.id, 'another'),
      publicSessionId({ crypto: testCrypto(), ...agent }),
    ]);
    for (const other of [...others, session.id, session.nonce]) expect(keys).not.toContain(other);
  });
});
