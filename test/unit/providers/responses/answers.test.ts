/** Responses as servers stream them, by the real client against a real server: what was shown, and what is kept. */

import { afterEach, describe, expect, test } from 'vitest';
import type { Reply } from '../../../support/modelServer/modelServerReply.ts';
import { namedSse } from '../../../support/modelServer/responsesReply.ts';
import { HandTimers } from '../../../support/ports/handTimers.ts';
import {
  type AskOptions,
  answered,
  ask,
  closeServers,
  failed,
  type Outcome,
  raw,
  refuse,
  says,
  serve,
} from '../answers/askServer.ts';

afterEach(closeServers);

const put = (...events: readonly object[]) => raw(...events.map(namedSse));
const respond = async (events: readonly object[], options: AskOptions = {}): Promise<Outcome> =>
  ask(await serve(put(...events)), { dialect: 'responses', ...options });

const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item });
const finished = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item });
const piece = (delta: string, output_index = 0) => ({ type: 'response.output_text.delta', output_index, delta });
const message = (text: string, more: object = {}) => ({
  type: 'message',
  id: 'msg_1',
  content: [{ type: 'output_text', text }],
  ...more,
});
const callItem = (args: string, call_id = 'call_a') => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name: 'read_file',
  arguments: args,
});
const argsPiece = (delta: string, output_index = 0) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
});
const ends = (status: string, response: object = {}) => ({
  type: `response.${status}`,
  response: { status, ...response },
});
const COMPLETED = ends('completed');
/** Unknown fields and the order of the fields are the provider's own: all of it comes back as it came. */
const THOUGHT = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'I look.' }],
  encrypted_content: 'gAAAAAsecret',
  vendor: { kept: [1, null] },
};
const readFile = (args: string, id = 'call_a') => ({ id, name: 'read_file', arguments: args });
const calling = (...toolCalls: readonly object[]) => ({ toolCalls, finish: 'toolCalls' }) as never;

describe('answers that end well', () => {
  test.each<readonly [string, readonly object[], Outcome]>([
    ['text in pieces', [added(0, message('')), piece('Hel'), piece('lo'), COMPLETED], answered('Hello')],
    ['text in no pieces, only in the finished item', [finished(0, message('Hello')), COMPLETED], answered('Hello')],
    ['text only in the end', [ends('completed', { output: [message('Hello')] })], answered('Hello')],
    [
      'text in pieces and again whole',
      [piece('Hello'), finished(0, message('Hello')), ends('completed', { output: [message('Hello')] })],
      answered('Hello'),
    ],
    [
      'events without an index',
      [
        { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'Hello' },
        { type: 'response.output_item.done', item: message('Hello') },
        COMPLETED,
      ],
      answered('Hello'),
    ],
    [
      'unknown events',
      [{ type: 'response.new_thing', x: 1 }, { type: 'ping' }, piece('Hi'), COMPLETED],
      answered('Hi'),
    ],
    [
      'a refusal is what the model says',
      [{ type: 'response.refusal.delta', output_index: 0, delta: 'I may not.' }, COMPLETED],
      answered('I may not.'),
    ],
    [
      'a refusal only in the finished item',
      [finished(0, { type: 'message', content: [{ type: 'refusal', refusal: 'I may not.' }] }), COMPLETED],
      answered('I may not.'),
    ],
    [
      'thinking in a part of the message',
      [
        finished(0, {
          type: 'message',
          content: [
            { type: 'reasoning_text', text: 'Hm' },
            { type: 'output_text', text: 'Hello' },
          ],
        }),
        COMPLETED,
      ],
      answered('Hello', { reasoning: { field: 'summary', text: 'Hm' } }),
    ],
    [
      'a call in pieces',
      [
        added(0, callItem('')),
        argsPiece('{"path":'),
        argsPiece('"a"}'),
        finished(0, callItem('{"path":"a"}')),
        COMPLETED,
      ],
      answered('', calling(readFile('{"path":"a"}'))),
    ],
    [
      'a call in no pieces',
      [finished(0, callItem('{"path":"a"}')), COMPLETED],
      answered('', calling(readFile('{"path":"a"}'))),
    ],
    [
      'two calls whose pieces mix',
      [
        added(0, callItem('', 'one')),
        added(1, callItem('', 'two')),
        argsPiece('{"a":', 0),
        argsPiece('{"b":2}', 1),
        argsPiece('1}', 0),
        COMPLETED,
      ],
      answered('', calling(readFile('{"a":1}', 'one'), readFile('{"b":2}', 'two'))),
    ],
    [
      'two calls with one id: the second gets another',
      [finished(0, callItem('{"a":1}')), finished(1, callItem('{"b":2}')), COMPLETED],
      answered('', calling(readFile('{"a":1}'), readFile('{"b":2}', 'minted_0'))),
    ],
    [
      'usage, with what was cached and thought',
      [
        piece('Hi'),
        ends('completed', {
          usage: {
            input_tokens: 90,
            input_tokens_details: { cached_tokens: 64 },
            output_tokens: 30,
            output_tokens_details: { reasoning_tokens: 20 },
          },
        }),
      ],
      answered('Hi', { usage: { input: 90, cached: 64, output: 30, reasoning: 20 } }),
    ],
    [
      'the output limit',
      [piece('Half'), ends('incomplete', { incomplete_details: { reason: 'max_output_tokens' } })],
      answered('Half', { finish: 'length' }),
    ],
    [
      'a content filter',
      [piece('Half'), ends('incomplete', { incomplete_details: { reason: 'content_filter' } })],
      answered('Half', { finish: 'contentFilter' }),
    ],
    ['incomplete for no known reason', [piece('Half'), ends('incomplete')], answered('Half', { finish: 'other' })],
    [
      'the output limit inside a call: the call is discarded',
      [
        finished(0, THOUGHT),
        added(1, callItem('')),
        argsPiece('{"path":', 1),
        ends('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
      ],
      answered('', {
        finish: 'length',
        discarded: ['read_file'],
        reasoning: {
          field: 'summary',
          text: 'I look.',
          items: [THOUGHT, { type: 'function_call', call_id: 'call_a' }],
        },
      }),
    ],
  ])('%s', async (_, events, expected) => {
    expect(await respond(events)).toEqual(expected);
  });

  test('a server that ignores stream answers whole', async () => {
    const whole = { object: 'response', status: 'completed', output: [message('Hello')] };
    const server = await serve({
      kind: 'raw',
      pieces: [JSON.stringify(whole)],
      headers: { 'content-type': 'application/json' },
    });
    expect(await ask(server, { dialect: 'responses' })).toEqual(answered('Hello'));
  });
});

describe('reasoning', () => {
  const told = (delta: string, summary_index = 0) => ({
    type: 'response.reasoning_summary_text.delta',
    output_index: 0,
    summary_index,
    delta,
  });

  test('is kept unread and whole from the finished item, with marks of what stood between', async () => {
    const second = { ...THOUGHT, id: 'rs_2', encrypted_content: 'gAAAAAother' };
    const outcome = await respond([
      added(0, { ...THOUGHT, encrypted_content: 'gAAAAAhalf' }),
      told('I look.'),
      finished(0, THOUGHT),
      piece('Reading.', 1),
      finished(1, message('Reading.', { phase: 'commentary' })),
      finished(2, second),
      finished(3, callItem('{}')),
      COMPLETED,
    ]);
    expect(outcome.end).toEqual({
      text: 'Reading.',
      toolCalls: [readFile('{}')],
      finish: 'toolCalls',
      usage: null,
      reasoning: {
        field: 'summary',
        text: 'I look.',
        items: [
          THOUGHT,
          { type: 'message', length: 8, phase: 'commentary' },
          second,
          { type: 'function_call', call_id: 'call_a' },
        ],
      },
    });
  });

  test('parts of a summary are paragraphs', async () => {
    const part = (summary_index: number) => ({
      type: 'response.reasoning_summary_part.added',
      output_index: 0,
      summary_index,
    });
    const { end } = await respond([part(0), told('One'), part(1), told('Two', 1), piece('Hi', 1), COMPLETED]);
    expect(end).toMatchObject({ reasoning: { field: 'summary', text: 'One\n\nTwo' } });
  });

  test('that holds nothing to give back is only shown', async () => {
    const { encrypted_content, ...open } = THOUGHT;
    const { end } = await respond([finished(0, open), finished(1, callItem('{}')), COMPLETED]);
    expect(end).toMatchObject({ reasoning: { field: 'summary', text: 'I look.' } });
    expect(end).not.toHaveProperty('reasoning.items');
  });
});

describe('answers that do not end well', () => {
  test.each<readonly [string, readonly object[], Outcome]>([
    [
      'a stream that closes after some text',
      [piece('Half')],
      failed('interrupted', /was cut off/, { shown: 'Half', retryable: true }),
    ],
    [
      'a stream that closes inside a call',
      [added(0, callItem('')), argsPiece('{"path"')],
      failed('interrupted', /was cut off/, { retryable: true }),
    ],
    [
      'a response that failed says why',
      [piece('Half'), ends('failed', { error: { code: 'server_error', message: 'Our fault.' } })],
      failed('interrupted', /Our fault\./, { shown: 'Half', retryable: true }),
    ],
    [
      'a rate limit inside the stream',
      [
        ends('failed', {
          error: { code: 'rate_limit_exceeded', message: 'Rate limit reached for gpt-5 on tokens per min.' },
        }),
      ],
      failed('rateLimit', /Rate limit reached/, { retryable: true, retries: 2 }),
    ],
    [
      'an overflow inside the stream',
      [
        ends('failed', {
          error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' },
        }),
      ],
      failed('overflow', /context window/),
    ],
    [
      'cancelled by the server',
      [piece('Half'), ends('cancelled')],
      failed('interrupted', /cancelled/, { shown: 'Half' }),
    ],
    [
      'an error event',
      [piece('Half'), { type: 'error', code: 'server_error', message: 'It broke.', param: null }],
      failed('interrupted', /It broke\./, { shown: 'Half', retryable: true }),
    ],
    [
      'an error event with an error inside',
      [piece('Half'), { type: 'error', error: { type: 'server_error', message: 'It broke.' } }],
      failed('interrupted', /It broke\./, { shown: 'Half', retryable: true }),
    ],
  ])('%s', async (_, events, expected) => {
    const server = await serve(put(...events), put(...events), put(...events));
    expect(await ask(server, { dialect: 'responses' })).toEqual(expected);
  });

  test.each<readonly [string, Reply, Outcome]>([
    ['nothing at all', raw(''), failed('interrupted', /but sent nothing/, { retryable: true, retries: 2 })],
    ['a web page', raw('<html><title>Login</title></html>'), failed('notFound', /web page.*Login/)],
    ['an error with status 200', raw(JSON.stringify(says('No such thing'))), failed('interrupted', /No such thing/)],
    [
      'no JSON',
      raw('event: response.created\ndata: overloaded, come back\n\n'),
      failed('network', /overloaded, come back/, { retryable: true, retries: 2 }),
    ],
    ['401', refuse(401, says('Incorrect API key provided')), failed('auth', /Check it, and set it again/)],
    ['404 for the address', refuse(404, says('Unknown request URL')), failed('notFound', /responses answered 404/)],
  ])('%s', async (_, reply, expected) => {
    const server = await serve(reply, reply, reply);
    expect(await ask(server, { dialect: 'responses' })).toEqual(expected);
  });

  test('silence in the middle is told, and what came is kept', async () => {
    const timers = new HandTimers();
    const server = await serve({ kind: 'raw', pieces: [namedSse(piece('Half'))], end: 'hold' });
    const outcome = await ask(server, {
      dialect: 'responses',
      timers,
      onText: () => setImmediate(() => timers.elapse()),
    });
    expect(outcome).toEqual(failed('interrupted', /sent nothing for 90 s/, { shown: 'Half', retryable: true }));
  });

  test('a person stops it', async () => {
    const stop = new AbortController();
    const server = await serve({ kind: 'raw', pieces: [namedSse(piece('Half'))], end: 'hold' });
    const outcome = await ask(server, { dialect: 'responses', signal: stop.signal, onText: () => stop.abort() });
    expect(outcome).toEqual(failed('aborted', /Stopped/, { shown: 'Half' }));
  });

  test('the key goes to the server, and nothing of the environment', async () => {
    process.env.OPENAI_ORG_ID = 'org-of-somebody';
    const server = await serve(put(piece('Hi'), COMPLETED));
    try {
      await ask(server, { dialect: 'responses', key: 'sk-mine' });
    } finally {
      delete process.env.OPENAI_ORG_ID;
    }
    const headers = server.requests[0]?.headers ?? {};
    expect(headers.authorization).toBe('Bearer sk-mine');
    expect(Object.keys(headers).sort()).toEqual(
      expect.not.arrayContaining(['openai-organization', 'x-stainless-lang']),
    );
  });
});
