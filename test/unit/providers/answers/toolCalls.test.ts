/** Calls of tools as servers stream them, whole and broken. */

import { afterEach, describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../../src/core/model/modelClient.ts';
import { choiceChunk, sse } from '../../../support/modelServer/modelServerReply.ts';
import { answered, ask, CALLS_END, calls, closeServers, END, raw, readFile, serve, text } from './askServer.ts';

afterEach(closeServers);

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
