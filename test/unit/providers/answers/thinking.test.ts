/**
 * Thinking that a server leaves in the text of an answer, in every form that families of models use and in every dialect:
 * it arrives as thinking, however the text is cut into pieces, and what only mentions the marks stays an answer.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { findWrittenCalls } from '../../../../src/core/model/writtenCalls.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import type { EndpointDialect } from '../../../../src/providers/presets.ts';
import { choiceChunk, type Reply, sse } from '../../../support/modelServer/modelServerReply.ts';
import { closeServers, END, REQUEST, raw, serve } from './askServer.ts';

afterEach(closeServers);

/** What a streaming reader and the whole answer show. */
interface Read {
  readonly live: { readonly text: string; readonly thinking: string };
  readonly text: string;
  readonly thinking: string | undefined;
  readonly requests: number;
}

async function read(dialect: EndpointDialect, reply: Reply): Promise<Read> {
  const server = await serve(reply);
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => 'k', dialect });
  const live = { text: '', thinking: '' };
  for await (const event of client.stream(REQUEST, new AbortController().signal)) {
    if (event.type === 'text') live.text += event.delta;
    if (event.type === 'reasoning') live.thinking += event.delta;
    if (event.type === 'wasThinking') {
      live.thinking += live.text;
      live.text = '';
    }
    if (event.type === 'done')
      return { live, text: event.text, thinking: event.reasoning?.text, requests: server.requests.length };
  }
  throw new Error('The stream ended without an end');
}

const piecesOf = (text: string, length: number): string[] => text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [];

const whole = (text: string) => [text];
/** A whole body, because the server ignores `stream`. */
const body = (value: object): Reply => ({
  kind: 'raw',
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(value)],
});

const REPLIES: Readonly<Record<EndpointDialect, (pieces: readonly string[]) => Reply>> = {
  chat: (pieces) => raw(sse(...pieces.map((content) => choiceChunk({ content })), END, '[DONE]')),
  messages: (pieces) =>
    raw(
      [
        { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage: {} } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        ...pieces.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
        { type: 'message_stop' },
      ]
        .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(''),
    ),
  responses: (pieces) =>
    raw(
      sse(
        { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm' } },
        ...pieces.map((delta) => ({ type: 'response.output_text.delta', output_index: 0, item_id: 'm', delta })),
        { type: 'response.completed', response: { status: 'completed', output: [], usage: null } },
      ),
    ),
};

const DIALECTS = ['chat', 'messages', 'responses'] as const;

/** The marks as the reasoning parsers of vLLM (vllm/reasoning) and SGLang (srt/parser/reasoning_parser.py) name them. */
const FORMS: readonly (readonly [family: string, text: string, thinking: string, answer: string])[] = [
  ['Qwen, DeepSeek, GLM, MiniMax M2', '<think>\nA plan.\n</think>\n\nThe answer.', 'A plan.', 'The answer.'],
  ['MiniMax M3', '<mm:think>A plan.</mm:think>The answer.', 'A plan.', 'The answer.'],
  ['other names', '<thinking>A plan.</thinking>\nThe answer.', 'A plan.', 'The answer.'],
  ['Exaone', '<thought>A plan.</thought>The answer.', 'A plan.', 'The answer.'],
  ['in the words of others', '<reasoning>A plan.</reasoning>The answer.', 'A plan.', 'The answer.'],
  ['Seed-OSS', '<seed:think>A plan.</seed:think>The answer.', 'A plan.', 'The answer.'],
  ['Magistral', '[THINK]A plan.[/THINK]The answer.', 'A plan.', 'The answer.'],
  ['Kimi-VL', '◁think▷A plan.◁/think▷The answer.', 'A plan.', 'The answer.'],
  ['Gemma 4', '<|channel>thought\nA plan.<channel|>The answer.', 'A plan.', 'The answer.'],
  ['Apertus', '<|inner_prefix|>A plan.<|inner_suffix|>The answer.', 'A plan.', 'The answer.'],
  ['Pangu', '[unused16]A plan.[unused17]The answer.', 'A plan.', 'The answer.'],
  [
    'Command',
    '<|START_THINKING|>A plan.<|END_THINKING|><|START_RESPONSE|>The answer.<|END_RESPONSE|>',
    'A plan.',
    'The answer.',
  ],
  [
    'gpt-oss',
    '<|channel|>analysis<|message|>A plan.<|end|><|start|>assistant<|channel|>final<|message|>The answer.<|return|>',
    'A plan.',
    'The answer.',
  ],
  ['gpt-oss without its signs', 'analysisWe need a plan.assistantfinalThe answer.', 'We need a plan.', 'The answer.'],
  ['Granite', 'Here is my thought process: A plan. Here is my response: The answer.', 'A plan.', 'The answer.'],
  ['Hunyuan', '<think>\nA plan.\n</think>\n<answer>\nThe answer.\n</answer>', 'A plan.', 'The answer.'],
  ['DeepSeek R1, whose template began it', 'A plan.\nMore.\n</think>\n\nThe answer.', 'A plan.\nMore.', 'The answer.'],
  ['the same on one line', 'A plan.</think>The answer.', 'A plan.', 'The answer.'],
  ['twice', '<think>A plan.</think>\n\n<think>More.</think>\nThe answer.', 'A plan.\nMore.', 'The answer.'],
  ['with its end mentioned', '<think>I write </think> later.\n</think>\nDone.', 'I write </think> later.', 'Done.'],
  ['quoting code', '<think>Say `</think>` then.</think>Done.', 'Say `</think>` then.', 'Done.'],
  [
    'that opened a fence which the answer closes',
    '<think>I begin:\n```ts\na\n</think>\nSo:\n```ts\na\n```',
    'I begin:\n```ts\na',
    'So:\n```ts\na\n```',
  ],
  ['cut off', '<think>A plan, and', 'A plan, and', ''],
];

describe('thinking in the text is split off', { tags: ['P1'] }, () => {
  test.each(FORMS)('%s', async (_, text, thinking, answer) => {
    for (const dialect of DIALECTS) {
      for (const length of [1, 5, 1_000]) {
        const got = await read(dialect, REPLIES[dialect](piecesOf(text, length)));
        expect({ dialect, length, text: got.text, thinking: got.thinking, requests: got.requests }).toEqual({
          dialect,
          length,
          text: answer,
          thinking,
          requests: 1,
        });
        expect(`${dialect} ${length}: ${got.live.thinking}`).toContain(thinking.slice(0, 5));
        expect(got.live.text).not.toMatch(/plan|<\/?think/i);
      }
    }
  });

  test('in a whole body', async () => {
    const text = '<think>A plan.</think>The answer.';
    const got = [
      await read('chat', body({ choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }] })),
      await read(
        'messages',
        body({ type: 'message', role: 'assistant', content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
      ),
      await read(
        'responses',
        body({
          object: 'response',
          status: 'completed',
          output: [{ type: 'message', content: [{ type: 'output_text', text }] }],
        }),
      ),
    ];
    for (const { text: answer, thinking, requests } of got)
      expect({ answer, thinking, requests }).toEqual({ answer: 'The answer.', thinking: 'A plan.', requests: 1 });
  });
});

const ANSWERS: readonly (readonly [string, string])[] = [
  ['in a sentence', 'Models wrap it in <think> and </think> tags.\nThe rest follows.'],
  ['in a span', 'Strip `<think>` and `</think>` first.'],
  ['at the beginning, in a span', '`<think>` begins it, `</think>` ends it.'],
  ['in a block', 'An example:\n\n```xml\n<think>\nplan\n</think>\n```\n\nDone.'],
  ['in nothing but a block', '```\n<think>plan</think>\n```'],
  ['only the end, in a sentence', 'Everything before the </think> tag is thinking.'],
  ['only the beginning', 'The template writes <think> for it'],
  ['in quotation marks', 'It looks for "<think>" and for "</think>".'],
  ['other tags first', '<div>Hello</div>'],
  ['a comparison', 'a < b and b > c'],
  ['words that begin alike', 'Here is my plan: one.'],
];

describe('what mentions the marks is an answer', { tags: ['P1'] }, () => {
  test.each(ANSWERS)('%s', async (_, text) => {
    for (const dialect of DIALECTS) {
      for (const length of [1, 7, 1_000]) {
        const got = await read(dialect, REPLIES[dialect](piecesOf(text, length)));
        expect(got).toEqual({ live: { text, thinking: '' }, text, thinking: undefined, requests: 1 });
      }
    }
  });
});

describe('thinking in a field of its own', { tags: ['P1'] }, () => {
  test.each([
    ['reasoning_content', 'A plan.'],
    ['reasoning', 'A plan.'],
    ['reasoning_text', 'A plan.'],
    ['thinking', 'A plan.'],
    ['thought', 'A plan.'],
    ['thinking', [{ type: 'text', text: 'A plan.' }]],
    ['reasoning', { content: 'A plan.' }],
    ['reasoning_content', [{ type: 'thinking', thinking: 'A plan.' }]],
  ])('%s', async (field, value) => {
    const got = await read(
      'chat',
      raw(sse(choiceChunk({ [field]: value }), ...whole('Hi').map((content) => choiceChunk({ content })), END)),
    );
    expect(got).toMatchObject({ text: 'Hi', thinking: 'A plan.', live: { text: 'Hi', thinking: 'A plan.' } });
  });

  test('and in the text again: the text is clean, and the field is kept as it came', async () => {
    const chunks = [
      choiceChunk({ reasoning_content: 'A plan.' }),
      choiceChunk({ content: '<think>A plan.</think>Hi' }),
    ];
    expect(await read('chat', raw(sse(...chunks, END)))).toMatchObject({ text: 'Hi', thinking: 'A plan.' });
  });
});

describe('an answer made to be slow to read', { tags: ['P1'] }, () => {
  /** Work in proportion to the square of its length would take minutes. */
  test.each(['a </think> b\n', '\n</think>\n', '<think ', '<think a="', '\n', ' ', '\n<tool_call>', '</parameter>'])(
    'of %j',
    async (piece) => {
      const text = piece.repeat(200_000 / piece.length);
      const got = await read('chat', REPLIES.chat(piecesOf(text, 1_000)));
      expect(got.text.length + (got.thinking ?? '').length).toBeLessThanOrEqual(text.length);
      expect(findWrittenCalls(text, ['read_file'])?.calls ?? null).toBeNull();
    },
  );
});
