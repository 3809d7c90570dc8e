/** Anthropic's messages, by the real client against a server with the real one's rules. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../../src/core/cost/pauses.ts';
import { type Json, listOf, objectOf } from '../../../../src/core/json.ts';
import type { ChatMessage, ModelRequest } from '../../../../src/core/model/modelClient.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { MessagesCache } from '../../../support/modelServer/messagesCache.ts';
import { signatureOf } from '../../../support/modelServer/messagesRules.ts';
import type { Reply } from '../../../support/modelServer/modelServerReply.ts';
import { namedSse } from '../../../support/modelServer/responsesReply.ts';
import { testClock } from '../../../support/ports/testClock.ts';
import { type AskOptions, ask, closeServers, REQUEST, raw, refuse, serve, serveWith } from '../answers/askServer.ts';

afterEach(closeServers);

const says = (text: string): Reply => ({ kind: 'answer', text });
const MODEL = 'claude-opus-5';
const options = (request: Partial<ModelRequest> = {}): AskOptions => ({
  dialect: 'messages',
  request: { model: MODEL, ...request },
});
const sent = async (request: Partial<ModelRequest>, ...script: readonly Reply[]) => {
  const server = await serve(...(script.length > 0 ? script : [says('ok')]));
  await ask(server, options(request));
  server.assertDone();
  return server.requests.map(({ body }) => body);
};
const call = (id: string, args: object = { path: 'a.ts' }) => ({
  id,
  name: 'read_file',
  arguments: JSON.stringify(args),
});
const header: ChatMessage = { role: 'system', text: 'You are a test.', cache: true };
const user = (text: string): ChatMessage => ({ role: 'user', text });

describe('a request', () => {
  test('as it goes out, with the key in its own header and nothing from the environment', async () => {
    process.env.ANTHROPIC_BASE_URL = 'http://127.0.0.1:9/elsewhere';
    process.env.ANTHROPIC_AUTH_TOKEN = 'from-the-environment';
    process.env.ANTHROPIC_CUSTOM_HEADERS = 'x-slipped: in';
    try {
      const server = await serve(says('ok'));
      await ask(server, options());
      const [{ headers, path, text }] = server.requests as [(typeof server.requests)[number]];
      expect(path).toBe('/v1/messages');
      expect(Object.keys(headers).sort()).toEqual([
        'accept',
        'accept-encoding',
        'accept-language',
        'anthropic-version',
        'connection',
        'content-length',
        'content-type',
        'host',
        'sec-fetch-mode',
        'user-agent',
        'x-api-key',
      ]);
      expect(headers).toMatchObject({ 'x-api-key': 'test-key-123', 'anthropic-version': '2023-06-01' });
      expect(text).toBe(
        '{"model":"claude-opus-5","max_tokens":64000,"system":[{"type":"text","text":"You are a test."}],' +
          '"messages":[{"role":"user","content":[{"type":"text","text":"Hello"}]}],' +
          '"tools":[{"name":"read_file","description":"Read","input_schema":{"type":"object","properties":{}}}],' +
          '"stream":true}',
      );
    } finally {
      for (const name of ['BASE_URL', 'AUTH_TOKEN', 'CUSTOM_HEADERS']) delete process.env[`ANTHROPIC_${name}`];
    }
  });

  test('the key as a bearer token, for a gateway', async () => {
    const server = await serve(says('ok'));
    await ask(server, { ...options(), keyHeader: 'authorization' });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer test-key-123' });
    expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key');
  });

  test('parallel calls, their results and images are one turn each, results first', async () => {
    const image = { type: 'image', mime: 'image/png', base64: 'iVBORw0KGgo=' } as const;
    const messages: ChatMessage[] = [
      header,
      user('look'),
      { role: 'assistant', text: 'Looking.', toolCalls: [call('a'), call('b.c')] },
      { role: 'tool', toolCallId: 'a', text: 'one', isError: true, parts: [image] },
      { role: 'tool', toolCallId: 'b.c', text: '', isError: true },
      user('and this'),
    ];
    const [body] = await sent({ messages });
    const ids = listOf(objectOf(listOf(body?.messages)[1]).content).map((block) => objectOf(block).id);
    expect(ids).toEqual([undefined, 'a', expect.stringMatching(/^call_[a-z0-9]+$/)]);
    expect(objectOf(listOf(body?.messages)[2])).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: [
            { type: 'text', text: 'one' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.base64 } },
          ],
        },
        { type: 'tool_result', tool_use_id: ids[2], content: [{ type: 'text', text: '[empty]' }], is_error: true },
        { type: 'text', text: 'and this', cache_control: { type: 'ephemeral' } },
      ],
    });
  });

  test.each([
    [
      'claude-opus-5',
      'high',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
    ],
    ['claude-opus-5', 'minimal', { output_config: { effort: 'low' } }],
    ['claude-opus-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-4-5', 'medium', { thinking: { type: 'enabled', budget_tokens: 8_192 }, max_tokens: 64_000 }],
    ['claude-opus-4-1', 'xhigh', { thinking: { type: 'enabled', budget_tokens: 27_904 }, max_tokens: 32_000 }],
  ] as const)('%s thinks with the effort %s', async (model, effort, expected) => {
    const [body] = await sent({ model, effort, temperature: 0.2 });
    expect(body).toMatchObject(expected);
  });

  test('a model that does not think is not asked to', async () => {
    const [body] = await sent({ model: 'claude-3-5-haiku-latest', effort: 'high', temperature: 0.2 });
    expect(body).toMatchObject({ max_tokens: 8_192, temperature: 0.2 });
    expect(body).not.toHaveProperty('thinking');
  });

  test('a model with a budget does not think in a loop that another model began', async () => {
    const messages: ChatMessage[] = [
      user('look'),
      { role: 'assistant', text: '', toolCalls: [call('a')] },
      { role: 'tool', toolCallId: 'a', text: 'one' },
    ];
    const [body] = await sent({ model: 'claude-sonnet-4-5', effort: 'high', messages });
    expect(body).not.toHaveProperty('thinking');
  });
});

describe('an answer', () => {
  const thought = 'I should look at the file first.';

  test('text, thinking and calls come as they are streamed, and thinking goes back unchanged', async () => {
    const reply: Reply = {
      kind: 'answer',
      reasoning: { field: 'thinking', text: thought },
      encrypted: 'opaque',
      text: 'Looking.',
      calls: [
        { name: 'read_file', arguments: { path: 'a.ts' }, id: 'toolu_a' },
        { name: 'read_file', arguments: { path: 'b.ts' }, id: 'toolu_b' },
      ],
    };
    const server = await serve(reply, says('Done.'));
    const { end, shown } = await ask(server, options({ effort: 'high' }));
    expect(shown).toBe('Looking.');
    expect(end).toMatchObject({
      finish: 'toolCalls',
      toolCalls: [call('toolu_a'), call('toolu_b', { path: 'b.ts' })],
      reasoning: { field: 'thinking', text: thought },
    });
    if (!('toolCalls' in end) || !end.reasoning) throw new Error('no answer');
    const { toolCalls, text, reasoning } = end;
    const messages: ChatMessage[] = [
      ...REQUEST.messages,
      { role: 'assistant', text, toolCalls, reasoning },
      { role: 'tool', toolCallId: 'toolu_a', text: 'one' },
      { role: 'tool', toolCallId: 'toolu_b', text: 'two' },
    ];
    await ask(server, options({ effort: 'high', messages }));
    server.assertDone();
    expect(objectOf(listOf(server.requests[1]?.body.messages)[1]).content).toMatchObject([
      { type: 'thinking', thinking: thought, signature: signatureOf(thought) },
      { type: 'redacted_thinking', data: 'opaque' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'toolu_a', input: { path: 'a.ts' } },
      { type: 'tool_use', id: 'toolu_b', input: { path: 'b.ts' } },
    ]);
  });

  test('thinking between calls keeps its place; a thought that was changed does not go back', async () => {
    const block = (index: number, content_block: object, ...deltas: object[]) => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
    const think = (index: number, thinking: string) =>
      block(
        index,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking },
        {
          type: 'signature_delta',
          signature: signatureOf(thinking),
        },
      );
    const use = (index: number, id: string) => block(index, { type: 'tool_use', id, name: 'read_file', input: {} });
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
      ...think(0, 'First.'),
      ...use(1, 'toolu_a'),
      ...think(2, 'Then.'),
      ...use(3, 'toolu_b'),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } },
      { type: 'message_stop' },
    ];
    const server = await serve(raw(...events.map(namedSse)), says('ok'), says('ok'));
    const { end } = await ask(server, options());
    if (!('toolCalls' in end) || !end.reasoning) throw new Error('no answer');
    const { toolCalls, text, reasoning } = end;
    const results = toolCalls.map(({ id }): ChatMessage => ({ role: 'tool', toolCallId: id, text: 'x' }));
    const again = (kept: typeof reasoning) =>
      ask(
        server,
        options({ messages: [user('go'), { role: 'assistant', text, toolCalls, reasoning: kept }, ...results] }),
      );
    await again(reasoning);
    await again({ ...reasoning, text: 'First. [hidden]' });
    server.assertDone();
    const types = (request: number) =>
      listOf(objectOf(listOf(server.requests[request]?.body.messages)[1]).content).map((each) => objectOf(each).type);
    expect(types(1)).toEqual(['thinking', 'tool_use', 'thinking', 'tool_use']);
    expect(types(2)).toEqual(['tool_use', 'tool_use']);
  });

  test.each([
    ['max_tokens', 'length'],
    ['refusal', 'contentFilter'],
    ['model_context_window_exceeded', 'overflow'],
    ['pause_turn', 'other'],
    ['end_turn', 'stop'],
  ])('that stops with %s', async (finish, expected) => {
    const server = await serve({ kind: 'answer', text: 'Some.', finish });
    expect((await ask(server, options())).end).toMatchObject({ finish: expected, toolCalls: [] });
  });

  test('that was refused says why, where the provider does', async () => {
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
      {
        type: 'message_delta',
        delta: {
          stop_reason: 'refusal',
          stop_details: { type: 'refusal', category: 'bio', explanation: 'Not\nthat.' },
        },
        usage: { output_tokens: 2 },
      },
      { type: 'message_stop' },
    ];
    const server = await serve(raw(...events.map(namedSse)));
    const { end } = await ask(server, options());
    expect(end).toMatchObject({ finish: 'contentFilter', text: '' });
    expect('notice' in end && inEnglish(end.notice ?? [])).toBe('The provider says: Not⏎that.');
  });

  test('what was read from the cache and written to it is counted as input', async () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 3_000,
      cache_creation_input_tokens: 500,
      output_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 0 },
      output_tokens_details: { thinking_tokens: 3 },
    };
    const server = await serve({ kind: 'answer', text: 'ok', usage });
    expect((await ask(server, options())).end).toMatchObject({
      usage: { input: 3_510, cached: 3_000, written: 500, output: 7, reasoning: 3 },
    });
  });

  test('that breaks off is not taken for a whole one', async () => {
    const broken: Reply = { kind: 'answer', text: 'Some of it', finish: null };
    const server = await serve(broken, broken, broken);
    expect((await ask(server, options())).end).toMatchObject({
      error: 'interrupted',
    });
  });

  test('an error in the stream is classified', async () => {
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 10 } } },
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ];
    const server = await serve(raw(...events.map(namedSse)), says('ok'));
    const { end, retries } = await ask(server, options());
    expect(retries).toBe(1);
    expect(end).toMatchObject({ text: 'ok' });
  });
});

describe('a refusal narrows what is sent', () => {
  const error = (message: string) => refuse(400, { type: 'error', error: { type: 'invalid_request_error', message } });

  test.each([
    [
      'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for claude-opus-5',
      { max_tokens: 32_000 },
    ],
    ['adaptive thinking is not supported on this model', { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
    ['output_config: Extra inputs are not permitted', { output_config: undefined }],
    ['thinking.adaptive.display: Extra inputs are not permitted', { thinking: { type: 'adaptive' } }],
  ])('%s', async (message, expected) => {
    const [, second] = await sent({ effort: 'high' }, error(message), says('ok'));
    expect({ ...second, output_config: second?.output_config }).toMatchObject(expected);
  });

  /** Lowers its limit by one with each request. */
  const lowering = (status: number) => (asked: { readonly body: Json }) => {
    const limit = Number(asked.body.max_tokens);
    const message = `max_tokens: ${limit} > ${limit - 1}, which is the maximum allowed number of output tokens`;
    return refuse(status, { type: 'error', error: { type: 'invalid_request_error', message } });
  };

  test.each([400, 500])(
    'a server that refuses %i for ever for another reason is not asked for ever',
    async (status) => {
      const server = await serveWith({ script: lowering(status), checkRules: false });
      const { end, retries } = await ask(server, options());
      expect(end).toMatchObject({
        error: 'badRequest',
        retryable: false,
        message: expect.stringContaining('refused this request 9 times, for another reason each time'),
      });
      expect([server.requests.length, retries]).toEqual([9, 0]);
    },
  );

  test('nor is one that only counts', async () => {
    let limit = 64_000;
    const server = createServer((_, response) => {
      const message = `max_tokens: ${limit} > ${--limit}, which is the maximum allowed number of output tokens`;
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const client = createEndpointClient({ baseUrl, dialect: 'messages', key: async () => 'k' });
      expect(await client.count?.(REQUEST, new AbortController().signal)).toBe(null);
      expect(64_000 - limit).toBe(9);
    } finally {
      server.close();
    }
  });

  test('an address without the Messages API is named with the setting', async () => {
    const server = await serve(refuse(404, { detail: 'Not Found' }));
    expect((await ask(server, options())).end).toMatchObject({
      error: 'notFound',
      message: expect.stringContaining('"dialect": "chat"'),
    });
  });

  test('too long a prompt is an overflow', async () => {
    const server = await serve(error('prompt is too long: 210000 tokens > 200000 maximum'));
    expect((await ask(server, options())).end).toMatchObject({ error: 'overflow' });
  });
});

describe('the prompt cache', () => {
  const BODY = 'const value = compute(input);\n'.repeat(300);

  test('each request of a session reads what the one before it left, and a summary reads all of it', async () => {
    const cache = new MessagesCache(testClock());
    const server = await serveWith({
      script: ({ body }) => ({ kind: 'answer', text: 'ok', usage: cache.count(body) }),
    });
    const messages: ChatMessage[] = [{ ...header, text: 'You are a test. '.repeat(400) }, user('go')];
    const requests: { readonly toolChoice?: 'none' }[] = [];
    for (let step = 0; step < 12; step++) {
      await ask(server, options({ messages: [...messages] }));
      requests.push({});
      // An answer of more calls than a mark looks back.
      const calls = Array.from({ length: step === 5 ? 30 : 2 }, (_, i) => call(`c${step}_${i}`));
      messages.push({ role: 'assistant', text: 'Reading.', toolCalls: calls });
      for (const { id } of calls)
        messages.push({ role: 'tool', toolCallId: id, text: `${id} ${BODY.slice(0, 2_000)}` });
    }
    await ask(server, options({ messages: [...messages] }));
    messages.push({ role: 'assistant', text: 'Done.' }, user('Write notes.'));
    await ask(server, options({ messages: [...messages], toolChoice: 'none' }));
    server.assertDone();
    const [, ...later] = cache.counts;
    for (const [i, { read }] of later.entries()) expect(read).toBe(cache.counts[i]?.input);
    const bodies = server.requests.map(({ body }) => body as Json);
    expect(bodies.some((body) => 'tool_choice' in body)).toBe(false);
  });

  test('the notes of a compaction are read although what followed them changed', async () => {
    const cache = new MessagesCache(testClock());
    const server = await serveWith({
      script: ({ body }) => ({ kind: 'answer', text: 'ok', usage: cache.count(body) }),
    });
    const notes: ChatMessage = { role: 'user', text: `<context-notes>\n${'A note. '.repeat(900)}\n</context-notes>` };
    const start: ChatMessage[] = [{ ...header, text: 'You are a test. '.repeat(400) }, notes];
    await ask(server, options({ messages: [...start, user('first')] }));
    await ask(server, options({ messages: [...start, user('another')] }));
    const upToNotes = cache.counts[1]?.read ?? 0;
    expect(upToNotes).toBeGreaterThan(3_000);
    expect(cache.counts[1]?.input).toBeLessThan(upToNotes + 50);
  });

  test('for an hour, every mark says so', async () => {
    const server = await serve(says('ok'));
    await ask(server, { ...options({ messages: [header, user('go')] }), cacheLifetimes: LONG });
    server.assertDone();
    const marks = server.requests[0]?.text.match(/"cache_control":\{[^}]*\}/g);
    expect(marks).toEqual(Array.from({ length: 2 }, () => '"cache_control":{"type":"ephemeral","ttl":"1h"}'));
  });

  test('what never changes may be kept for an hour, before the conversation for five minutes', async () => {
    const server = await serve(says('ok'), says('ok'));
    const notes: ChatMessage = { role: 'user', text: '<context-notes>\nA note.\n</context-notes>' };
    const answer: ChatMessage = { role: 'assistant', text: 'Done.' };
    const lifetimes = { start: '1h', rest: '5m' } as const;
    const send = async (...messages: ChatMessage[]) => {
      await ask(server, { ...options({ messages: [header, ...messages] }), cacheLifetimes: lifetimes });
      return server.requests
        .at(-1)
        ?.text.match(/"cache_control":\{[^}]*\}/g)
        ?.map((mark) => /1h/.test(mark));
    };
    expect(await send(notes, user('go'), answer, user('on'))).toEqual([true, true, false, false]);
    // A summary that was brought along stands at the end, where an hour may not follow five minutes.
    expect(await send(user('go'), answer, notes)).toEqual([true, false, false]);
    server.assertDone();
  });

  test('a server that knows no hour is asked for five minutes', async () => {
    const message = 'messages.0.content.0.text.cache_control.ephemeral.ttl: Extra inputs are not permitted';
    const refused = refuse(400, { type: 'error', error: { type: 'invalid_request_error', message } });
    const server = await serve(refused, says('ok'));
    await ask(server, { ...options({ messages: [header, user('go')] }), cacheLifetimes: LONG });
    server.assertDone();
    expect(server.requests[1]?.text.match(/"cache_control":\{[^}]*\}/g)).toEqual([
      '"cache_control":{"type":"ephemeral"}',
      '"cache_control":{"type":"ephemeral"}',
    ]);
  });

  test('a request of no session has no marks', async () => {
    const [body] = await sent({});
    expect(JSON.stringify(body)).not.toContain('cache_control');
  });
});
