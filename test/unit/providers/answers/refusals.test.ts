/** Requests that are refused, and what leaves the machine. */

import { afterEach, describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../../src/core/ports.ts';
import { createOpenAIClient } from '../../../../src/providers/openai/openaiClient.ts';
import type { RetryNotice } from '../../../../src/providers/retry.ts';
import { type Reply, sse } from '../../../support/modelServer/modelServerReply.ts';
import { HandTimers } from '../../../support/ports/handTimers.ts';
import {
  answered,
  ask,
  closeServers,
  END,
  failed,
  type Outcome,
  REQUEST,
  raw,
  refuse,
  says,
  serve,
  serveWith,
  text,
} from './askServer.ts';

afterEach(closeServers);

describe('refusals', () => {
  test.each<readonly [string, Reply, Outcome]>([
    ['401', refuse(401, says('bad key')), failed('auth', /answered 401.*Manage Endpoints/)],
    ['403', refuse(403, says('Forbidden')), failed('auth', /answered 403/)],
    [
      'Moonshot 403 is billing',
      refuse(403, says('x', { type: 'exceeded_current_quota_error' })),
      failed('billing', /credit/),
    ],
    ['402', refuse(402, says('Insufficient Balance')), failed('billing', /answered 402/)],
    ['429 insufficient_quota', refuse(429, says('x', { code: 'insufficient_quota' })), failed('billing', /credit/)],
    [
      '404 names model and URL',
      refuse(404, says('no')),
      failed('notFound', /v1\/chat\/completions answered 404\. There is no model “test-model”/),
    ],
    ['413', refuse(413, ''), failed('overflow', /longer than the context window/)],
    ['400 without a word', refuse(400, ''), failed('overflow', /gave no reason/)],
    ['400 for something else', refuse(400, says('bad tool')), failed('badRequest', /It said: “bad tool”/)],
    ['FastAPI detail', refuse(422, { detail: [{ msg: 'field required' }] }), failed('badRequest', /field required/)],
    [
      'Gemini array',
      refuse(400, [says('The input token count (9) exceeds the maximum number of tokens allowed (8000).')]),
      failed('overflow', /8,000/),
    ],
  ])('%s is not retried', async (_name, reply, expected) => {
    const server = await serve(reply);
    expect(await ask(server)).toEqual(expected);
    server.assertDone();
  });

  test.each([408, 409, 429, 500, 502, 503, 529])('%i is retried', async (status) => {
    const server = await serve(refuse(status, says('later')), refuse(status, says('later')), raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 2 });
    server.assertDone();
  });

  const NOON = Date.UTC(2026, 0, 1, 12);
  test.each<readonly [string, Record<string, string>, number]>([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['a fraction of a second', { 'retry-after': '0.5' }, 500],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 12:00:09 GMT' }, 9_000],
    ['a date that is over', { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
    ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  ])('Retry-After in %s is waited for and shown', async (_name, headers, waitMs) => {
    const timers = new HandTimers();
    const waits: number[] = [];
    const server = await serve(refuse(429, says('slow down'), headers), raw(sse(text('Hi'), END)));
    const onRetry = (notice: RetryNotice) => {
      waits.push(notice.waitMs);
      if (notice.waitMs > 0) setImmediate(() => timers.elapse());
    };
    expect(await ask(server, { timers, onRetry, now: () => NOON })).toEqual({ ...answered('Hi'), retries: 1 });
    expect(waits).toEqual([waitMs]);
    server.assertDone();
  });

  test('a Retry-After of an hour is a person’s to wait for', async () => {
    const server = await serve(refuse(429, says('slow down'), { 'retry-after': '3600' }));
    expect(await ask(server)).toEqual(failed('rateLimit', /Wait 60 min/, { retryable: true }));
    server.assertDone();
  });

  test.each<readonly [string, Reply, Outcome]>([
    [
      'a web page from a proxy, status 403',
      refuse(
        403,
        '<html><head><title>Access</title><style>p{}</style></head><body><p>Denied by&nbsp;policy</p></body></html>',
      ),
      failed('auth', /answered 403\. .*It said: “Access Denied by policy”$/),
    ],
    ['a body that is no JSON', refuse(400, 'Bad <request>'), failed('badRequest', /It said: “Bad <request>”$/)],
    ['an error as a string', refuse(400, { error: 'no such tool' }), failed('badRequest', /It said: “no such tool”$/)],
    [
      'a gateway that wraps the true error',
      refuse(400, {
        error: { message: 'Provider returned error', metadata: { raw: '{"error":{"message":"tool schema is bad"}}' } },
      }),
      failed('badRequest', /It said: “tool schema is bad”$/),
    ],
    [
      'Groq: a request larger than the allowance a minute is no overflow, and waiting will not help',
      refuse(
        413,
        says('Request too large for model in organization on tokens per minute (TPM): Limit 6000, Requested 9000'),
      ),
      failed('rateLimit', /waiting will not help/),
    ],
    [
      'Azure: a content filter as a refusal',
      refuse(
        400,
        says('The response was filtered due to the prompt triggering content management policy.', {
          code: 'content_filter',
        }),
      ),
      failed('badRequest', /content management policy/),
    ],
    ['405', refuse(405, 'Method Not Allowed'), failed('notFound', /answered 405/)],
  ])('%s', async (_name, reply, expected) => {
    const server = await serve(reply);
    expect(await ask(server)).toEqual(expected);
    server.assertDone();
  });

  test('a web page with 502 is retried, and its words are told at the end', async () => {
    const page = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';
    const server = await serve(refuse(502, page), refuse(502, page), refuse(502, page));
    expect(await ask(server)).toEqual(
      failed('network', /answered 502\. .*It said: “502 Bad Gateway nginx”$/, { retryable: true, retries: 2 }),
    );
    server.assertDone();
  });

  test('a refusal whose words never end is a refusal all the same', async () => {
    const timers = new HandTimers();
    const server = await serve({
      kind: 'raw',
      status: 401,
      headers: { 'content-type': 'text/plain' },
      pieces: ['bad key'],
      end: 'hold',
    });
    const thenSilence: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      setImmediate(() => timers.elapse());
      return response;
    };
    expect(await ask(server, { timers, fetch: thenSilence })).toEqual(failed('auth', /answered 401/));
    server.assertDone();
  });

  test('https where only http is spoken is named as a matter of the certificate or the address', async () => {
    const server = await serve();
    const secure = { ...server, baseUrl: server.baseUrl.replace('http:', 'https:') };
    expect(await ask(secure)).toEqual(failed('network', /^The certificate of 127\.0\.0\.1:\d+ is not trusted/));
    expect(server.requests).toEqual([]);
  });

  test('a dropped connection is retried', async () => {
    const server = await serve({ kind: 'drop' }, raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 1 });
  });

  test('a refused connection names the address', async () => {
    const server = await serve();
    await server.close();
    expect(await ask(server)).toEqual(
      failed('network', /^Nothing answers at 127\.0\.0\.1:\d+/, { retryable: true, retries: 2 }),
    );
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed, and the key goes nowhere else',
    async (status) => {
      const other = await serve(raw(sse(text('Hi'), END)));
      const server = await serve({ kind: 'error', status, headers: { location: `${other.baseUrl}/chat/completions` } });
      expect(await ask(server)).toEqual(failed('network', /redirects to another address/));
      expect(other.requests).toEqual([]);
      server.assertDone();
    },
  );

  test('stream_options refused: asked again without, once and for all', async () => {
    const server = await serve(refuse(400, says('Unknown parameter: stream_options')), raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual(answered('Hi'));
    expect(server.requests.map(({ body }) => body.stream_options)).toEqual([{ include_usage: true }, undefined]);
  });

  test('max_tokens refused: asked again with max_completion_tokens', async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const server = await serve(refuse(400, says(message)), raw(sse(text('Hi'), END)));
    expect(await ask(server, { request: { maxOutputTokens: 64 } })).toEqual(answered('Hi'));
    expect(server.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [64, undefined],
      [undefined, 64],
    ]);
  });

  test('a template that wants alternating roles gets them', async () => {
    const server = await serve(
      refuse(500, says('Jinja Exception: Conversation roles must alternate user/assistant')),
      raw(sse(text('Hi'), END)),
    );
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'One' },
      { role: 'user', text: 'Two' },
    ];
    expect(await ask(server, { request: { messages } })).toEqual(answered('Hi'));
    expect(server.requests.at(-1)?.body.messages).toEqual([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: '[no answer]' },
      { role: 'user', content: 'Two' },
    ]);
  });

  test('the server refuses a request over its window as an overflow with the window', async () => {
    const server = await serveWith({ script: [], window: 300 });
    const messages: ModelRequest['messages'] = [{ role: 'user', text: 'word '.repeat(1000) }];
    expect(await ask(server, { request: { messages } })).toEqual(
      failed('overflow', /context window of test-model, which is 300 tokens/),
    );
  });
});

describe('what leaves the machine', () => {
  test('the key, our headers, and nothing from the environment', async () => {
    const slipped = {
      OPENAI_BASE_URL: 'http://127.0.0.1:9/other',
      OPENAI_API_KEY: 'sk-from-environment',
      OPENAI_ADMIN_KEY: 'sk-admin-from-environment',
      OPENAI_ORG_ID: 'org-from-environment',
      OPENAI_PROJECT_ID: 'project-from-environment',
      OPENAI_CUSTOM_HEADERS: 'X-Slipped-In: yes',
      OPENAI_LOG: 'debug',
    };
    const before = { ...process.env };
    Object.assign(process.env, slipped);
    try {
      const server = await serveWith({ script: [raw(sse(text('Hi'), END))], key: 'the-right-key' });
      expect(await ask(server, { key: 'the-right-key' })).toEqual(answered('Hi'));
      const headers = server.requests[0]?.headers;
      expect(headers?.authorization).toBe('Bearer the-right-key');
      expect(JSON.stringify(headers)).not.toMatch(/environment|slipped/i);
    } finally {
      for (const name of Object.keys(slipped)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  test('without a key no authorization is sent', async () => {
    const server = await serve(raw(sse(text('Hi'), END)));
    const client = createOpenAIClient({ baseUrl: server.baseUrl, key: async () => undefined });
    for await (const event of client.stream(REQUEST, new AbortController().signal)) if (event.type === 'done') break;
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('a wrong key is never repeated in the sentence', async () => {
    const server = await serve(refuse(401, says('Incorrect API key provided: my-secret-key-1')));
    const { end } = await ask(server, { key: 'my-secret-key-1' });
    expect(JSON.stringify(end)).not.toContain('my-secret-key-1');
  });
});
