/** Streams that end well, in every form that servers give them. */

import { afterEach, describe, expect, test } from 'vitest';
import type { Timers } from '../../../../src/core/clock.ts';
import type { ModelRequest } from '../../../../src/core/model/modelClient.ts';
import { choiceChunk, type Reply, sse } from '../../../support/modelServer/modelServerReply.ts';
import { HandTimers, shortTimers } from '../../../support/ports/handTimers.ts';
import {
  answered,
  ask,
  CALLS_END,
  calls,
  closeServers,
  DONE,
  END,
  type Outcome,
  raw,
  readFile,
  serve,
  text,
} from './askServer.ts';

afterEach(closeServers);

describe('streams that end well', () => {
  test.each<readonly [string, readonly (object | string)[], Outcome]>([
    ['text in pieces', [text('Hel'), text('lo'), END, DONE], answered('Hello')],
    ['finish reason with the last text', [text('Hello', 'stop')], answered('Hello')],
    ['no [DONE] behind the finish reason', [text('Hello'), END], answered('Hello')],
    ['chunk with empty choices', [{ choices: [] }, text('Hello'), END, DONE], answered('Hello')],
    ['chunk without choices', [{ id: 'x' }, text('Hello'), END, DONE], answered('Hello')],
    ['empty answer with a finish reason', [END, DONE], answered('')],
    [
      'usage last, with empty choices',
      [text('Hi'), END, { choices: [], usage: { prompt_tokens: 50, completion_tokens: 2 } }, DONE],
      answered('Hi', { usage: { input: 50, cached: 0, output: 2, reasoning: 0 } }),
    ],
    [
      'what the request cost, as a gateway says it',
      [text('Hi'), END, { choices: [], usage: { prompt_tokens: 50, completion_tokens: 2, cost: 0.0125 } }, DONE],
      answered('Hi', {
        usage: { input: 50, cached: 0, output: 2, reasoning: 0 },
        cost: { amount: 0.0125, currency: 'USD' },
      }),
    ],
    [
      'usage inside a choice',
      [
        text('Hi'),
        {
          choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 9, completion_tokens: 1 } }],
        },
      ],
      answered('Hi', { usage: { input: 9, cached: 0, output: 1, reasoning: 0 } }),
    ],
    [
      'usage of zeros counts as missing',
      [text('Hi'), END, { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } }, DONE],
      answered('Hi'),
    ],
    [
      'reasoning_content is kept under its name',
      [choiceChunk({ reasoning_content: 'Hm' }), choiceChunk({ reasoning_content: 'm' }), text('Hi'), END],
      answered('Hi', { reasoning: { field: 'reasoning_content', text: 'Hmm' } }),
    ],
    [
      'reasoning is kept under its name',
      [choiceChunk({ reasoning: 'Hmm', content: '' }), text('Hi'), END],
      answered('Hi', { reasoning: { field: 'reasoning', text: 'Hmm' } }),
    ],
    [
      'reasoning_text is kept under its name',
      [choiceChunk({ reasoning_text: 'Hmm' }), text('Hi'), END],
      answered('Hi', { reasoning: { field: 'reasoning_text', text: 'Hmm' } }),
    ],
    [
      'content filter is shown, not retried',
      [text('Half'), choiceChunk({}, 'content_filter')],
      answered('Half', { finish: 'contentFilter' }),
    ],
    ['output limit', [text('Half'), choiceChunk({}, 'length')], answered('Half', { finish: 'length' })],
    [
      'z.ai: window exceeded as a finish reason',
      [text('Half'), choiceChunk({}, 'model_context_window_exceeded')],
      answered('Half', { finish: 'overflow' }),
    ],
    ['unknown finish reason', [text('Hi'), choiceChunk({}, 'because')], answered('Hi', { finish: 'other' })],
    ['content as a list of parts', [choiceChunk({ content: [{ type: 'text', text: 'Hi' }] }), END], answered('Hi')],
    ...[
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
      { type: 'thinking', thinking: 'Hm' },
      { type: 'reasoning', text: 'Hm' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] },
      { type: 'text', text: 'Hm', thought: true },
    ].map(
      (part, i) =>
        [
          `parts of the content that are thinking: ${i + 1}`,
          [choiceChunk({ content: [part] }), choiceChunk({ content: [{ type: 'text', text: 'Hi' }] }), END],
          answered('Hi', { reasoning: { field: 'content', text: 'Hm' } }),
        ] as const,
    ),
  ])('%s', async (_name, events, expected) => {
    const server = await serve(raw(sse(...events)));
    expect(await ask(server)).toEqual(expected);
    server.assertDone();
  });

  test.each<readonly [string, string, Record<string, unknown>]>([
    ['deepseek-reasoner', 'reasoning_content', { reasoning_content: 'Hm' }],
    ['qwen', 'reasoning', { reasoning: 'Hm' }],
    ['gpt-oss', 'reasoning_text', { reasoning_text: 'Hm' }],
  ])('%s gets its reasoning back as %s', async (model, field, expected) => {
    const server = await serve(raw(sse(text('Hi'), END)));
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: '', toolCalls: [readFile('{}')], reasoning: { field, text: 'Hm' } },
      { role: 'tool', toolCallId: 'call_a', text: 'a' },
    ];
    expect(await ask(server, { request: { model, messages } })).toEqual(answered('Hi'));
    expect(server.requests.flatMap(({ body }) => body.messages)).toContainEqual(expect.objectContaining(expected));
  });

  test('a refusal in its own field is the answer', async () => {
    const server = await serve(
      raw(sse(choiceChunk({ refusal: 'I cannot ' }), choiceChunk({ refusal: 'do that.' }), END)),
    );
    expect(await ask(server)).toEqual(answered('I cannot do that.'));
  });

  test('messages with nothing in them end at last, and what came is kept', async () => {
    const server = await serve(raw(sse(text('Hi')) + sse(choiceChunk({})).repeat(60_000) + sse(END)));
    const { shown, end, retries } = await ask(server);
    expect([shown, retries]).toEqual(['Hi', 0]);
    expect(end).toMatchObject({
      error: 'interrupted',
      retryable: false,
      message: expect.stringContaining('sent more than 50,000 messages with nothing in them'),
    });
  });

  test('a byte order mark before the first event is no part of it', async () => {
    const server = await serve(raw(`\uFEFF${sse(text('Hi'), END)}`));
    expect(await ask(server)).toEqual(answered('Hi'));
  });

  test('a comment and CRLF line ends are tolerated', async () => {
    const server = await serve(raw(`: keep-alive\r\n\r\n${sse(text('Hi'), END).replaceAll('\n', '\r\n')}`));
    expect(await ask(server)).toEqual(answered('Hi'));
  });

  test('a last event without a blank line is read', async () => {
    const server = await serve(raw(sse(text('Hi')), `data: ${JSON.stringify(END)}`));
    expect(await ask(server)).toEqual(answered('Hi'));
  });

  test('UTF-8 split in the middle of a character arrives whole', async () => {
    const bytes = new TextEncoder().encode(sse(text('naïve 漢字 🙂'), END));
    const server = await serve(raw(...[...bytes].map((byte) => Uint8Array.of(byte))));
    expect(await ask(server)).toEqual(answered('naïve 漢字 🙂'));
  });

  test('invalid UTF-8 becomes replacement characters, not a failure', async () => {
    const [before = '', after = ''] = sse(text('a#b'), END).split('#');
    const server = await serve(raw(before, Uint8Array.of(0xff, 0xc3), after));
    expect(await ask(server)).toEqual(answered('a��b'));
  });

  test('a server that ignores `stream` and answers whole is understood', async () => {
    const body = {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Whole' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 1 },
    };
    const server = await serve(raw(JSON.stringify(body)));
    expect(await ask(server)).toEqual(answered('Whole', { usage: { input: 5, cached: 0, output: 1, reasoning: 0 } }));
  });

  test.each(['chat', 'messages', 'responses'] as const)(
    '%s: a whole answer of any length is read, and asked for once',
    async (dialect) => {
      const content = 'word '.repeat(300_000);
      const bodies = {
        chat: { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] },
        messages: { type: 'message', content: [{ type: 'text', text: content }], stop_reason: 'end_turn' },
        responses: {
          object: 'response',
          status: 'completed',
          output: [{ type: 'message', id: 'm', content: [{ type: 'output_text', text: content }] }],
        },
      };
      const server = await serve(raw(JSON.stringify(bodies[dialect])));
      expect(await ask(server, { dialect })).toEqual(answered(content));
      expect(server.requests).toHaveLength(1);
    },
  );

  test('Ollama: a request that was cut without a word is noticed by its count', async () => {
    const usage = { prompt_tokens: 2048, completion_tokens: 1 };
    const reply = raw(sse(text('Hi'), END, { choices: [], usage }));
    // It says nothing of what it holds, and the prompt is not sent again.
    const server = await serve(reply);
    const messages: ModelRequest['messages'] = [{ role: 'user', text: 'some words in a row '.repeat(2_000) }];
    expect(await ask(server, { request: { messages } })).toEqual(
      answered('Hi', {
        usage: { input: 2048, cached: 0, output: 1, reasoning: 0 },
        cutTo: 2_048,
        notice: expect.arrayContaining([
          {
            text: expect.stringContaining('read only {1}'),
            values: [new URL(server.baseUrl).origin, '2,048', expect.any(String)],
          },
        ]),
      }),
    );
    expect(server.requests).toHaveLength(1);
    server.assertDone();
  });

  test('the finish reason says calls, but there are none', async () => {
    const server = await serve(raw(sse(text('Hi'), choiceChunk({}, 'tool_calls'))));
    expect(await ask(server)).toEqual(answered('Hi', { finish: 'other' }));
  });

  test('a connection that breaks behind the finish reason takes nothing away', async () => {
    const server = await serve({ kind: 'raw', pieces: [sse(text('Hi'), END)], end: 'cut' });
    expect(await ask(server)).toEqual(answered('Hi'));
  });
});

describe('an answer that is finished while the connection stays open', () => {
  const held = (...pieces: (string | number)[]): Reply => ({ kind: 'raw', pieces, end: 'hold' });
  const call = calls({ index: 0, id: 'call_a', function: { name: 'read_file', arguments: '{}' } });
  const usage = { choices: [], usage: { prompt_tokens: 50, completion_tokens: 2 } };
  const counted = { usage: { input: 50, cached: 0, output: 2, reasoning: 0 } };
  /** What a finished answer waits at most for its usage, and once that is there. */
  const [FOR_USAGE, FOR_THE_END] = [5_000, 500];

  test.each<readonly [string, readonly (object | string)[], Outcome]>([
    ['text', [text('Hi'), END], answered('Hi')],
    ['with [DONE]', [text('Hi'), END, DONE], answered('Hi')],
    [
      'calls, which are not lost',
      [call, CALLS_END],
      answered('', { toolCalls: [readFile('{}')], finish: 'toolCalls' }),
    ],
    ['the output limit', [text('Half'), choiceChunk({}, 'length')], answered('Half', { finish: 'length' })],
  ])('%s', async (_, events, expected) => {
    const server = await serve(held(sse(...events)));
    expect(await ask(server, { timers: shortTimers(FOR_USAGE) })).toEqual(expected);
  });

  test('comments that keep it open change nothing', async () => {
    const server = await serve(
      held(sse(text('Hi'), END), ...Array.from({ length: 50 }, () => [1, ': ping\n\n']).flat()),
    );
    expect(await ask(server, { timers: shortTimers(FOR_USAGE) })).toEqual(answered('Hi'));
  });

  test('the usage that comes behind the finish reason is waited for', async () => {
    const server = await serve(held(sse(text('Hi'), END), 20, sse(usage)));
    // Only the wait that begins with the usage is over.
    expect(await ask(server, { timers: shortTimers(FOR_THE_END) })).toEqual(answered('Hi', counted));
  });

  test('silence after it, by a limit that is shorter than the wait, took nothing away', async () => {
    const limits = { firstByteMs: 90, betweenBytesMs: 80 };
    let silence = () => {};
    const timers: Timers = {
      after(ms, callback) {
        if (ms === limits.betweenBytesMs) silence = callback;
        if (ms === FOR_USAGE) setImmediate(() => silence());
        return () => undefined;
      },
    };
    const server = await serve(held(sse(text('Hi'), END)));
    expect(await ask(server, { timers, limits })).toEqual(answered('Hi'));
  });

  test('a server that writes on after its finish reason is read to its end', async () => {
    const timers = new HandTimers();
    const server = await serve(
      raw(sse(text('Hel', 'stop'), text('lo', 'stop'), text(' you')), 20, sse(text('!'), END)),
    );
    let shown = 0;
    const outcome = await ask(server, {
      timers,
      onText: () => {
        if (++shown === 4) expect(timers.pending).not.toContain(FOR_USAGE);
      },
    });
    expect(outcome).toEqual(answered('Hello you!'));
    expect(timers.set).toContain(FOR_USAGE);
    expect(timers.pending).toEqual([]);
  });

  test('a finish reason that is written as “null” ends nothing', async () => {
    const timers = new HandTimers();
    const server = await serve(raw(sse(text('Hel', 'null'), text('lo', 'null'), END)));
    expect(await ask(server, { timers })).toEqual(answered('Hello'));
    expect(timers.set.filter((ms) => ms === FOR_USAGE)).toHaveLength(1);
  });
});
