/**
 * Every optional field of a request, in all three dialects, refused in every form: the next request goes without it, or with
 * another value of it, and is answered. The fields are those that are really sent.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { isObject, type Json } from '../../../../src/core/json.ts';
import type { ChatMessage, ModelRequest } from '../../../../src/core/model/modelClient.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import type { EndpointDialect } from '../../../../src/providers/presets.ts';
import { ask, closeServers, serveWith } from '../answers/askServer.ts';
import { FORMS, type Path } from './forms.ts';

afterEach(closeServers);

/** Whatever a request cannot do without. */
const REQUIRED =
  /^(model|messages|input|tools|stream|role|content|type|text|image_url|url|function|name|description|parameters|input_schema|tool_calls|id|arguments|tool_call_id|call_id|output|system|source|media_type|data|tool_use_id)$/;
/** Nothing inside is the product's own. */
const OPAQUE = /^(parameters|input_schema|extra_content|reasoning_details|source|include)$/;

interface Sent {
  readonly path: Path;
  readonly shown: string;
}

function optionalFields(value: unknown, path: Path = []): Sent[] {
  if (Array.isArray(value)) return value.flatMap((each, at) => optionalFields(each, [...path, at]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, held]) => {
    const at = [...path, key];
    const own = REQUIRED.test(key) ? [] : [{ path: at, shown: JSON.stringify(held) }];
    return OPAQUE.test(key) || (key === 'input' && path.includes('content'))
      ? own
      : [...own, ...optionalFields(held, at)];
  });
}

const IMAGE = { type: 'image', mime: 'image/png', base64: 'aGk=' } as const;

function messagesWith(
  reasoning: Extract<ChatMessage, { role: 'assistant' }>['reasoning'],
  extra?: Json,
): ChatMessage[] {
  return [
    { role: 'system', text: 'You are a test.', cache: true },
    { role: 'user', text: 'Look', parts: [IMAGE] },
    {
      role: 'assistant',
      text: 'Looking.',
      toolCalls: [{ id: 'call_a', name: 'read_file', arguments: '{}', ...(extra ? { extra } : {}) }],
      ...(reasoning ? { reasoning } : {}),
    },
    { role: 'tool', toolCallId: 'call_a', text: 'Nothing there.', isError: true },
    { role: 'user', text: 'Again' },
  ];
}

const FULL = {
  tools: [{ name: 'read_file', description: 'Read', parameters: { type: 'object', properties: {} } }],
  maxOutputTokens: 2_048,
  temperature: 0,
  toolChoice: 'none',
  effort: 'high',
  cacheKey: 'abc',
} as const;

interface Kind {
  readonly name: string;
  readonly dialect: EndpointDialect;
  readonly baseUrl: string;
  readonly request: ModelRequest;
  readonly lifetimes?: { readonly start: '1h'; readonly rest: '1h' };
}

const SIGNED = [
  { type: 'thinking', signature: 'c2ln', length: 5 },
  { type: 'text', length: 8 },
  { type: 'tool_use', id: 'call_a' },
];
const ITEMS = [
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ZW5j' },
  { type: 'message', length: 8, phase: 'commentary' },
  { type: 'function_call', call_id: 'call_a' },
];

const KINDS: readonly Kind[] = [
  {
    name: 'chat at OpenAI',
    dialect: 'chat',
    baseUrl: 'https://api.openai.com/v1',
    request: { model: 'gpt-5', messages: messagesWith(undefined), ...FULL },
  },
  {
    name: 'chat at an unknown server',
    dialect: 'chat',
    baseUrl: 'https://models.example.com/v1',
    request: { model: 'some-model', messages: messagesWith({ field: 'reasoning_content', text: 'Hm.' }), ...FULL },
  },
  {
    name: 'chat with Claude at OpenRouter',
    dialect: 'chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    request: {
      model: 'anthropic/claude-sonnet-5',
      messages: messagesWith({ field: 'reasoning', text: 'Hm.', items: [{ type: 'reasoning.text', text: 'Hm.' }] }),
      ...FULL,
    },
  },
  {
    name: 'chat with Gemini',
    dialect: 'chat',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    request: {
      model: 'gemini-3-pro',
      messages: messagesWith(undefined, { google: { thought_signature: 'c2ln' } }),
      ...FULL,
    },
  },
  {
    name: 'responses',
    dialect: 'responses',
    baseUrl: 'https://api.openai.com/v1',
    request: { model: 'gpt-5', messages: messagesWith({ field: 'summary', text: '', items: ITEMS }), ...FULL },
  },
  {
    name: 'messages',
    dialect: 'messages',
    baseUrl: 'https://api.anthropic.com/v1',
    lifetimes: { start: '1h', rest: '1h' },
    request: {
      model: 'claude-sonnet-5',
      messages: messagesWith({ field: 'thinking', text: 'Hm…..', items: SIGNED }),
      ...FULL,
    },
  },
  {
    name: 'messages without thinking',
    dialect: 'messages',
    baseUrl: 'https://api.anthropic.com/v1',
    request: { ...({ model: 'claude-sonnet-5', messages: messagesWith(undefined), ...FULL } as const), effort: 'none' },
  },
];

/** All requests of one question, of which those are refused that hold what `refuses` finds. */
async function asked(kind: Kind, refuses: (body: Json) => ReturnType<(typeof FORMS)[string]> | null) {
  const server = await serveWith({
    checkRules: false,
    script: ({ body }) => {
      const refusal = refuses(body);
      return refusal ? { kind: 'error', ...refusal } : { kind: 'answer', text: 'Fine.' };
    },
  });
  const toServer: typeof fetch = (input, init) => {
    const { pathname } = new URL(String(input));
    return fetch(`${server.baseUrl}${pathname.replace(/^.*?(?=\/(chat|responses|messages))/, '')}`, init);
  };
  const { end } = await ask(
    { baseUrl: kind.baseUrl },
    {
      dialect: kind.dialect,
      request: kind.request,
      fetch: toServer,
      ...(kind.lifetimes ? { cacheLifetimes: kind.lifetimes } : {}),
    },
  );
  return { end, bodies: server.requests.map(({ body }) => body) };
}

const has = (body: Json, { path, shown }: Sent) => {
  const names = path.filter((part) => typeof part === 'string').join('.');
  return optionalFields(body).some(
    (each) => each.path.filter((part) => typeof part === 'string').join('.') === names && each.shown === shown,
  );
};

describe.each(KINDS)('$name', (kind) => {
  test('every optional field can be refused in every form', { timeout: 120_000 }, async () => {
    const whole = await asked(kind, () => null);
    expect(whole.bodies).toHaveLength(1);
    const fields = new Map(
      optionalFields(whole.bodies[0]).map((sent) => [
        sent.path.filter((part) => typeof part === 'string').join('.'),
        sent,
      ]),
    );
    expect(fields.size).toBeGreaterThan(2);
    const failures: string[] = [];
    for (const [name, sent] of fields) {
      for (const [form, refuse] of Object.entries(FORMS)) {
        const { end, bodies } = await asked(kind, (body) => (has(body, sent) ? refuse(sent.path) : null));
        // A bare name may be that of a field of the request and of one in its messages.
        if ('error' in end || bodies.length > 3)
          failures.push(`${name}, ${form}: ${bodies.length} requests, ${JSON.stringify(end).slice(0, 200)}`);
      }
    }
    expect(failures).toEqual([]);
  });
});

test('what was refused is left out from then on, and only for that model', async () => {
  const server = await serveWith({
    checkRules: false,
    script: ({ body }) =>
      body.model === 'first' && 'stream_options' in body
        ? {
            kind: 'error',
            ...(FORMS.Mistral as (path: Path) => ReturnType<(typeof FORMS)[string]>)(['stream_options']),
          }
        : { kind: 'answer', text: 'Fine.' },
  });
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
  for (const model of ['first', 'first', 'second'])
    for await (const _ of client.stream(
      { ...FULL, model, messages: messagesWith(undefined) },
      new AbortController().signal,
    ));
  expect(server.requests.map(({ body }) => [body.model, 'stream_options' in body])).toEqual([
    ['first', true],
    ['first', false],
    ['first', false],
    ['second', true],
  ]);
});
