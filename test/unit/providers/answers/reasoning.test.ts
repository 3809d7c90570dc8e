/** What a model thought in chat completions: how it is put together, and how each provider gets it back. */

import { afterEach, describe, expect, test } from 'vitest';
import type { ChatMessage, ModelRequest } from '../../../../src/core/model/modelClient.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { choiceChunk, sse } from '../../../support/modelServer/modelServerReply.ts';
import { ask, closeServers, END, REQUEST, raw, refuse, says, serve, text } from './askServer.ts';

afterEach(closeServers);

const details = (...reasoning_details: readonly object[]) => choiceChunk({ reasoning_details });
const thought = (index: number, piece: string, more: object = {}) => ({
  type: 'reasoning.text',
  text: piece,
  index,
  ...more,
});

describe('reasoning_details are put together per item, in order, with every field', () => {
  test.each<readonly [string, readonly object[], unknown]>([
    [
      'a text in pieces, signed at its end',
      [
        details(thought(0, 'I ', { format: 'anthropic-claude-v1', signature: null })),
        details(thought(0, 'look.')),
        details({ type: 'reasoning.text', index: 0, signature: 'EqQBsigned' }),
      ],
      {
        field: 'reasoning_details',
        text: 'I look.',
        items: [
          { type: 'reasoning.text', text: 'I look.', index: 0, format: 'anthropic-claude-v1', signature: 'EqQBsigned' },
        ],
      },
    ],
    [
      'the same words beside it are shown once',
      [
        choiceChunk({ reasoning: 'Hm', reasoning_details: [thought(0, 'Hm')] }),
        choiceChunk({ reasoning: 'm', reasoning_details: [thought(0, 'm')] }),
      ],
      { field: 'reasoning', text: 'Hmm', items: [thought(0, 'Hmm')] },
    ],
    [
      'a summary, then what is encrypted',
      [
        details({ type: 'reasoning.summary', summary: 'I ', index: 0, format: 'openai-responses-v1' }),
        details({ type: 'reasoning.summary', summary: 'look.', index: 0 }),
        details({ type: 'reasoning.encrypted', data: 'gAAAAA', id: 'rs_1', index: 0, vendor: { x: [1] } }),
      ],
      {
        field: 'reasoning_details',
        text: 'I look.',
        items: [
          { type: 'reasoning.summary', summary: 'I look.', index: 0, format: 'openai-responses-v1' },
          { type: 'reasoning.encrypted', data: 'gAAAAA', id: 'rs_1', index: 0, vendor: { x: [1] } },
        ],
      },
    ],
    [
      'two encrypted ones with one index and two ids stay two',
      [
        details({ type: 'reasoning.encrypted', data: 'a', id: 'rs_1', index: 0 }),
        details({ type: 'reasoning.encrypted', data: 'b', id: 'rs_2', index: 0 }),
      ],
      {
        field: 'reasoning_details',
        text: '',
        items: [
          { type: 'reasoning.encrypted', data: 'a', id: 'rs_1', index: 0 },
          { type: 'reasoning.encrypted', data: 'b', id: 'rs_2', index: 0 },
        ],
      },
    ],
    [
      'without an index each piece is an item',
      [details({ type: 'reasoning.text', text: 'a' }, { type: 'reasoning.text', text: 'b' })],
      {
        field: 'reasoning_details',
        text: 'ab',
        items: [
          { type: 'reasoning.text', text: 'a' },
          { type: 'reasoning.text', text: 'b' },
        ],
      },
    ],
    [
      'an item that another one interrupted begins again',
      [details(thought(0, 'a'), thought(1, 'b'), thought(0, 'c'))],
      { field: 'reasoning_details', text: 'abc', items: [thought(0, 'a'), thought(1, 'b'), thought(0, 'c')] },
    ],
    [
      'what is no list of objects is nothing',
      [choiceChunk({ reasoning_details: 'x' }), details(null as never)],
      undefined,
    ],
  ])('%s', async (_, chunks, expected) => {
    const { end } = await ask(await serve(raw(sse(...chunks, text('Hi'), END))));
    expect('error' in end ? end : end.reasoning).toEqual(expected);
  });
});

const toolCalls = [{ id: 'call_a', name: 'read_file', arguments: '{}' }];
const result: ChatMessage = { role: 'tool', toolCallId: 'call_a', text: 'ok' };
const ITEMS = [
  thought(0, 'Hm', { signature: 'EqQB' }),
  { type: 'reasoning.encrypted', data: 'gAAAAA', id: 'rs_1', index: 1 },
];
const history = (reasoning?: NonNullable<Extract<ChatMessage, { role: 'assistant' }>['reasoning']>): ChatMessage[] => [
  { role: 'user', text: 'Do' },
  { role: 'assistant', text: '', toolCalls, ...(reasoning ? { reasoning } : {}) },
  result,
];

/** The assistant message and the settings of each request until one was answered, by a provider known by its address. */
async function sentTo(baseUrl: string, request: Partial<ModelRequest>, ...refusals: readonly string[]) {
  const server = await serve(...refusals.map((said) => refuse(400, says(said))), {
    kind: 'answer',
    text: 'Hi',
    usage: null,
  });
  const client = createEndpointClient({
    baseUrl,
    dialect: 'chat',
    key: async () => 'k',
    fetch: (_, init) => fetch(`${server.baseUrl}/chat/completions`, init),
  });
  const notices: string[] = [];
  for await (const event of client.stream({ ...REQUEST, ...request }, new AbortController().signal)) {
    if (event.type === 'done' && event.notice) notices.push(JSON.stringify(event.notice));
  }
  server.assertDone();
  const requests = server.requests.map(({ body }) => {
    const { role, content, tool_calls, ...thoughts } =
      (body.messages as Record<string, unknown>[]).find((message) => message.role === 'assistant') ?? {};
    const { reasoning, reasoning_effort } = body;
    return {
      ...thoughts,
      ...(reasoning ? { asked: reasoning } : {}),
      ...(reasoning_effort ? { asked: reasoning_effort } : {}),
    };
  });
  return { requests, notices };
}

const OPENROUTER = 'https://openrouter.ai/api/v1';
const DEEPSEEK = 'https://api.deepseek.com/v1';
const OPENAI = 'https://api.openai.com/v1';
const MISTRAL = 'https://api.mistral.ai/v1';
const LOCAL = 'http://127.0.0.1:8000/v1';

describe('reasoning goes back as the provider wants it', () => {
  const words = { field: 'reasoning_content', text: 'Hm' };
  const both = { field: 'reasoning', text: 'Hm', items: ITEMS };
  test.each<readonly [string, string, Parameters<typeof history>[0], object]>([
    ['OpenRouter: details, unchanged, and not the words beside them', OPENROUTER, both, { reasoning_details: ITEMS }],
    [
      'OpenRouter: the words where no details came',
      OPENROUTER,
      { field: 'reasoning', text: 'Hm' },
      { reasoning: 'Hm' },
    ],
    ['DeepSeek: the words that led to a call', DEEPSEEK, words, { reasoning_content: 'Hm' }],
    ['a server of one’s own: under the name it gave', LOCAL, { field: 'reasoning', text: 'Hm' }, { reasoning: 'Hm' }],
    ['OpenAI: nothing', OPENAI, words, {}],
    ['Mistral: nothing', MISTRAL, words, {}],
    [
      'items of the responses form are of no use here',
      LOCAL,
      { field: 'summary', text: 'Hm', items: [{ type: 'reasoning' }] },
      {},
    ],
  ])('%s', async (_, baseUrl, reasoning, expected) => {
    const { requests } = await sentTo(baseUrl, { messages: history(reasoning) });
    expect(requests).toEqual([expected]);
  });

  test('words alone go back with calls only, details with any answer', async () => {
    const last = (reasoning: object): ChatMessage[] => [
      { role: 'user', text: 'Do' },
      { role: 'assistant', text: 'So.', reasoning } as ChatMessage,
      { role: 'user', text: 'And?' },
    ];
    expect((await sentTo(DEEPSEEK, { messages: last(words) })).requests).toEqual([{}]);
    expect((await sentTo(OPENROUTER, { messages: last(both) })).requests).toEqual([{ reasoning_details: ITEMS }]);
  });

  test.each([
    'The reasoning_content in the thinking mode must be passed back to the API.',
    'Missing `reasoning_content` field in the assistant message at message index 2.',
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
  ])('a call that another model made gets a constant where it is asked for: %s', async (said) => {
    expect((await sentTo(DEEPSEEK, { messages: history() }, said)).requests).toEqual([
      {},
      { reasoning_content: '[empty]' },
    ]);
  });

  test.each<readonly [string, object]>([
    ["property 'reasoning_details' is unsupported", {}],
    ['messages.1.reasoning_details: Extra inputs are not permitted', {}],
  ])('details that are refused stay here: %s', async (said, expected) => {
    const { requests } = await sentTo(
      LOCAL,
      { messages: history({ field: 'reasoning_details', text: 'Hm', items: ITEMS }) },
      said,
    );
    expect(requests).toEqual([{ reasoning_details: ITEMS }, expected]);
  });
});

describe('an effort', () => {
  test.each<readonly [string, string, unknown]>([
    ['goes as reasoning_effort', LOCAL, 'high'],
    ['goes to OpenRouter as it wants it', OPENROUTER, { effort: 'high' }],
    ['goes to DeepSeek as reasoning_effort', DEEPSEEK, 'high'],
  ])('%s', async (_, baseUrl, asked) => {
    expect((await sentTo(baseUrl, { messages: history(), effort: 'high' })).requests).toEqual([{ asked }]);
    expect((await sentTo(baseUrl, { messages: history() })).requests).toEqual([{}]);
  });

  test.each<readonly [string, string]>([
    [LOCAL, "Unsupported value: 'reasoning_effort' does not support 'high' with this model."],
    [LOCAL, 'Unrecognized request argument supplied: reasoning_effort'],
    [LOCAL, '"llama3.2" does not support thinking'],
    [OPENROUTER, 'Unsupported parameter: reasoning'],
  ])('that %s refuses is left out, and that is said once: %s', async (baseUrl, refusal) => {
    const { requests, notices } = await sentTo(
      baseUrl,
      { messages: [{ role: 'user', text: 'Hi' }], effort: 'high' },
      refusal,
    );
    expect(requests.map(({ asked }) => asked !== undefined)).toEqual([true, false]);
    expect(notices).toEqual([expect.stringContaining('does not take the reasoning effort')]);
  });

  test.each([
    "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
    'This model is only supported in v1/responses and not in v1/chat/completions.',
  ])('is not silently dropped where another dialect takes it: %s', async (said) => {
    const server = await serve(refuse(400, says(said, { param: 'reasoning_effort' })));
    const { end } = await ask(server, { request: { effort: 'high' } });
    expect(end).toMatchObject({
      error: 'badRequest',
      message: expect.stringContaining('Set "dialect": "responses" for this endpoint'),
    });
  });
});
