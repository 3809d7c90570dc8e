/** Refusals of what a message, a tool's schema or a call says: a field's name in them is only a word, and no field is given up. */

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
