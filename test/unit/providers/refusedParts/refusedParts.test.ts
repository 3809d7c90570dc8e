/**
 * Requests that an endpoint refuses for one part of them, through the real client: the part is found by its name or by
 * halving, the answer comes without it, and later requests go without it at once. Requests are counted.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { ModelError } from '../../../../src/core/errors.ts';
import type { ChatMessage, ModelEvent, ModelRequest } from '../../../../src/core/model/modelClient.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import type { EndpointDialect } from '../../../../src/providers/presets.ts';
import { closeServers, serveWith } from '../answers/askServer.ts';

afterEach(closeServers);

const DIALECTS: readonly EndpointDialect[] = ['chat', 'responses', 'messages'];
const KEY = 'test-key-123456';
const PICTURE = 'UElDVFVSRQ'.repeat(60);
const OTHER_PICTURE = 'T1RIRVJPTkU'.repeat(60);

interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

type Refuses = (text: string, body: ReturnType<typeof Object>) => Refusal | null;

const says = (message: string, status = 400, more: object = {}): Refusal => ({
  status,
  body: { error: { message, type: 'invalid_request_error', ...more } },
});

/** A client at a server that refuses by what it reads, and the numbers of requests of each question so far. */
async function endpoint(dialect: EndpointDialect, refuses: Refuses) {
  const server = await serveWith({
    checkRules: false,
    script: ({ text, body }) => {
      const refusal = refuses(text, body);
      return refusal ? { kind: 'error', ...refusal } : { kind: 'answer', text: 'Fine.' };
    },
  });
  const client = createEndpointClient({ baseUrl: server.baseUrl, dialect, key: async () => KEY });
  const send = async (request: Partial<ModelRequest>) => {
    const before = server.requests.length;
    let done: Extract<ModelEvent, { type: 'done' }> | null = null;
    let error: ModelError | null = null;
    try {
      for await (const event of client.stream(
        { model: 'test-model', messages: [SYSTEM, user('Hello')], tools: [tool('read_file')], ...request },
        new AbortController().signal,
      ))
        if (event.type === 'done') done = event;
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown;
      error = thrown;
    }
    return {
      text: done?.text ?? null,
      error,
      notice: done?.notice ? inEnglish(done.notice) : '',
      sent: server.requests.slice(before).map(({ text }) => text),
    };
  };
  return { send };
}

const SYSTEM: ChatMessage = { role: 'system', text: 'You are a test.' };
const user = (text: string): ChatMessage => ({ role: 'user', text });
const picture = (base64 = PICTURE, name = 'chart.png'): ChatMessage => ({
  role: 'user',
  text: 'What is this?',
  parts: [
    { type: 'text', text: `[image "${name}" (image/png, 8 × 6)]` },
    { type: 'image', mime: 'image/png', base64 },
  ],
});
const answer = (text: string): ChatMessage => ({ role: 'assistant', text });
const tool = (name: string, parameters: object = { type: 'object', properties: {} }) => ({
  name,
  description: `Does ${name}.`,
  parameters: parameters as never,
});
const called = (id: string, result: string): ChatMessage[] => [
  { role: 'assistant', text: 'Looking.', toolCalls: [{ id, name: 'read_file', arguments: `{"path":"${id}.md"}` }] },
  { role: 'tool', toolCallId: id, text: result },
];

describe.each(DIALECTS)('a picture, %s', (dialect) => {
  test.each<readonly [string, Refusal]>([
    ['without a reason', { status: 400, body: { error: 'Bad Request' } }],
    [
      'by its place',
      says("Invalid 'messages[1].content[2].image_url'.", 400, { param: 'messages[1].content[2].image_url' }),
    ],
    ['in words', says('You uploaded an unsupported image. Please make sure your image has one of the formats: png.')],
    ['as unprocessable', says('Could not process image', 422)],
    [
      'by llama.cpp',
      { status: 500, body: { error: { code: 500, message: 'image input is not supported by this server' } } },
    ],
    ['for its size', says('image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes', 413)],
    ['by a proxy, without a word', { status: 413, body: '' }],
    [
      'by serde',
      { status: 422, body: 'messages[1]: unknown variant `image_url`, expected `text` at line 1 column 80' },
    ],
    ['as not decodable', says('failed to decode image: image: unknown format')],
    ['as an unknown content part', says('Unknown content part type in messages', 400)],
  ])('refused %s', async (_, refusal) => {
    const { send } = await endpoint(dialect, (text) => (text.includes(PICTURE) ? refusal : null));
    const messages = [SYSTEM, picture()];
    const first = await send({ messages, cacheKey: 'session', expected: EXPECTED });
    expect(first).toMatchObject({ text: 'Fine.', error: null });
    expect(first.sent).toHaveLength(2);
    expect(first.sent[1]).not.toContain(PICTURE);
    expect(first.sent[1]).toMatch(/chart\.png.*could not be sent to you: the endpoint refused it/s);
    expect(first.notice).toMatch(/^The endpoint refused an image \("chart\.png" .*"images": false/);
    // The next message works at once, and nothing is said twice.
    const next = await send({
      messages: [...messages, answer('Fine.'), user('And now?')],
      cacheKey: 'session',
      expected: EXPECTED,
    });
    expect(next).toMatchObject({ text: 'Fine.', notice: '' });
    expect(next.sent).toHaveLength(1);
    expect(next.sent[0]).not.toContain(PICTURE);
  });
});

const EXPECTED = { tokens: 100, least: 10, most: 1_000, grown: 0 };

describe('pictures', () => {
  test('another one is tried, unless the model takes none', async () => {
    const bad = await endpoint('chat', (text) => (text.includes(PICTURE) ? says('Could not process image') : null));
    await bad.send({ messages: [SYSTEM, picture()] });
    const other = await bad.send({ messages: [SYSTEM, picture(), answer('No.'), picture(OTHER_PICTURE, 'other.png')] });
    expect([other.sent.length, other.sent[0]?.includes(OTHER_PICTURE)]).toEqual([1, true]);
    const blind = await endpoint('chat', (text) =>
      text.includes('image_url') ? says('This model does not support image input.') : null,
    );
    await blind.send({ messages: [SYSTEM, picture()] });
    const second = await blind.send({
      messages: [SYSTEM, picture(), answer('No.'), picture(OTHER_PICTURE, 'other.png')],
    });
    expect([second.sent.length, second.text]).toEqual([1, 'Fine.']);
  });

  test('each session is told once', async () => {
    const { send } = await endpoint('chat', (text) =>
      text.includes(PICTURE) ? says('Could not process image') : null,
    );
    const notices: string[] = [];
    for (const cacheKey of ['one', 'one', 'two'])
      notices.push((await send({ messages: [SYSTEM, picture()], cacheKey, expected: EXPECTED })).notice);
    expect(notices.map((notice) => notice !== '')).toEqual([true, false, true]);
  });
});

describe.each(DIALECTS)('a tool, %s', (dialect) => {
  const tools = [
    tool('read_file'),
    tool('mcp__db__query', { type: 'object', anyOf: [{ required: ['sql'] }] }),
    tool('mcp__db__list'),
  ];
  const at =
    dialect === 'chat'
      ? 'tools[1].function.parameters'
      : dialect === 'messages'
        ? 'tools.1.custom.input_schema'
        : 'tools[1].parameters';

  test.each<readonly [string, Refusal, number]>([
    [
      'by name',
      says(
        "Invalid schema for function 'mcp__db__query': schema must have type 'object' and not have 'oneOf'/'anyOf' at the top level.",
        400,
        { param: at },
      ),
      1,
    ],
    ['by place', says(`${at}: input_schema does not support oneOf, allOf, or anyOf at the top level`), 1],
    [
      'by Google',
      {
        status: 400,
        body: [
          {
            error: {
              code: 400,
              status: 'INVALID_ARGUMENT',
              message: `* GenerateContentRequest.tools[1].function_declarations[0].parameters.any_of: field predicate failed`,
            },
          },
        ],
      },
      1,
    ],
    ['in words about schemas', says('JSON schema not supported: could not understand the instance'), 1],
    ['without a reason', says('Bad Request'), 2],
  ])('refused %s', async (_, refusal, most) => {
    const { send } = await endpoint(dialect, (text) => (text.includes('"mcp__db__query"') ? refusal : null));
    const first = await send({ tools, cacheKey: 's', expected: EXPECTED });
    expect(first).toMatchObject({ text: 'Fine.', error: null });
    expect(first.sent.length).toBeLessThanOrEqual(1 + 3);
    expect(first.notice).toMatch(/^The endpoint refused a tool \(mcp__db__query.*“MCP Servers…”/);
    let requests = 0;
    for (let question = 0; question < 4; question++)
      requests += (await send({ tools, cacheKey: 's', expected: EXPECTED })).sent.length;
    const last = await send({ tools });
    expect(last.sent).toHaveLength(1);
    expect(last.sent[0]).toContain('"mcp__db__list"');
    expect(last.sent[0]).toContain('"read_file"');
    expect(requests).toBeLessThanOrEqual(4 + most);
  });
});

describe('what no list foresees', () => {
  const foreign = Array.from({ length: 24 }, (_, at) => tool(`mcp__many__tool_${at}`));
  const tools = [tool('read_file'), tool('write_file'), ...foreign];

  test.each([[['mcp__many__tool_17']], [['mcp__many__tool_3', 'mcp__many__tool_20']], [['write_file']]])(
    '%j among many is found by halving, at most three further requests a question',
    async (culprits) => {
      const { send } = await endpoint('chat', (text) =>
        culprits.some((name) => text.includes(`"${name}"`)) ? says('Something went wrong.') : null,
      );
      const counts: number[] = [];
      let last = '';
      for (let question = 0; question < 14; question++) {
        const { text, sent } = await send({ tools });
        expect(text).toBe('Fine.');
        counts.push(sent.length);
        last = sent.at(-1) ?? '';
      }
      expect(Math.max(...counts)).toBeLessThanOrEqual(4);
      expect(counts.at(-1)).toBe(1);
      expect(tools.filter(({ name }) => !last.includes(`"${name}"`)).map(({ name }) => name)).toEqual(culprits);
    },
  );

  test.each(DIALECTS)('%s: a result', async (dialect) => {
    const { send } = await endpoint(dialect, (text) =>
      text.includes('<|odd|>') ? says('Internal parse failure') : null,
    );
    const before = [SYSTEM, user('Read'), ...called('call_good', 'fine')];
    await send({ messages: before });
    const messages = [...before, ...called('call_bad', 'a <|odd|> byte')];
    const first = await send({ messages, cacheKey: 's', expected: EXPECTED });
    expect(first).toMatchObject({ text: 'Fine.' });
    expect(first.sent.length).toBeLessThanOrEqual(4);
    expect(first.sent.at(-1)).toContain('This result could not be sent');
    expect(first.sent.at(-1)).toContain('fine');
    expect(first.notice).toContain('earlier calls or results (read_file)');
    for (let question = 0; question < 3; question++) await send({ messages });
    expect((await send({ messages })).sent).toHaveLength(1);
  });

  test.each(DIALECTS)('%s: a call', async (dialect) => {
    const { send } = await endpoint(dialect, (text) => {
      const calls = text.match(/"(?:tool_calls|function_call|tool_use)"/g) ?? [];
      return calls.length > 0 ? says('Unprocessable', 422) : null;
    });
    const messages = [SYSTEM, user('Read'), ...called('call_one', 'the result')];
    const { text, sent } = await send({ messages });
    expect(text).toBe('Fine.');
    expect(sent.length).toBeLessThanOrEqual(4);
    expect(sent.at(-1)).toContain('You called read_file with');
  });

  test('a server that refuses everything is asked four times, then once', async () => {
    const { send } = await endpoint('chat', () => says('No.'));
    const messages = [SYSTEM, picture(), ...called('call_a', 'x')];
    const first = await send({ messages, tools });
    expect([first.sent.length, first.text, first.error?.kind]).toEqual([4, null, 'badRequest']);
    expect(first.error?.message).toContain('It said: “No.”');
    expect((await send({ messages, tools })).sent).toHaveLength(1);
  });
});

describe('another cause is not looked for in the parts', () => {
  const messages = [SYSTEM, picture(), ...called('call_a', 'x')];
  test.each<readonly [string, Refusal]>([
    ['a key', says('Invalid API key', 401)],
    ['a key as 400', says('API key not valid. Please pass a valid API key.')],
    ['no credit', says('Your credit balance is too low to access the Anthropic API.')],
    ['quota', says('You exceeded your current quota', 429, { code: 'insufficient_quota' })],
    ['a country', says('User location is not supported for the API use.')],
    [
      'the window',
      says("This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens."),
    ],
    ['the model', says('The model `test-model` does not exist', 404, { code: 'model_not_found' })],
    ['the model as 400', says('foo/bar is not a valid model ID')],
    ['a content filter', says('The response was filtered due to the prompt triggering content management policy.')],
    ['a field beside the parts', says("Invalid 'top_p': must be at most 1.", 400, { param: 'top_p' })],
    ['a model without tools', says('library/gemma3:4b does not support tools')],
    ['the other API', says('This model is only supported in v1/responses and not in v1/chat/completions.', 404)],
    [
      'malformed history, which the agent sends again',
      says("messages with role 'tool' must be a response to a preceding message with 'tool_calls'."),
    ],
  ])('%s', async (_, refusal) => {
    const { send } = await endpoint('chat', () => refusal);
    const { sent, error } = await send({ messages });
    expect(sent).toHaveLength(1);
    expect(error).not.toBeNull();
    expect(error?.message).not.toContain(KEY);
  });
});
