/** Refusals in the ways of the network, and what leaves the machine. The corpus and the scenarios have what providers say. */

import { afterEach, describe, expect, test } from 'vitest';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { sse } from '../../../support/modelServer/modelServerReply.ts';
import { HandTimers } from '../../../support/ports/handTimers.ts';
import {
  answered,
  ask,
  closeServers,
  END,
  failed,
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
  test('a proxy’s page is told as its text', async () => {
    const page =
      '<html><head><title>Access</title><style>p{}</style></head><body><p>Denied by&nbsp;policy</p></body></html>';
    const server = await serve(refuse(403, page));
    expect(await ask(server)).toEqual(failed('auth', /answered 403\. .*It said: “Access Denied by policy”$/));
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
    const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
    for await (const event of client.stream(REQUEST, new AbortController().signal)) if (event.type === 'done') break;
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('a wrong key is never repeated in the sentence', async () => {
    const server = await serve(refuse(401, says('Incorrect API key provided: my-secret-key-1')));
    const { end } = await ask(server, { key: 'my-secret-key-1' });
    expect(JSON.stringify(end)).not.toContain('my-secret-key-1');
  });
});
