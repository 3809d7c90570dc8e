/**
 * The provider faults of RELIABILITY §2, each a scripted scenario: the real `openai` client talks to a real server, and
 * the outcome is compared whole: what was shown, how it ended, how often it was asked.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { ModelError, type ModelErrorKind } from '../../../src/core/errors.ts';
import type { ModelEvent, ModelRequest, Timers } from '../../../src/core/ports.ts';
import { createOpenAIClient } from '../../../src/providers/openai/openaiClient.ts';
import { type RetryNotice, withRetries } from '../../../src/providers/retry.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../support/modelServer/modelServer.ts';
import { choiceChunk, type Reply, sse } from '../../support/modelServer/modelServerReply.ts';
import { HandTimers } from '../../support/ports/handTimers.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(...script: readonly Reply[]): Promise<ModelServer> {
  return serveWith({ script });
}

async function serveWith(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  servers.push(server);
  return server;
}

const REQUEST: ModelRequest = {
  model: 'test-model',
  messages: [
    { role: 'system', text: 'You are a test.' },
    { role: 'user', text: 'Hello' },
  ],
  tools: [{ name: 'read_file', description: 'Read', parameters: { type: 'object', properties: {} } }],
};

type End =
  | Omit<Extract<ModelEvent, { type: 'done' }>, 'type'>
  | { readonly error: ModelErrorKind; readonly retryable: boolean; readonly message: string };

interface Outcome {
  /** Text that was streamed before the end. */
  readonly shown: string;
  readonly end: End;
  readonly retries: number;
}

interface AskOptions {
  readonly request?: Partial<ModelRequest>;
  readonly signal?: AbortSignal;
  readonly key?: string;
  readonly timers?: Timers;
  readonly onText?: () => void;
  readonly onRetry?: (notice: RetryNotice) => void;
  readonly now?: () => number;
  readonly fetch?: typeof fetch;
}

let minted = 0;

async function ask(server: ModelServer, options: AskOptions = {}): Promise<Outcome> {
  minted = 0;
  let shown = '';
  let retries = 0;
  const client = withRetries(
    createOpenAIClient({
      baseUrl: server.baseUrl,
      key: async () => options.key ?? 'test-key-123',
      timers: options.timers ?? systemTimers,
      mintId: () => `minted_${minted++}`,
      ...(options.now ? { now: options.now } : {}),
      ...(options.fetch ? { fetch: options.fetch } : {}),
    }),
    {
      policy: { attempts: 3, firstWaitMs: 1 },
      timers: options.timers ?? systemTimers,
      onRetry: (notice) => {
        retries++;
        options.onRetry?.(notice);
      },
    },
  );
  try {
    const signal = options.signal ?? new AbortController().signal;
    for await (const event of client.stream({ ...REQUEST, ...options.request }, signal)) {
      if (event.type === 'text') {
        shown += event.delta;
        options.onText?.();
      }
      if (event.type !== 'done') continue;
      const { type, ...end } = event;
      return { shown, end, retries };
    }
    throw new Error('The stream ended without an end');
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    const end = { error: thrown.kind, retryable: thrown.facts.retryable ?? false, message: thrown.message };
    return { shown, end, retries };
  }
}

const raw = (...pieces: (string | Uint8Array | number)[]): Reply => ({ kind: 'raw', pieces });
const text = (content: string, finish: string | null = null) => choiceChunk({ content }, finish);
const calls = (...tool_calls: object[]) => choiceChunk({ tool_calls });
const DONE = '[DONE]';
const END = choiceChunk({}, 'stop');
const CALLS_END = choiceChunk({}, 'tool_calls');
const refuse = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  kind: 'error',
  status,
  body,
  headers,
});
const says = (message: string, more: object = {}) => ({ error: { message, ...more } });

function answered(content: string, more: Partial<Extract<ModelEvent, { type: 'done' }>> = {}): Outcome {
  const end = { text: content, toolCalls: [], finish: 'stop' as const, usage: null, ...more };
  return { shown: content, end, retries: 0 };
}

function failed(
  error: ModelErrorKind,
  message: RegExp,
  more: Partial<Outcome> & { retryable?: boolean } = {},
): Outcome {
  const { retryable = false, ...rest } = more;
  return { shown: '', retries: 0, ...rest, end: { error, retryable, message: expect.stringMatching(message) } };
}

const readFile = (args: string, id = 'call_a') => ({ id, name: 'read_file', arguments: args });

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

  test('Ollama: a request that was cut without a word is noticed by its count', async () => {
    const usage = { prompt_tokens: 2048, completion_tokens: 1 };
    const server = await serve(raw(sse(text('Hi'), END, { choices: [], usage })));
    const messages: ModelRequest['messages'] = [{ role: 'user', text: 'some words in a row '.repeat(2_000) }];
    expect(await ask(server, { request: { messages } })).toEqual(
      answered('Hi', {
        usage: { input: 2048, cached: 0, output: 1, reasoning: 0 },
        notice: [{ text: expect.stringContaining('{1} tokens'), values: ['test-model', '2,048', expect.any(String)] }],
      }),
    );
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

describe('tool calls', () => {
  const piece = (index: number | undefined, id: string | undefined, name: string | undefined, args: string) => ({
    ...(index === undefined ? {} : { index }),
    ...(id === undefined ? {} : { id }),
    type: 'function',
    function: { ...(name === undefined ? {} : { name }), arguments: args },
  });
  const A = '{"path":"a"}';
  const B = '{"path":"b"}';
  const two = (first: string, second: string) => [readFile(A, first), readFile(B, second)];

  test.each<readonly [string, readonly object[], readonly object[]]>([
    [
      'arguments in pieces',
      [
        calls(piece(0, 'call_a', 'read_file', '')),
        calls(piece(0, undefined, undefined, '{"path"')),
        calls(piece(0, undefined, undefined, ':"a"}')),
      ],
      [readFile(A)],
    ],
    [
      'parallel calls interleaved',
      [
        calls(piece(0, 'call_a', 'read_file', ''), piece(1, 'call_b', 'read_file', '')),
        calls(piece(1, undefined, undefined, B)),
        calls(piece(0, undefined, undefined, A)),
      ],
      two('call_a', 'call_b'),
    ],
    [
      'no index at all',
      [calls(piece(undefined, 'call_a', 'read_file', A)), calls(piece(undefined, 'call_b', 'read_file', B))],
      two('call_a', 'call_b'),
    ],
    [
      'index 0 used again for another id',
      [calls(piece(0, 'call_a', 'read_file', A)), calls(piece(0, 'call_b', 'read_file', B))],
      two('call_a', 'call_b'),
    ],
    [
      'index 0 used again without ids',
      [calls(piece(0, undefined, 'read_file', A)), calls(piece(0, undefined, 'read_file', B))],
      two('minted_0', 'minted_1'),
    ],
    ['empty ids', [calls(piece(0, '', 'read_file', A), piece(1, '', 'read_file', B))], two('minted_0', 'minted_1')],
    [
      'the same id for two calls',
      [calls(piece(0, 'call_a', 'read_file', A), piece(1, 'call_a', 'read_file', B))],
      two('call_a', 'minted_0'),
    ],
    [
      'id and name repeated with every piece',
      [
        calls(piece(0, 'call_a', 'read_file', '{"path"')),
        calls(piece(0, 'call_a', 'read_file', ':"a"}')),
        calls(piece(0, 'call_a', 'read_file', '')),
      ],
      [readFile(A)],
    ],
    [
      'the whole call sent twice',
      [calls(piece(0, 'call_a', 'read_file', A)), calls(piece(0, 'call_a', 'read_file', A))],
      [readFile(A)],
    ],
    [
      'arguments as an object',
      [calls({ index: 0, id: 'call_a', function: { name: 'read_file', arguments: { path: 'a' } } })],
      [readFile(A)],
    ],
    [
      'what Gemini sends along is kept with the call',
      [calls({ ...piece(0, 'call_a', 'read_file', A), extra_content: { google: { thought_signature: 'abc' } } })],
      [{ ...readFile(A), extra: { google: { thought_signature: 'abc' } } }],
    ],
    ['no arguments', [calls(piece(0, 'call_a', 'read_file', ''))], [readFile('{}')]],
    [
      'malformed arguments are passed on as they are',
      [calls(piece(0, 'call_a', 'read_file', '{"path":'))],
      [readFile('{"path":')],
    ],
    [
      'a call without a name is named so that it is answered by an error',
      [calls(piece(0, 'call_a', undefined, A))],
      [{ id: 'call_a', name: 'unnamed_tool', arguments: A }],
    ],
    [
      'the older function_call',
      [choiceChunk({ function_call: { name: 'read_file', arguments: A } })],
      [readFile(A, 'minted_0')],
    ],
  ])('%s', async (_name, events, toolCalls) => {
    const server = await serve(raw(sse(...events, CALLS_END)));
    expect(await ask(server)).toEqual(
      answered('', { toolCalls: toolCalls as ReturnType<typeof readFile>[], finish: 'toolCalls' }),
    );
  });

  test('calls under the finish reason `stop` are calls all the same', async () => {
    const server = await serve(raw(sse(calls(piece(0, 'call_a', 'read_file', A)), END)));
    expect(await ask(server)).toEqual(answered('', { toolCalls: [readFile(A)], finish: 'toolCalls' }));
  });

  test('an id that the conversation already has is replaced', async () => {
    const server = await serve(raw(sse(calls(piece(0, 'call_a', 'read_file', B)), CALLS_END)));
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: '', toolCalls: [readFile(A)] },
      { role: 'tool', toolCallId: 'call_a', text: 'a' },
    ];
    const outcome = await ask(server, { request: { messages } });
    expect(outcome).toEqual(answered('', { toolCalls: [readFile(B, 'minted_0')], finish: 'toolCalls' }));
  });

  test.each(['content_filter', 'model_context_window_exceeded'])(
    '`%s` inside a call discards the call',
    async (finish) => {
      const server = await serve(raw(sse(calls(piece(0, 'call_a', 'read_file', A)), choiceChunk({}, finish))));
      expect(await ask(server)).toEqual(
        answered('', { finish: finish === 'content_filter' ? 'contentFilter' : 'overflow', discarded: ['read_file'] }),
      );
    },
  );

  test('a call under the index of one that is whole, without id or name, is no guess: it is malformed', async () => {
    const server = await serve(
      raw(sse(calls(piece(0, 'call_a', 'read_file', A)), calls(piece(0, undefined, undefined, B)), CALLS_END)),
    );
    expect(await ask(server)).toEqual(answered('', { toolCalls: [readFile(`${A}${B}`)], finish: 'toolCalls' }));
  });

  test('`length` inside a call discards the call and says so', async () => {
    const server = await serve(
      raw(sse(text('I read.'), calls(piece(0, 'call_a', 'read_file', '{"pa')), choiceChunk({}, 'length'))),
    );
    expect(await ask(server)).toEqual(answered('I read.', { finish: 'length', discarded: ['read_file'] }));
  });
});

describe('streams that fail', () => {
  test('cut before anything was shown: retried by itself', async () => {
    const server = await serve({ kind: 'raw', pieces: [], end: 'cut' }, raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 1 });
    server.assertDone();
  });

  test('cut in the middle of the text: interrupted, not retried', async () => {
    const server = await serve({ kind: 'raw', pieces: [sse(text('Half'))], end: 'cut' });
    expect(await ask(server)).toEqual(
      failed('interrupted', /^The answer of test-model was cut off/, { shown: 'Half', retryable: true }),
    );
    server.assertDone();
  });

  test('closed without a finish reason: interrupted, not retried', async () => {
    const server = await serve(raw(sse(text('Half'))));
    expect(await ask(server)).toEqual(
      failed('interrupted', /closed the stream before its end/, { shown: 'Half', retryable: true }),
    );
  });

  test('[DONE] without a finish reason: interrupted', async () => {
    const server = await serve(raw(sse(text('Half'), DONE)));
    expect(await ask(server)).toEqual(failed('interrupted', /was cut off/, { shown: 'Half', retryable: true }));
  });

  test('a call cut in the middle is never handed on', async () => {
    const half = calls({ index: 0, id: 'call_a', function: { name: 'read_file', arguments: '{"path":"a"}' } });
    const server = await serve(raw(sse(half)));
    expect(await ask(server)).toEqual(failed('interrupted', /was cut off/, { retryable: true }));
    server.assertDone();
  });

  test('200 and nothing: retried until the attempts are used up', async () => {
    const server = await serve(raw(), raw(), raw());
    expect(await ask(server)).toEqual(
      failed('interrupted', /answered 200 with nothing in it/, { retryable: true, retries: 2 }),
    );
    server.assertDone();
  });

  test('200 with HTML: no endpoint, no retry', async () => {
    const page = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome</body></html>';
    const server = await serve({ kind: 'raw', headers: { 'content-type': 'text/html' }, pieces: [page] });
    expect(await ask(server)).toEqual(failed('notFound', /a web page, not .*“Sign in Welcome”$/));
  });

  test('200 with a JSON error', async () => {
    const body = JSON.stringify(says('Incorrect API key provided', { code: 'invalid_api_key' }));
    const server = await serve({ kind: 'raw', headers: { 'content-type': 'application/json' }, pieces: [body] });
    expect(await ask(server)).toEqual(failed('auth', /API key is missing, wrong/));
  });

  test('LM Studio: 200 with an overflow as a string', async () => {
    const body = JSON.stringify({ error: 'tokens to keep from the initial prompt is greater than the context length' });
    const server = await serve(raw(body));
    expect(await ask(server)).toEqual(failed('overflow', /longer than the context window/));
  });

  test('an error object inside the stream', async () => {
    const server = await serve(raw(sse(says('The model crashed', { type: 'server_error' }))));
    server.push(raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 1 });
  });

  test('OpenRouter: an SSE error event with an overflow after 200', async () => {
    const error = says("This endpoint's maximum context length is 131072 tokens.", { code: 400 });
    const server = await serve(raw(`: OPENROUTER PROCESSING\n\nevent: error\n${sse(error)}`));
    expect(await ask(server)).toEqual(failed('overflow', /131,072 tokens/));
  });

  test('an SSE error event in plain words', async () => {
    const server = await serve(
      raw('event: error\ndata: Rate limit exceeded, per minute\n\n'),
      raw(sse(text('Hi'), END)),
    );
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 1 });
  });

  test('an error after text was shown is not retried', async () => {
    const server = await serve(raw(sse(text('Half'), says('Overloaded', { type: 'overloaded_error' }))));
    expect(await ask(server)).toEqual(
      failed('network', /unavailable or overloaded/, { shown: 'Half', retryable: true }),
    );
    server.assertDone();
  });

  test('finish reason `error`: shown, no blind retry', async () => {
    const server = await serve(raw(sse(text('Half'), choiceChunk({}, 'error'))));
    expect(await ask(server)).toEqual(failed('interrupted', /with the reason 'error'/, { shown: 'Half' }));
    server.assertDone();
  });

  test('broken JSON in an event', async () => {
    const server = await serve(raw(`${sse(text('Half'))}data: {"choices": [\n\n`));
    expect(await ask(server)).toEqual(
      failed('interrupted', /broke off the answer/, { shown: 'Half', retryable: true }),
    );
  });
});

describe('silence', () => {
  /** The server holds still, and each request's time to the first byte passes once the server has it. */
  test.each<readonly [string, Reply]>([
    ['no headers', { kind: 'silence' }],
    ['headers, then nothing', { kind: 'raw', pieces: [], end: 'hold' }],
  ])('no first byte: %s', async (_name, reply) => {
    const timers = new HandTimers();
    const server = await serveWith({
      script: () => {
        setImmediate(() => timers.elapse());
        return reply;
      },
    });
    const outcome = await ask(server, { timers, onRetry: () => setImmediate(() => timers.elapse()) });
    expect(outcome).toEqual(failed('network', /sent nothing for 120 s/, { retryable: true, retries: 2 }));
    expect(server.requests.length).toBe(3);
  });

  test('silence in the middle: interrupted, not retried', async () => {
    const timers = new HandTimers();
    const server = await serve({ kind: 'raw', pieces: [sse(text('Half'))], end: 'hold' });
    const outcome = await ask(server, { timers, onText: () => timers.elapse() });
    expect(outcome).toEqual(failed('interrupted', /fell silent for 90 s/, { shown: 'Half', retryable: true }));
    expect(server.requests.length).toBe(1);
  });

  test('an answer that ended leaves no timer behind', async () => {
    const timers = new HandTimers();
    const server = await serve(raw(sse(text('Hi'), END)));
    expect(await ask(server, { timers })).toEqual(answered('Hi'));
    expect(timers.pending).toEqual([]);
  });
});

describe('stop', () => {
  test('in the middle of the text', async () => {
    const stop = new AbortController();
    const server = await serve({ kind: 'raw', pieces: [sse(text('Half'))], end: 'hold' });
    const outcome = await ask(server, { signal: stop.signal, onText: () => stop.abort() });
    expect(outcome).toEqual(failed('aborted', /^Stopped/, { shown: 'Half' }));
  });

  test('before the first byte', async () => {
    const stop = new AbortController();
    const server = await serveWith({
      script: () => {
        stop.abort();
        return { kind: 'silence' };
      },
    });
    expect(await ask(server, { signal: stop.signal })).toEqual(failed('aborted', /^Stopped/));
  });

  test('before the request: nothing is sent', async () => {
    const server = await serve();
    expect(await ask(server, { signal: AbortSignal.abort() })).toEqual(failed('aborted', /^Stopped/));
    expect(server.requests).toEqual([]);
  });

  test('while a retry is waited for', async () => {
    const stop = new AbortController();
    const server = await serve(refuse(429, says('slow down'), { 'retry-after': '60' }));
    const outcome = await ask(server, { signal: stop.signal, onRetry: () => setImmediate(() => stop.abort()) });
    expect(outcome).toEqual(failed('aborted', /^Stopped while waiting/, { retries: 1 }));
    server.assertDone();
  });
});

describe('refusals', () => {
  test.each<readonly [string, Reply, Outcome]>([
    ['401', refuse(401, says('bad key')), failed('auth', /answered 401.*Set API Key/)],
    ['403', refuse(403, says('Forbidden')), failed('auth', /answered 403/)],
    [
      'Moonshot 403 is billing',
      refuse(403, says('x', { type: 'exceeded_current_quota_error' })),
      failed('billing', /credit/),
    ],
    ['402', refuse(402, says('Insufficient Balance')), failed('billing', /answered 402/)],
    ['429 insufficient_quota', refuse(429, says('x', { code: 'insufficient_quota' })), failed('billing', /credit/)],
    [
      '404 names model and URL',
      refuse(404, says('no')),
      failed('notFound', /v1\/chat\/completions answered 404\. There is no model 'test-model'/),
    ],
    ['413', refuse(413, ''), failed('overflow', /longer than the context window/)],
    ['400 without a word', refuse(400, ''), failed('overflow', /gave no reason/)],
    ['400 for something else', refuse(400, says('bad tool')), failed('badRequest', /It said: “bad tool”/)],
    ['FastAPI detail', refuse(422, { detail: [{ msg: 'field required' }] }), failed('badRequest', /field required/)],
    [
      'Gemini array',
      refuse(400, [says('The input token count (9) exceeds the maximum number of tokens allowed (8000).')]),
      failed('overflow', /8,000/),
    ],
  ])('%s is not retried', async (_name, reply, expected) => {
    const server = await serve(reply);
    expect(await ask(server)).toEqual(expected);
    server.assertDone();
  });

  test.each([408, 409, 429, 500, 502, 503, 529])('%i is retried', async (status) => {
    const server = await serve(refuse(status, says('later')), refuse(status, says('later')), raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 2 });
    server.assertDone();
  });

  const NOON = Date.UTC(2026, 0, 1, 12);
  test.each<readonly [string, Record<string, string>, number]>([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['a fraction of a second', { 'retry-after': '0.5' }, 500],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 12:00:09 GMT' }, 9_000],
    ['a date that is over', { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
    ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  ])('Retry-After in %s is waited for and shown', async (_name, headers, waitMs) => {
    const timers = new HandTimers();
    const waits: number[] = [];
    const server = await serve(refuse(429, says('slow down'), headers), raw(sse(text('Hi'), END)));
    const onRetry = (notice: RetryNotice) => {
      waits.push(notice.waitMs);
      if (notice.waitMs > 0) setImmediate(() => timers.elapse());
    };
    expect(await ask(server, { timers, onRetry, now: () => NOON })).toEqual({ ...answered('Hi'), retries: 1 });
    expect(waits).toEqual([waitMs]);
    server.assertDone();
  });

  test('a Retry-After of an hour is a person’s to wait for', async () => {
    const server = await serve(refuse(429, says('slow down'), { 'retry-after': '3600' }));
    expect(await ask(server)).toEqual(failed('rateLimit', /Wait 60 min/, { retryable: true }));
    server.assertDone();
  });

  test.each<readonly [string, Reply, Outcome]>([
    [
      'a web page from a proxy, status 403',
      refuse(
        403,
        '<html><head><title>Access</title><style>p{}</style></head><body><p>Denied by&nbsp;policy</p></body></html>',
      ),
      failed('auth', /answered 403\. .*It said: “Access Denied by policy”$/),
    ],
    ['a body that is no JSON', refuse(400, 'Bad <request>'), failed('badRequest', /It said: “Bad <request>”$/)],
    ['an error as a string', refuse(400, { error: 'no such tool' }), failed('badRequest', /It said: “no such tool”$/)],
    [
      'a gateway that wraps the true error',
      refuse(400, {
        error: { message: 'Provider returned error', metadata: { raw: '{"error":{"message":"tool schema is bad"}}' } },
      }),
      failed('badRequest', /It said: “tool schema is bad”$/),
    ],
    [
      'Groq: a request larger than the allowance a minute is no overflow, and waiting does not help',
      refuse(
        413,
        says('Request too large for model in organization on tokens per minute (TPM): Limit 6000, Requested 9000'),
      ),
      failed('rateLimit', /rate limit is reached/),
    ],
    [
      'Azure: a content filter as a refusal',
      refuse(
        400,
        says('The response was filtered due to the prompt triggering content management policy.', {
          code: 'content_filter',
        }),
      ),
      failed('badRequest', /content management policy/),
    ],
    ['405', refuse(405, 'Method Not Allowed'), failed('notFound', /answered 405/)],
  ])('%s', async (_name, reply, expected) => {
    const server = await serve(reply);
    expect(await ask(server)).toEqual(expected);
    server.assertDone();
  });

  test('a web page with 502 is retried, and its words are told at the end', async () => {
    const page = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';
    const server = await serve(refuse(502, page), refuse(502, page), refuse(502, page));
    expect(await ask(server)).toEqual(
      failed('network', /answered 502\. .*It said: “502 Bad Gateway nginx”$/, { retryable: true, retries: 2 }),
    );
    server.assertDone();
  });

  test('a refusal whose words never end is a refusal all the same', async () => {
    const timers = new HandTimers();
    const server = await serve({
      kind: 'raw',
      status: 401,
      headers: { 'content-type': 'text/plain' },
      pieces: ['bad key'],
      end: 'hold',
    });
    const thenSilence: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      setImmediate(() => timers.elapse());
      return response;
    };
    expect(await ask(server, { timers, fetch: thenSilence })).toEqual(failed('auth', /answered 401/));
    server.assertDone();
  });

  test('https where only http is spoken is named as a matter of the certificate or the address', async () => {
    const server = await serve();
    const secure = { ...server, baseUrl: server.baseUrl.replace('http:', 'https:') };
    expect(await ask(secure)).toEqual(failed('network', /^The certificate of 127\.0\.0\.1:\d+ is not trusted/));
    expect(server.requests).toEqual([]);
  });

  test('a dropped connection is retried', async () => {
    const server = await serve({ kind: 'drop' }, raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 1 });
  });

  test('a refused connection names the address', async () => {
    const server = await serve();
    await server.close();
    expect(await ask(server)).toEqual(
      failed('network', /^Nothing answers at 127\.0\.0\.1:\d+/, { retryable: true, retries: 2 }),
    );
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed, and the key goes nowhere else',
    async (status) => {
      const other = await serve(raw(sse(text('Hi'), END)));
      const server = await serve({ kind: 'error', status, headers: { location: `${other.baseUrl}/chat/completions` } });
      expect(await ask(server)).toEqual(failed('network', /redirects to another address/));
      expect(other.requests).toEqual([]);
      server.assertDone();
    },
  );

  test('stream_options refused: asked again without, once and for all', async () => {
    const server = await serve(refuse(400, says('Unknown parameter: stream_options')), raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual(answered('Hi'));
    expect(server.requests.map(({ body }) => body.stream_options)).toEqual([{ include_usage: true }, undefined]);
  });

  test('max_tokens refused: asked again with max_completion_tokens', async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const server = await serve(refuse(400, says(message)), raw(sse(text('Hi'), END)));
    expect(await ask(server, { request: { maxOutputTokens: 64 } })).toEqual(answered('Hi'));
    expect(server.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [64, undefined],
      [undefined, 64],
    ]);
  });

  test('a template that wants alternating roles gets them', async () => {
    const server = await serve(
      refuse(500, says('Jinja Exception: Conversation roles must alternate user/assistant')),
      raw(sse(text('Hi'), END)),
    );
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'One' },
      { role: 'user', text: 'Two' },
    ];
    expect(await ask(server, { request: { messages } })).toEqual(answered('Hi'));
    expect(server.requests.at(-1)?.body.messages).toEqual([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: '[no answer]' },
      { role: 'user', content: 'Two' },
    ]);
  });

  test('the server refuses a request over its window as an overflow with the window', async () => {
    const server = await serveWith({ script: [], window: 300 });
    const messages: ModelRequest['messages'] = [{ role: 'user', text: 'word '.repeat(1000) }];
    expect(await ask(server, { request: { messages } })).toEqual(
      failed('overflow', /context window of test-model, which is 300 tokens/),
    );
  });
});

describe('what leaves the machine', () => {
  test('the key, our headers, and nothing from the environment', async () => {
    const slipped = {
      OPENAI_BASE_URL: 'http://127.0.0.1:9/other',
      OPENAI_API_KEY: 'sk-from-environment',
      OPENAI_ADMIN_KEY: 'sk-admin-from-environment',
      OPENAI_ORG_ID: 'org-from-environment',
      OPENAI_PROJECT_ID: 'project-from-environment',
      OPENAI_CUSTOM_HEADERS: 'X-Slipped-In: yes',
      OPENAI_LOG: 'debug',
    };
    const before = { ...process.env };
    Object.assign(process.env, slipped);
    try {
      const server = await serveWith({ script: [raw(sse(text('Hi'), END))], key: 'the-right-key' });
      expect(await ask(server, { key: 'the-right-key' })).toEqual(answered('Hi'));
      const headers = server.requests[0]?.headers;
      expect(headers?.authorization).toBe('Bearer the-right-key');
      expect(JSON.stringify(headers)).not.toMatch(/environment|slipped/i);
    } finally {
      for (const name of Object.keys(slipped)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  test('without a key no authorization is sent', async () => {
    const server = await serve(raw(sse(text('Hi'), END)));
    const client = createOpenAIClient({ baseUrl: server.baseUrl, key: async () => undefined });
    for await (const event of client.stream(REQUEST, new AbortController().signal)) if (event.type === 'done') break;
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('a wrong key is never repeated in the sentence', async () => {
    const server = await serve(refuse(401, says('Incorrect API key provided: my-secret-key-1')));
    const { end } = await ask(server, { key: 'my-secret-key-1' });
    expect(JSON.stringify(end)).not.toContain('my-secret-key-1');
  });
});
