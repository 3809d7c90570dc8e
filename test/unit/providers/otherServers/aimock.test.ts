/**
 * The real client against aimock, a mock server of another project: what it streams, how it is slow, cut and failing, in
 * both forms of the API.
 */

import { type Fixture, type FixtureMatch, LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, failed } from '../answers/askServer.ts';

const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 5 });
beforeAll(() => mock.start());
afterAll(() => mock.stop());
beforeEach(() => {
  mock.clearFixtures();
  mock.clearRequests();
});

/** Every request gets this. */
function answer(
  response: Fixture['response'],
  options: Omit<Fixture, 'match' | 'response'> = {},
  match: FixtureMatch = {},
) {
  mock.addFixture({ match, response, ...options });
}

const requests = () => mock.getRequests().length;

describe.each(['chat', 'responses', 'messages'] as const)('%s', (dialect) => {
  const send = (options: Parameters<typeof ask>[1] = {}) => ask({ baseUrl: `${mock.url}/v1` }, { dialect, ...options });

  test('text in pieces, with what was thought before it', async () => {
    answer({ content: 'Hello from another server.', reasoning: 'A greeting is due.' });
    expect(await send()).toMatchObject({
      shown: 'Hello from another server.',
      retries: 0,
      end: {
        text: 'Hello from another server.',
        reasoning: { text: 'A greeting is due.' },
        toolCalls: [],
        finish: 'stop',
      },
    });
  });

  test('two calls beside text', async () => {
    const call = (path: string) => ({ name: 'read_file', arguments: JSON.stringify({ path }) });
    answer({ content: 'Reading both.', toolCalls: [call('a.md'), call('b.md')] });
    expect(await send()).toMatchObject({
      shown: 'Reading both.',
      end: {
        finish: 'toolCalls',
        toolCalls: [
          { id: expect.stringMatching(/^(call|toolu)_/), name: 'read_file', arguments: '{"path":"a.md"}' },
          { id: expect.stringMatching(/^(call|toolu)_/), name: 'read_file', arguments: '{"path":"b.md"}' },
        ],
      },
    });
  });

  test('an answer that comes slowly is waited for', async () => {
    answer({ content: 'Slowly does it.' }, { streamingProfile: { ttft: 60, tps: 50 } });
    expect(await send()).toMatchObject({ shown: 'Slowly does it.', retries: 0, end: { finish: 'stop' } });
  });

  test('a server that says nothing is given up and asked again', async () => {
    answer({ content: 'Too late.' }, { latency: 20_000 });
    const end = failed('network', /sent nothing for .* The server may be loading the model/, {
      retryable: true,
      retries: 2,
    });
    expect(await send({ limits: { firstByteMs: 40, betweenBytesMs: 40 } })).toEqual(end);
    expect(requests()).toBe(3);
  });

  test('a stream that is cut is not an answer, and what was shown is not asked for again', async () => {
    answer({ content: 'This answer is cut somewhere in its middle.' }, { latency: 20, truncateAfterChunks: 8 });
    const { shown, retries, end } = await send();
    expect(shown).toMatch(/^This /);
    expect(shown).not.toMatch(/middle/);
    expect({ retries, end }).toMatchObject({ retries: 0, end: { error: 'interrupted', retryable: true } });
    expect(requests()).toBe(1);
  });

  test('a connection that breaks before the answer is tried again, and the next answer counts', async () => {
    answer({ content: 'Never.' }, { chaos: { disconnectRate: 1 } }, { sequenceIndex: 0 });
    answer({ content: 'The second try.' });
    expect(await send()).toMatchObject({ shown: 'The second try.', retries: 1 });
  });

  test('a rate limit is waited out', async () => {
    const error = { message: 'Rate limit reached for requests per minute', type: 'rate_limit_error' };
    answer({ error, status: 429, retryAfter: 0 }, {}, { sequenceIndex: 0 });
    answer({ content: 'Now it goes.' });
    expect(await send()).toMatchObject({ shown: 'Now it goes.', retries: 1 });
  });

  test('spent quota is told and not tried again', async () => {
    const spent =
      dialect === 'messages'
        ? { error: { message: 'Your credit balance is too low.', type: 'invalid_request_error' }, status: 400 }
        : { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' }, status: 429 };
    answer(spent);
    expect(await send()).toEqual(
      failed('billing', /You exceeded your current quota\.|Your credit balance is too low\./),
    );
    expect(requests()).toBe(1);
  });

  test('a request that is too long is told with its numbers', async () => {
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
    answer({ error: { message, code: 'context_length_exceeded' }, status: 400 });
    expect(await send()).toEqual(failed('overflow', /\(9,000 tokens\) .* which is 8,192 tokens/));
  });

  test('a server out of order is asked three times', async () => {
    answer({ content: 'Never.' }, { chaos: { dropRate: 1 } });
    expect(await send()).toEqual(failed('network', /answered 500\..*request dropped/, { retryable: true, retries: 2 }));
  });

  test('an answer that is no JSON is no answer', async () => {
    answer({ content: 'Never.' }, { chaos: { malformedRate: 1 } });
    expect(await send()).toMatchObject({ shown: '', retries: 2, end: { error: 'interrupted' } });
  });

  test('calls of an answer that reached its limit are not handed on', async () => {
    answer({ toolCalls: [{ name: 'read_file', arguments: '{"path":"a.md"}' }], finishReason: 'length' });
    expect(await send()).toMatchObject({ end: { finish: 'length', toolCalls: [], discarded: ['read_file'] } });
  });

  test('stop ends the answer at once', async () => {
    answer({ content: 'This would take a long time to be said.' }, { latency: 5_000 });
    const stopped = new AbortController();
    const asked = send({ signal: stopped.signal });
    await expect.poll(requests).toBe(1);
    stopped.abort();
    expect(await asked).toEqual(failed('aborted', /Stopped/));
  });

  test('what nobody wrote an answer for is not found', async () => {
    expect(await send()).toMatchObject({
      end: { error: 'notFound', message: expect.stringMatching(/No fixture matched/) },
    });
  });
});

test('usage is asked for and read', async () => {
  answer({
    content: 'Counted.',
    usage: { prompt_tokens: 70, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 64 } },
  });
  const { end } = await ask({ baseUrl: `${mock.url}/v1` });
  expect(end).toMatchObject({ usage: { input: 70, output: 3 } });
});
