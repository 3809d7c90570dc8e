/**
 * Refusals of what a message, a tool's schema or a call says, and faults of the server's own: a field's name in them is only
 * a word, and no field is given up.
 */

import { afterEach, expect, test } from 'vitest';
import type { EndpointDialect } from '../../../../src/providers/presets.ts';
import { ask, closeServers, serveWith } from '../answers/askServer.ts';

afterEach(closeServers);

const says = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } });

const REFUSALS: readonly (readonly [name: string, dialect: EndpointDialect, body: unknown])[] = [
  [
    'a policy, with the name of a field in the prompt',
    'chat',
    says('Your prompt was flagged under our usage policy: it mentions "temperature" and an invalid recipe.'),
  ],
  ['a filter of content', 'chat', says('Filtered by content management policy. Invalid temperature.')],
  [
    'the text of a message',
    'chat',
    says("Invalid 'messages[1].content': string contains invalid text 'temperature is not supported'"),
  ],
  [
    'a schema whose property has the name',
    'chat',
    says("Invalid schema for function 'thermostat': property 'temperature' has an unsupported type"),
  ],
  [
    'a schema, by its place',
    'chat',
    says("In context=('properties', 'temperature'), 'minimum' is not permitted.", {
      param: 'tools[0].function.parameters',
    }),
  ],
  [
    'a schema in Google’s form',
    'chat',
    says(
      'Invalid JSON payload received. Unknown name "temperature" at \'tools[0].function_declarations[0].parameters.properties[0].value\': Cannot find field.',
    ),
  ],
  [
    'arguments of a call',
    'chat',
    says('Failed to parse tool call arguments as JSON: unexpected token in {"temperature": }'),
  ],
  ['a tool named like a field', 'responses', says("Invalid schema for function 'store': got 'type: None'.")],
  ['a text', 'responses', says("Invalid 'input[1].content[0].text': the word include is not a valid text")],
];

test.each(REFUSALS)('%s', async (_name, dialect, body) => {
  const server = await serveWith({
    checkRules: false,
    script: ({ number }) =>
      number === 1 ? { kind: 'error', status: 400, body } : { kind: 'answer', text: 'Without a field.' },
  });
  await ask(server, { dialect, request: { temperature: 0, effort: 'high', maxOutputTokens: 2_048 } });
  // A tool whose schema is refused may be left out, and none of the other fields.
  const fields = server.requests.map(({ body }) => {
    const { messages: _, input: __, tools: ___, ...others } = body;
    return others;
  });
  expect(fields.length).toBeLessThanOrEqual(2);
  for (const each of fields) expect(each).toEqual(fields[0]);
});

/** pytorch/pytorch#16417; what llama.cpp's server says while it loads */
const OF_THE_SERVER: readonly (readonly [name: string, dialect: EndpointDialect, says: string])[] = [
  ['it has no memory', 'chat', 'CUDA out of memory. Cannot allocate 2 GiB; GPU 0 temperature 83C'],
  ['the same', 'messages', 'torch.OutOfMemoryError: invalid allocation, max_tokens 2048'],
  ['its device failed', 'responses', 'CUDA error: an illegal memory access was encountered, temperature: 90'],
  ['it loads the model', 'chat', 'Loading… max_tokens: 64000'],
  ['the same in words', 'responses', 'The model is still loading and cannot take reasoning.effort yet'],
  ['the same in Chinese', 'chat', '模型正在加载，temperature 不能使用'],
];

test.each(OF_THE_SERVER)('%s (%s)', async (_name, dialect, message) => {
  const server = await serveWith({
    checkRules: false,
    script: () => ({ kind: 'error', status: 400, body: says(message) }),
  });
  const { end } = await ask(server, {
    dialect,
    request: { temperature: 0, effort: 'high', maxOutputTokens: 2_048, toolChoice: 'none' },
  });
  expect(end).toMatchObject({ error: 'badRequest', message: expect.stringContaining(message) });
  expect(server.requests).toHaveLength(1);
});

/** vLLM: langchain4j/langchain4j#3475; llama.cpp: containers/ramalama#988 */
test.each([
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [500, 'tools param requires --jinja flag'],
])('a server that was started without tool calls (%i)', async (status, message) => {
  for (const dialect of ['chat', 'responses'] as const) {
    const server = await serveWith({
      checkRules: false,
      script: () => ({ kind: 'error', status, body: says(message) }),
    });
    const { end } = await ask(server, { dialect, request: { toolChoice: 'none' } });
    expect(end).toMatchObject({
      error: 'badRequest',
      message: expect.stringMatching(/“.*--(?:tool-call-parser|jinja).*” The server was started without tool calls/s),
    });
    expect(server.requests).toHaveLength(1);
  }
});

/** MartialBE/one-hub#529. Thinking is only the condition: to give it up would change what the person chose. */
test.each(['temperature', '`temperature`'])(
  '%s may only be 1 when thinking is enabled, and it is not sent',
  async (name) => {
    const body = says(`${name} may only be set to 1 when thinking is enabled or in adaptive mode.`);
    const server = await serveWith({ checkRules: false, script: () => ({ kind: 'error', status: 400, body }) });
    const request = { model: 'claude-sonnet-5', temperature: 0, effort: 'high' } as const;
    const { end } = await ask(server, { dialect: 'messages', request });
    expect(end).toMatchObject({ error: 'badRequest', message: expect.stringContaining('may only be set to 1') });
    expect(server.requests.map(({ body: sent }) => [sent.temperature, sent.thinking !== undefined])).toEqual([
      [undefined, true],
    ]);
  },
);

test('items of reasoning are refused, and none was sent', async () => {
  const body = says('items of type reasoning are not supported');
  const server = await serveWith({ checkRules: false, script: () => ({ kind: 'error', status: 400, body }) });
  await ask(server, { dialect: 'responses', request: { model: 'gpt-5', effort: 'high' } });
  expect(server.requests).toHaveLength(1);
});
