import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatMessage, ModelRequest } from '../../../src/core/model/modelClient.ts';
import { CHAT, encodeMessages, encodeRequest } from '../../../src/providers/chat/chatDialect.ts';
import type { ChatNarrowing } from '../../../src/providers/chat/chatNarrowing.ts';
import { parseEndpoint } from '../../../src/providers/endpoint.ts';
import { readRefusedFields } from '../../../src/providers/errors/refusedFields.ts';
import { tidyRequest } from '../../../src/providers/tidyRequest.ts';
import { findViolations } from '../../support/modelServer/modelServerRules.ts';

const dialect = (model = 'some-model', url = 'https://host.example/v1') => CHAT.begin(parseEndpoint(url), model);

const user = (text: string): ChatMessage => ({ role: 'user', text });
const calling = (id: string, args = '{}', text = ''): ChatMessage => ({
  role: 'assistant',
  text,
  toolCalls: [{ id, name: 'read_file', arguments: args }],
});
const result = (toolCallId: string, text = 'ok'): ChatMessage => ({ role: 'tool', toolCallId, text });

describe('encodeMessages', () => {
  const encodedCall = (id: string, args = '{}') => ({
    id,
    type: 'function',
    function: { name: 'read_file', arguments: args },
  });

  test('content is null beside calls without text', () => {
    expect(encodeMessages([user('Hi'), calling('a'), result('a')], dialect())).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [encodedCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
    ]);
  });

  test('ids over 40 characters are shortened, the same way each time and on both sides', () => {
    const id = 'toolu_'.repeat(10);
    const [, call, answer] = encodeMessages([user('Hi'), calling(id), result(id)], dialect());
    const sent = answer?.tool_call_id;
    expect(sent).toMatch(/^call_[0-9a-z]{13}$/);
    expect(call).toEqual({ role: 'assistant', content: null, tool_calls: [encodedCall(String(sent))] });
  });

  test('an id used twice in the conversation stays with its own result', () => {
    const encoded = encodeMessages(
      [user('Hi'), calling('call_0'), result('call_0'), calling('call_0'), result('call_0')],
      dialect(),
    );
    const ids = encoded.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
    expect(new Set(ids).size).toBe(2);
    expect(findViolations({ model: 'm', stream: true, messages: encoded })).toEqual([]);
  });

  test('Mistral gets nine alphanumerics and filler between results and users', () => {
    const encoded = encodeMessages(
      [user('Hi'), calling('call_1'), result('call_1'), user('More')],
      dialect('mistral-large'),
    );
    expect(encoded.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(encoded[2]?.tool_call_id).toMatch(/^[a-zA-Z0-9]{9}$/);
  });

  test('malformed arguments are wrapped, never guessed at', () => {
    expect(encodeMessages([user('Hi'), calling('a', '{"path":'), result('a')], dialect())[1]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [encodedCall('a', '{"malformed_arguments":"{\\"path\\":"}')],
    });
  });

  test('reasoning goes back under its own name, but not to those who refuse it', () => {
    const message: ChatMessage = {
      ...calling('a'),
      role: 'assistant',
      text: '',
      reasoning: { field: 'reasoning_content', text: 'Hm' },
    };
    expect(encodeMessages([user('Hi'), message], dialect('deepseek-chat'))[1]).toMatchObject({
      reasoning_content: 'Hm',
    });
    expect(encodeMessages([user('Hi'), message], dialect('gpt', 'https://api.openai.com/v1'))[1]).not.toHaveProperty(
      'reasoning_content',
    );
  });

  test('what came with a call goes back to Gemini, and to nobody else', () => {
    const extra = { google: { thought_signature: 'abc' } };
    const call = { id: 'a', name: 'read_file', arguments: '{}', extra };
    const messages: ChatMessage[] = [user('Hi'), { role: 'assistant', text: '', toolCalls: [call] }, result('a')];
    const sent = (model: string) => JSON.stringify(encodeMessages(messages, dialect(model))[1]);
    expect(sent('gemini-pro')).toContain('"extra_content":{"google":{"thought_signature":"abc"}}');
    expect(sent('some-model')).not.toContain('thought_signature');
  });

  test('images travel beside the text; half a surrogate pair does not travel', () => {
    const parts = [{ type: 'image', mime: 'image/png', base64: 'AAAA' }] as const;
    expect(encodeMessages([{ role: 'user', text: 'a\ud83d', parts }], dialect())).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a\ufffd' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  test('images of results follow in a message of their own, once every call of the answer has its result', () => {
    const image = (base64: string) => ({ type: 'image', mime: 'image/png', base64 }) as const;
    const calls: ChatMessage = {
      role: 'assistant',
      text: '',
      toolCalls: ['a', 'b'].map((id) => ({ id, name: 'read_file', arguments: '{}' })),
    };
    const messages: ChatMessage[] = [
      user('Look'),
      calls,
      { role: 'tool', toolCallId: 'a', text: 'a.png', parts: [{ type: 'text', text: '[a]' }, image('AAAA')] },
      { role: 'tool', toolCallId: 'b', text: 'b.png', parts: [image('BBBB')] },
    ];
    const shown = {
      role: 'user',
      content: [
        { type: 'text', text: '<tool-result>\nThe images of the results above:\n</tool-result>' },
        { type: 'text', text: '[a]' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,BBBB' } },
      ],
    };
    const sent = encodeMessages(messages, dialect());
    expect(sent.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'a.png' },
      { role: 'tool', tool_call_id: 'b', content: 'b.png' },
      shown,
    ]);
    // The epoch rule: what came before stays as it was.
    const later = encodeMessages([...messages, { role: 'assistant', text: 'Fine.' }, user('Go on')], dialect());
    expect(JSON.stringify(later.slice(0, sent.length))).toBe(JSON.stringify(sent));
    const strict = { ...dialect(), turns: 'alternate' } as ChatNarrowing;
    expect(encodeMessages(messages, strict).slice(-2)).toEqual([{ role: 'assistant', content: '[no answer]' }, shown]);
  });
});

describe('encodeRequest', () => {
  const request: ModelRequest = {
    model: 'some-model',
    messages: [user('Hi')],
    tools: [{ name: 'read_file', description: 'Read', parameters: { type: 'object' } }],
    maxOutputTokens: 100,
    temperature: 0,
  };

  test('everything', () => {
    expect(encodeRequest(request, dialect())).toEqual({
      model: 'some-model',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [
        { type: 'function', function: { name: 'read_file', description: 'Read', parameters: { type: 'object' } } },
      ],
      max_tokens: 100,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('the key of the session’s cache goes to those who take it, and the ban of tools only with tools', () => {
    const keyed: ModelRequest = { ...request, cacheKey: 'k', toolChoice: 'none' };
    expect(encodeRequest(keyed, dialect())).not.toHaveProperty('prompt_cache_key');
    expect(encodeRequest(keyed, dialect())).toMatchObject({ tool_choice: 'none' });
    for (const url of ['https://api.openai.com/v1', 'https://api.moonshot.cn/v1'])
      expect(encodeRequest(keyed, dialect('some-model', url))).toMatchObject({ prompt_cache_key: 'k' });
    expect(encodeRequest({ ...keyed, tools: [] }, dialect())).not.toHaveProperty('tool_choice');
    expect(encodeRequest(keyed, dialect('anthropic/claude'))).not.toHaveProperty('tool_choice');
  });

  test('nothing that is not asked for', () => {
    expect(encodeRequest({ model: 'm', messages: [user('Hi')], tools: [] }, dialect())).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });
});

describe('narrowing', () => {
  const openai = dialect('gpt', 'https://api.openai.com/v1');
  const claude = dialect('anthropic/claude', 'https://openrouter.ai/api/v1');
  test.each<readonly [string, ChatNarrowing, string, Partial<ChatNarrowing> | null]>([
    ['usage', dialect(), 'Extra inputs are not permitted: stream_options', { usageOption: false }],
    [
      'output limit',
      dialect(),
      "'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
      { outputLimit: 'max_completion_tokens', otherLimit: false },
    ],
    ['output limit refused altogether', openai, 'Unknown parameter: max_completion_tokens', { outputLimit: null }],
    [
      'temperature',
      dialect(),
      "Unsupported value: 'temperature' does not support 0 with this model.",
      { temperature: false },
    ],
    ['reasoning', dialect(), "property 'reasoning_content' is unsupported", { replayReasoning: false }],
    ['alternation', dialect(), 'Conversation roles must alternate user/assistant', { turns: 'alternate' }],
    ['null content', dialect(), 'messages.1.content: Input should be a valid string', { emptyContent: '' }],
    [
      'cache marks',
      claude,
      'messages.2.content.0.cache_control: Extra inputs are not permitted',
      { cacheMarkers: false },
    ],
    [
      'texts in lists',
      claude,
      'messages[3].content: invalid type: sequence, expected a string',
      { cacheMarkers: false },
    ],
    ['the key of the cache', openai, 'Unrecognized request argument supplied: prompt_cache_key', { cacheKey: false }],
    ['tool_choice', dialect(), "Unsupported parameter: 'tool_choice'", { toolChoice: false }],
    ['none as tool_choice', dialect(), "tool_choice must be one of 'auto', 'required'", { toolChoice: false }],
    ['something else', dialect(), 'Tool name is too long', null],
    ['a value out of range', dialect(), 'temperature must be between 0 and 1', { temperature: false }],
  ])('%s', (_name, from, refusal, change) => {
    expect(CHAT.narrow(from, refused(refusal), WHOLE)).toEqual(change && { ...from, ...change });
  });

  test('no refusal adapts the same thing twice', () => {
    const refusal = 'stream_options max_completion_tokens unsupported temperature roles must alternate reasoning';
    let current: ChatNarrowing | null = dialect();
    let steps = 0;
    while (current && steps < 20) {
      current = CHAT.narrow(current, refused(refusal), WHOLE);
      steps++;
    }
    expect(steps).toBeLessThan(10);
  });
});

/** With everything that can be refused. */
const WHOLE: ModelRequest = {
  model: 'some-model',
  messages: [],
  tools: [],
  maxOutputTokens: 1_000,
  temperature: 0,
  effort: 'high',
  toolChoice: 'none',
};
const refused = (text: string) => ({ text, fields: readRefusedFields(text) });

describe('properties', () => {
  /** Whatever 16-bit units: controls, half surrogate pairs, quotes. */
  const anything = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }).map((units) => {
    return String.fromCharCode(...units);
  });
  const id = fc.oneof(
    fc.constantFrom('call_0', 'call_1', '', 'functions.read_file:0', `call_${'a'.repeat(40)}`, 'ABCDEFGHI', ' '),
    fc.string({ maxLength: 60 }),
    anything,
  );
  const block = fc
    .record({
      text: fc.string(),
      ids: fc.uniqueArray(id, { minLength: 1, maxLength: 3 }),
      args: fc.constantFrom('{}', '{"a":1}', '{"a', ''),
      name: fc.oneof(fc.constantFrom('a tool!', '', 'x'.repeat(100)), anything),
      said: fc.constantFrom('ok', ''),
      /** An answer of words alone right before it, as when a turn goes on from a broken one. */
      before: fc.constantFrom('', 'Half an ans'),
    })
    .map(({ text, ids, args, name, said, before }): ChatMessage[] => [
      { role: 'assistant', text: before },
      { role: 'assistant', text, toolCalls: ids.map((callId) => ({ id: callId, name, arguments: args })) },
      ...ids.map((callId) => result(callId, said)),
    ]);
  const turn = fc
    .tuple(fc.constantFrom('Go', 'Go', ''), fc.array(block, { maxLength: 3 }), anything)
    .map(([asked, blocks, said]): ChatMessage[] => [
      // Compaction may take the question and leave the answer.
      ...(asked ? [user(asked)] : []),
      ...blocks.flat(),
      { role: 'assistant', text: said },
    ]);
  const history = fc
    .array(turn, { maxLength: 4 })
    .map((turns): ChatMessage[] => [{ role: 'system', text: 'System' }, ...turns.flat(), user('Now')]);

  const roles = (encoded: readonly object[]) => encoded.map((message) => ('role' in message ? message.role : null));
  const sentIds = (encoded: readonly object[]) =>
    encoded.flatMap((message) =>
      'tool_calls' in message ? (message.tool_calls as { readonly id: string }[]).map((call) => call.id) : [],
    );

  /** What each provider asks of ids and of turns, besides the common rules (RELIABILITY §3). */
  test.each<readonly [string, RegExp, RegExp]>([
    ['some-model', /^[!-~]{1,40}$/, /^(system )?((user|assistant|tool) )*user $/],
    ['claude-x', /^[a-zA-Z0-9_-]{1,64}$/, /^(system )?((user )+(assistant (tool )+)*(assistant )?)*user $/],
    ['gemini-x', /^[!-~]{1,40}$/, /^(system )?((user )+(assistant (tool )+)*(assistant )?)*user $/],
    ['mistral-small', /^[a-zA-Z0-9]{9}$/, /^(system )?(user (assistant (tool )+)*assistant )*user $/],
  ])('valid for %s whatever the history, with ids and turns as it wants them', (model, idForm, order) => {
    fc.assert(
      fc.property(history, (messages) => {
        const { request } = tidyRequest({ model, messages, tools: [] }, { name: 'any' });
        const encoded = encodeMessages(request.messages, dialect(model));
        expect(findViolations({ model, stream: true, messages: encoded })).toEqual([]);
        expect(sentIds(encoded).filter((sent) => !idForm.test(sent))).toEqual([]);
        expect(`${roles(encoded).join(' ')} `).toMatch(order);
      }),
      { numRuns: 300 },
    );
  });

  test.each(['some-model', 'mistral-small'])(
    'epoch rule for %s: a prefix in is a prefix out, byte for byte',
    (model) => {
      fc.assert(
        fc.property(history, fc.nat(), (messages, at) => {
          const prefix = messages.slice(0, at % (messages.length + 1));
          const whole = encodeMessages(messages, dialect(model)).map((message) => JSON.stringify(message));
          const part = encodeMessages(prefix, dialect(model)).map((message) => JSON.stringify(message));
          expect(whole.slice(0, part.length)).toEqual(part);
        }),
      );
    },
  );
});
