/** Requests that endpoints used to refuse for ever, by the real client against servers with the vendors' rules. */

import { afterEach, describe, expect, test } from 'vitest';
import type { ChatMessage, ModelRequest } from '../../../src/core/model/modelClient.ts';
import { declareTool, type Tool } from '../../../src/core/tools/tool.ts';
import { BUILT_IN_TOOLS } from '../../../src/core/tools/toolList.ts';
import { sendableSchema } from '../../../src/providers/sendableSchema.ts';
import { imageRulesOf, tidyRequest } from '../../../src/providers/tidyRequest.ts';
import { findSchemaViolations } from '../../support/modelServer/toolSchemaRules.ts';
import { ask, closeServers, serve } from './answers/askServer.ts';

afterEach(closeServers);

const DIALECTS = ['chat', 'responses', 'messages'] as const;
const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** As servers and generators write them. */
const SCHEMAS: Readonly<Record<string, Record<string, unknown>>> = {
  'nothing at all': {},
  'no properties': { type: 'object' },
  'another type': { type: 'string' },
  'a list of types': { type: ['object', 'null'], properties: { a: text } },
  'anyOf at the top': object(
    {},
    { anyOf: [object({ id: text }, { required: ['id'] }), object({ name: text }, { required: ['name'] })] },
  ),
  'anyOf of needed fields': object({ id: text, name: text }, { anyOf: [{ required: ['id'] }, { required: ['name'] }] }),
  'oneOf without a type': {
    oneOf: [object({ kind: { const: 'a' }, n: { type: 'number' } }), object({ kind: { const: 'b' } })],
  },
  'allOf at the top': { allOf: [object({ a: text }, { required: ['a'] }), object({ b: text }, { required: ['b'] })] },
  'allOf with the same field': { allOf: [object({ a: text }), object({ a: { minLength: 2 } })] },
  'a reference at the top': { $ref: '#/$defs/in', $defs: { in: object({ a: text }, { required: ['a'] }) } },
  'a reference to definitions': { $ref: '#/definitions/in', definitions: { in: object({ a: text }) } },
  'not at the top': object({ a: text, b: text }, { not: { required: ['a', 'b'] } }),
  'an enum at the top': object({ a: text }, { enum: [{ a: 'x' }] }),
  'if and then': object({ a: text, b: text }, JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}')),
  'a draft’s address': { $schema: 'http://json-schema.org/draft-07/schema#', ...object({ a: text }) },
  'an exclusive minimum of draft 4': object({ n: { type: 'number', minimum: 0, exclusiveMinimum: true } }),
  'an exclusive maximum that is off': object({ n: { type: 'number', maximum: 9, exclusiveMaximum: false } }),
  'required as a flag': object({ a: { type: 'string', required: true }, b: { type: 'string', required: false } }),
  nullable: object({ a: { type: 'string', nullable: true } }),
  'types in a list': object({ a: { type: ['string', 'null'] } }),
  'a type of another language': object({ a: { type: 'int' }, b: { type: 'dict' }, c: { type: 'any' } }),
  'an array without items': object({ a: { type: 'array' } }),
  'a tuple of draft 7': object({ a: { type: 'array', items: [text, { type: 'number' }], additionalItems: false } }),
  'recursive definitions': object(
    { node: { $ref: '#/$defs/node' } },
    { $defs: { node: object({ next: { $ref: '#/$defs/node' } }) } },
  ),
  'a reference to itself': object({ child: { $ref: '#' } }),
  'a reference to nowhere': object({ a: { $ref: '#/$defs/gone' } }),
  'a reference to the web': object({ a: { $ref: 'https://example.com/a.json' } }),
  'a reference into a choice': { anyOf: [object({ a: text }), object({ b: { $ref: '#/anyOf/0/properties/a' } })] },
  'names of fields in other letters': object(
    { $filter: text, 'user name': text, 名前: text },
    { required: ['$filter', '名前'] },
  ),
  'a long name of a field': object({ ['x'.repeat(80)]: text }),
  'a default of null': object({ a: { type: 'string', default: null } }),
  'mixed values': object({ a: { type: 'string', enum: ['a', 1, null] } }),
  'an empty enum': object({ a: { type: 'string', enum: [] } }),
  'the same value twice': object({ a: { enum: ['a', 'a'] } }),
  'a needed field that is not declared': object({ a: text }, { required: ['b'] }),
  'needed twice': object({ a: text }, { required: ['a', 'a'] }),
  'a pattern of another language': object({
    a: { type: 'string', pattern: '(?P<x>a)' },
    b: { type: 'string', pattern: '[' },
  }),
  'texts where numbers belong': object({ a: { type: 'string', maxLength: '9', description: 5 } }),
  'a schema that is true': object({ a: true, b: false }),
  'properties in a list': { type: 'object', properties: [] },
  'needed as text': object({ a: text }, { required: 'a' }),
  'a broken character': object({ a: { type: 'string', description: 'half \ud83d' } }, { description: 'nul \0' }),
  'very deep': Array.from({ length: 25 }).reduce<Record<string, unknown>>((inner) => object({ in: inner }), text),
  'very large': object(
    Object.fromEntries(
      Array.from({ length: 900 }, (_, i) => [`f${i}`, object({ a: { ...text, description: 'x'.repeat(200) } })]),
    ),
  ),
};

const toolOf = (parameters: Record<string, unknown>) => ({
  name: 'mcp__any__tool',
  description: 'Does it.',
  parameters,
});

async function send(request: Partial<ModelRequest>, dialect: (typeof DIALECTS)[number]) {
  const server = await serve({ kind: 'answer', text: 'ok' });
  const { end } = await ask(server, { dialect, request });
  server.assertDone();
  expect(server.requests).toHaveLength(1);
  expect('error' in end ? end.message : end.text).toBe('ok');
  return server.requests[0]?.text ?? '';
}

describe('a tool of a server', () => {
  test('most of these schemas are refused as they are', () => {
    const refused = Object.values(SCHEMAS).filter((schema) => findSchemaViolations(schema).length > 0);
    expect([refused.length, Object.keys(SCHEMAS).length]).toEqual([30, 44]);
  });

  test.each(Object.keys(SCHEMAS))('%s', (name) => {
    const { parameters } = sendableSchema(SCHEMAS[name] ?? {});
    expect(findSchemaViolations(parameters)).toEqual([]);
    expect(JSON.stringify(parameters).length).toBeLessThan(250_000);
  });

  test.each(DIALECTS)('all of them in one request: %s', async (dialect) => {
    const tools = Object.values(SCHEMAS).map((each, index) => ({ ...toolOf(each), name: `mcp__any__tool${index}` }));
    await send({ tools }, dialect);
  });

  test('what the form cannot say is in the description', () => {
    const { parameters, note } = sendableSchema(SCHEMAS['anyOf at the top'] ?? {});
    expect(parameters).toEqual({ type: 'object', properties: { id: text, name: text } });
    expect(note).toBe('Give the fields of one of these sets: (id) or (name).');
  });

  test('a built-in tool stays letter for letter', () => {
    for (const tool of BUILT_IN_TOOLS as readonly Tool[]) {
      const { parameters } = declareTool(tool);
      expect(JSON.stringify(sendableSchema(parameters))).toBe(JSON.stringify({ parameters, note: '' }));
    }
  });

  test.each(DIALECTS)('a name that no provider takes is led back: %s', async (dialect) => {
    const name = 'files.read / now';
    const server = await serve({
      kind: 'answer',
      text: '',
      calls: [{ id: 'call_1', name: 'files_read___now', arguments: '{}' }],
    } as never);
    const { end } = await ask(server, { dialect, request: { tools: [{ ...toolOf({}), name }] } });
    expect('toolCalls' in end ? end.toolCalls.map((call) => call.name) : end).toEqual([name]);
  });
});

describe('broken characters', () => {
  const messages: readonly ChatMessage[] = [
    { role: 'system', text: 'You are a \ud83d test.' },
    { role: 'user', text: 'Write \udc00 and \0' },
    {
      role: 'assistant',
      text: 'Here \ud83d',
      toolCalls: [
        { id: 'call_1', name: 'read_file', arguments: '{"path":"a","content":"half \\ud83d","\\ud83d":["\\u0000"]}' },
      ],
    },
    { role: 'tool', toolCallId: 'call_1', text: 'nothing \udfff \0' },
    { role: 'user', text: 'Go on' },
  ];

  test.each(DIALECTS)('none leaves, also none that JSON spells: %s', async (dialect) => {
    const body = await send({ messages }, dialect);
    expect(body).not.toMatch(/\\u(?:d[89a-f]|0000)/i);
  });

  test('arguments in order stay letter for letter', () => {
    const given = '{ "path" : "a \\ud83d\\ude00" }';
    const request = {
      model: 'm',
      tools: [],
      messages: [{ role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'x', arguments: given }] }],
    } satisfies ModelRequest;
    const [sent] = tidyRequest(request, { name: 'any' }).request.messages;
    expect(sent).toEqual(request.messages[0]);
  });
});

describe('images', () => {
  /** The beginning of a PNG says its size. */
  const png = (side: number) => {
    const bytes = Buffer.alloc(33);
    bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
    bytes.writeUInt32BE(side, 16);
    bytes.writeUInt32BE(10, 20);
    return { type: 'image', mime: 'image/png', base64: bytes.toString('base64') } as const;
  };
  const sentOf = (parts: readonly ReturnType<typeof png>[], host: string, speaksMessages: boolean) => {
    const request: ModelRequest = { model: 'm', tools: [], messages: [{ role: 'user', text: 'See', parts }] };
    const tidy = tidyRequest(request, imageRulesOf(host, speaksMessages));
    const [message] = tidy.request.messages;
    const types = message && 'parts' in message ? (message.parts ?? []).map(({ type }) => type) : [];
    return { types, omitted: tidy.omitted };
  };

  test('many together are small for Anthropic; one alone may be large', () => {
    const few = sentOf([png(3_000)], 'api.anthropic.com', true);
    expect(few).toEqual({ types: ['image'], omitted: null });
    const many = sentOf([png(3_000), ...Array.from({ length: 20 }, () => png(100))], 'api.anthropic.com', true);
    expect(many.types.filter((type) => type === 'image')).toHaveLength(20);
    expect(many.types[0]).toBe('text');
    expect(many.omitted).not.toBeNull();
  });

  test('the newest are kept where a provider takes few', () => {
    const { types, omitted } = sentOf(
      Array.from({ length: 10 }, () => png(10)),
      'api.mistral.ai',
      false,
    );
    expect(types).toEqual(['text', 'text', ...Array.from({ length: 8 }, () => 'image')]);
    expect(omitted).not.toBeNull();
  });

  test('the type is that of the bytes', () => {
    const request: ModelRequest = {
      model: 'm',
      tools: [],
      messages: [{ role: 'user', text: 'See', parts: [{ ...png(10), mime: 'image/jpeg' }] }],
    };
    const [message] = tidyRequest(request, { name: 'any' }).request.messages;
    expect(message).toMatchObject({ parts: [{ mime: 'image/png' }] });
  });
});
