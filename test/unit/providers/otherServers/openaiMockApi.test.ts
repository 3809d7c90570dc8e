/**
 * The real client against openai-mock-api, a mock server of another project. It has ways of its own: it says `text/plain`,
 * sends whole calls without an index, ends them with `stop`, counts nothing in a stream and takes its time over each word.
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ask, failed } from '../answers/askServer.ts';
import { type OpenaiMockApi, startOpenaiMockApi } from './startOpenaiMockApi.ts';

const call = (id: string, path: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'read_file', arguments: JSON.stringify({ path }) },
});

let server: OpenaiMockApi;
beforeEach(async () => {
  server = await startOpenaiMockApi(
    { asked: 'Hello', answer: { content: 'Hello from yet another server.' } },
    {
      asked: 'Read both',
      answer: { content: 'Reading.', tool_calls: [call('call_1', 'a.md'), call('call_2', 'b.md')] },
    },
    { asked: 'Talk', answer: { content: 'Word after word '.repeat(200) } },
  );
});
afterEach(() => server.stop());

const say = (text: string) => ({ messages: [{ role: 'user' as const, text }] });
const KEY = 'test-key-123';

describe('an answer', () => {
  test('comes word by word, without usage', async () => {
    expect(await ask(server, { request: say('Hello'), key: KEY })).toEqual({
      shown: 'Hello from yet another server.',
      retries: 0,
      end: { text: 'Hello from yet another server.', toolCalls: [], finish: 'stop', usage: null },
    });
  });

  test('with two calls ends as one with calls, although the server says stop', async () => {
    expect((await ask(server, { request: say('Read both'), key: KEY })).end).toEqual({
      text: 'Reading.',
      toolCalls: [
        { id: 'call_1', name: 'read_file', arguments: '{"path":"a.md"}' },
        { id: 'call_2', name: 'read_file', arguments: '{"path":"b.md"}' },
      ],
      finish: 'toolCalls',
      usage: null,
    });
  });

  test('that is cut keeps its beginning and is not asked for again', async () => {
    const { shown, retries, end } = await ask(server, {
      request: say('Talk'),
      key: KEY,
      onText: () => server.cut(),
    });
    expect(shown).toMatch(/^Word /);
    expect({ retries, end }).toMatchObject({ retries: 0, end: { error: 'interrupted', retryable: true } });
  });

  test('that is stopped ends at once', async () => {
    const stopped = new AbortController();
    const { end } = await ask(server, {
      request: say('Talk'),
      key: KEY,
      signal: stopped.signal,
      onText: () => stopped.abort(),
    });
    expect(end).toMatchObject({ error: 'aborted' });
  });
});

describe('a refusal', () => {
  test('of a wrong key says what to do', async () => {
    const asked = ask(server, { request: say('Hello'), key: 'wrong-key' });
    expect(await asked).toEqual(failed('auth', /answered 401\..*set it again.*Invalid API key provided/));
  });

  test('of what nobody wrote an answer for is told in its own words, and is no overflow', async () => {
    const asked = ask(server, { request: say('Something else'), key: KEY });
    expect(await asked).toEqual(failed('badRequest', /No matching response found for the provided messages/));
  });

  test('of the responses form is told in its own words', async () => {
    const asked = ask(server, { request: say('Hello'), key: KEY, dialect: 'responses' });
    expect(await asked).toEqual(failed('badRequest', /Endpoint \/v1\/responses is not supported/));
  });

  test('of a body that is too large is one that compaction can mend', async () => {
    const asked = ask(server, { request: say('y'.repeat(200_000)), key: KEY });
    expect(await asked).toEqual(failed('overflow', /longer than the context window/));
  });

  test('of an address without /v1 says how it usually ends', async () => {
    const asked = ask({ baseUrl: server.baseUrl.replace('/v1', '') }, { request: say('Hello'), key: KEY });
    expect(await asked).toEqual(failed('notFound', /it usually ends in \/v1/));
  });
});
