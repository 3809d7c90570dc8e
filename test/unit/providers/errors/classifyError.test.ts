/** What an error says beside its kind: facts for the next try, and sentences for a person. */

import { describe, expect, test } from 'vitest';
import { classifyError } from '../../../../src/providers/errors/classifyError.ts';
import { classify, PLACE, says } from './classify.ts';

describe('facts', () => {
  test.each<readonly [string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['fraction of a second', { 'retry-after': '0.5' }, 500],
    ['HTTP date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    ['date in the past', { 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('Retry-After as %s', (_name, headers, expected) => {
    expect(classify(429, says('slow down'), headers).facts.retryAfterMs).toBe(expected);
  });
});

describe('the form of the history', () => {
  test.each([
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
    'messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.',
    'No tool output found for function call call_1.',
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
    'Please ensure that function response turn comes immediately after a function call turn.',
    'Function call is missing a thought_signature in functionCall parts.',
    'Missing `reasoning_content` field in the assistant message at message index 3.',
    'invalid params, invalid function arguments json string, tool_call_id: call_1',
    'Expected `thinking`, but found `text`: a final assistant message must start with thinking blocks in this mode.',
  ])('is what is refused: %s', (text) => {
    expect(classify(400, says(text))).toMatchObject({ kind: 'badRequest', facts: { malformedHistory: true } });
  });

  test.each([
    "Invalid schema for function 'read_file': 'path' is not of type 'object'.",
    'tools.0.function.name: String is too long: at most 64 characters',
    "Invalid 'tools': array too long. Expected an array with maximum length 128.",
    'This model does not support tools.',
    'invalid parameter: temperature must be >= 0',
  ])('is not: %s', (text) => {
    expect(classify(400, says(text)).facts.malformedHistory).toBeUndefined();
  });
});

describe('sentences', () => {
  test('overflow names model, numbers and what to do', () => {
    const body = says(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    );
    expect(classify(400, body).message).toBe(
      "The request (9,000 tokens) is longer than the context window of some-model, which is 8,192 tokens. Compact the conversation or choose a model with a larger window. It said: “This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.”",
    );
  });

  test.each([
    [{}, 'Wait, or'],
    [{ 'retry-after': '20' }, 'Wait 20 s, or'],
    [{ 'retry-after': '3600' }, 'Wait 60 min, or'],
  ])('a rate limit says how long to wait: %o', (headers, words) => {
    expect(classify(429, says('slow down'), headers).message).toContain(words);
  });

  test('a web page becomes its text, at most 300 characters', () => {
    const { message } = classify(
      502,
      `<html><head><title>x</title></head><body><h1>Bad</h1>${'gateway '.repeat(100)}</body></html>`,
    );
    expect(message).toContain('It said: “x Bad gateway gateway');
    expect(/“(.*)”$/.exec(message.slice(message.indexOf('It said')))?.[1]?.length).toBe(300);
  });

  test.each([
    'Incorrect API key provided: sk-proj-abcdefghijklmnop.',
    'Incorrect API key provided: sk-abcd****wxyz.',
    'token hunter2hunter2 is unknown',
    'Authorization: Bearer abc.def.ghi was refused',
    'key AIzaSyA1234567890abcdefg is blocked',
  ])('no key is repeated: %s', (text) => {
    const error = classifyError({ status: 401, body: text }, { ...PLACE, secret: 'hunter2hunter2' });
    expect(error.message).toContain('[key]');
    expect(error.message).not.toMatch(/abcd|hunter2|abc\.def|AIza/);
  });

  test('what reorders or hides text is spelled out', () => {
    expect(classify(400, says('safe\u202Eetadpu\u200B')).message).toContain('“safe⟨U+202E⟩etadpu⟨U+200B⟩”');
  });

  test('control characters do not reach the sentence', () => {
    expect(classify(400, says('bad\u001b[31m thing\u0000\r\nhere')).message).toContain('“bad [31m thing here”');
  });
});

describe('large refusals', { tags: ['long'] }, () => {
  const MUCH = 4 * 1024 * 1024;
  const repeat = (text: string) => text.repeat(MUCH / text.length);

  // Patterns or a search for an end that begin again at each place would take hours.
  test.each([
    ['the beginning of an overflow', repeat('passed 1000 input tokens ')],
    ['the beginning of a near-miss', `max_tokens${repeat(' ')}`],
    ['another near-miss', repeat('file ')],
    ['pages of unclosed scripts', `<html>${repeat('<script>')}`],
    ['pages of unclosed titles', `<html><head>${repeat('<title ')}</head>`],
    ['pages of unclosed tags', `<html>${repeat('<')}`],
    ['digits', repeat('9')],
    ['the beginning of a key', `sk-${repeat('a')}`],
  ])('are read once: %s', (_, text) => {
    expect(classify(undefined, text).kind).toBe('interrupted');
    expect(classify(undefined, says(text)).kind).toBe('interrupted');
  });

  test.each([
    ['before', `prompt is too long: 9000 tokens > 8192. ${repeat('You sent: ')}`],
    ['after', `${repeat('You sent: ')} prompt is too long: 9000 tokens > 8192`],
  ])('what was refused stands %s the request that is quoted', (_, text) => {
    const error = classify(400, says(text));
    expect(error).toMatchObject({ kind: 'overflow', facts: { learnedWindow: 8192 } });
    expect(error.message.length).toBeLessThan(800);
    expect(error.message).toMatch(/ … \(\d{7} characters\)”$/);
  });
});
