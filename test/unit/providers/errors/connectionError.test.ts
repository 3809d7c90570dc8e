/** Faults below HTTP, in the form in which undici gives them, where a proxy is between. The proxy is named, its password never. */

import { expect, test } from 'vitest';
import { ModelError } from '../../../../src/core/errors.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { watchFetch } from '../../../../src/providers/endpointFetch.ts';
import { classifyConnectionError } from '../../../../src/providers/errors/connectionError.ts';
import { withRetries } from '../../../../src/providers/retry.ts';
import { freePort } from '../../../support/modelServer/freePort.ts';
import { HandTimers } from '../../../support/ports/handTimers.ts';

const URL_ = 'https://api.example/v1/chat/completions';
const failed = (cause: unknown) => new TypeError('fetch failed', { cause });
const error = (message: string, facts: object = {}) => Object.assign(new Error(message), facts);
const refused = (port: number) =>
  failed(error(`connect ECONNREFUSED 127.0.0.1:${port}`, { code: 'ECONNREFUSED', address: '127.0.0.1', port }));
const tunnel = (status: number) =>
  failed(
    error('Request was cancelled.', {
      code: 0,
      cause: error(`Proxy response (${status}) !== 200 when HTTP Tunneling`),
    }),
  );

test.each<[string, unknown, string | null, string, boolean]>([
  [
    'down',
    refused(7890),
    null,
    'api.example was not asked: the proxy 127.0.0.1:7890 cannot be reached (ECONNREFUSED).',
    false,
  ],
  [
    'down, of two addresses',
    failed(new AggregateError([(refused(7890) as Error).cause], '')),
    null,
    'the proxy 127.0.0.1:7890 cannot be reached',
    false,
  ],
  [
    'whose name does not exist',
    failed(error('getaddrinfo ENOTFOUND proxy.corp', { code: 'ENOTFOUND', hostname: 'proxy.corp' })),
    null,
    'the proxy proxy.corp cannot be reached (ENOTFOUND)',
    false,
  ],
  [
    'that is silent',
    failed(
      error('Connect Timeout Error (attempted address: proxy.corp:3128, timeout: 10000ms)', {
        code: 'UND_ERR_CONNECT_TIMEOUT',
      }),
    ),
    null,
    'the proxy proxy.corp:3128 cannot be reached (UND_ERR_CONNECT_TIMEOUT)',
    false,
  ],
  ['that wants a password', tunnel(407), null, 'the proxy wants a user name and a password (status 407)', false],
  ['that is known', tunnel(407), 'proxy.corp:3128', 'the proxy proxy.corp:3128 wants a user name', false],
  [
    'that does not permit it',
    tunnel(403),
    'proxy.corp:3128',
    'the proxy proxy.corp:3128 did not connect to it (status 403)',
    false,
  ],
  ['that is overloaded', tunnel(503), null, 'did not connect to it (status 503)', true],
  [
    'whose address is none',
    error('Invalid URL', { code: 'ERR_INVALID_URL', input: 'http//ada:open-sesame@proxy.corp' }),
    null,
    'api.example was not asked: the address of the proxy cannot be used. Write it as http://HOST:PORT',
    false,
  ],
  [
    'of a kind that cannot be used',
    error('Invalid URL protocol: the URL must start with `http:` or `https:`.', { code: 'UND_ERR_INVALID_ARG' }),
    'proxy.corp:3128',
    'the address of the proxy cannot be used',
    false,
  ],
  [
    'that VS Code asked for a password',
    failed(error('Proxy response (407) ?.== 200 when HTTP Tunneling', { code: 'UND_ERR_ABORTED' })),
    'proxy.corp:3128',
    'the proxy proxy.corp:3128 wants a user name',
    false,
  ],
  [
    'at the port of the server, or none',
    refused(443),
    null,
    'Nothing answers at api.example (connection refused)',
    true,
  ],
  [
    'whose certificate is its own',
    failed(error('self-signed certificate in certificate chain', { code: 'SELF_SIGNED_CERT_IN_CHAIN' })),
    'proxy.corp:3128',
    'NODE_EXTRA_CA_CERTS counts only where the setting http.systemCertificates is off',
    false,
  ],
  [
    'none: the server’s own name does not exist',
    failed(error('getaddrinfo ENOTFOUND api.example', { code: 'ENOTFOUND', hostname: 'api.example' })),
    'proxy.corp:3128',
    'The host api.example does not exist',
    false,
  ],
])('a proxy %s', (_, thrown, proxy, said, retryable) => {
  const found = classifyConnectionError(thrown, URL_, proxy);
  expect(found.message).toContain(said);
  expect([found.kind, found.facts.retryable]).toEqual(['network', retryable]);
});

test('a proxy that is silent is named, before and in the middle of an answer', async () => {
  const timers = new HandTimers();
  const watch = (body: () => Promise<Response>) =>
    watchFetch(
      { baseUrl: 'https://api.example/v1', key: async () => 'k', fetch: body, timers, proxy: () => 'p:1' },
      'm',
    );
  const named = 'The proxy p:1 on the way to it may be the one at fault.';
  const silent = await watch(() => new Promise(() => undefined));
  void silent.fetch(URL_);
  timers.elapse();
  expect(silent.fault()?.message).toMatch(/sent nothing for 120 s/);
  expect(silent.fault()?.message).toContain(named);
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([58])) });
  const stopped = await watch(async () => new Response(body));
  await (await stopped.fetch(URL_)).body?.getReader().read();
  timers.elapse();
  expect(stopped.fault()?.message).toMatch(/in the middle of the answer/);
  expect(stopped.fault()?.message).toContain(named);
});

test('an answer that is cut off names the proxy', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n'));
      queueMicrotask(() => controller.error(error('terminated', { code: 'UND_ERR_SOCKET' })));
    },
  });
  const { message } = await ask(
    'https://api.example/v1',
    async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    'proxy.corp:3128',
  );
  expect(message).toContain('The proxy proxy.corp:3128 on the way to it may be the one at fault.');
});

/** The failure of one message, with the usual retries, and how often they waited. */
async function ask(baseUrl: string, fetch: typeof globalThis.fetch, proxy: string | null) {
  const client = createEndpointClient({ baseUrl, key: async () => 'k', fetch, proxy: () => proxy });
  let waits = 0;
  const patient = withRetries(client, {
    onRetry({ now }) {
      waits++;
      now();
    },
  });
  try {
    const request = { model: 'm', messages: [{ role: 'user' as const, text: 'Hello' }], tools: [] };
    for await (const _ of patient.stream(request, new AbortController().signal));
  } catch (thrown) {
    if (thrown instanceof ModelError) return { message: thrown.message, waits };
    throw thrown;
  }
  throw new Error('it was answered');
}

test('a proxy that is down is tried once', async () => {
  const port = await freePort();
  let tries = 0;
  const fetch: typeof globalThis.fetch = (_, init) => {
    tries++;
    return globalThis.fetch(`http://127.0.0.1:${port}/`, init);
  };
  const { message, waits } = await ask('https://api.example/v1', fetch, null);
  expect(message).toContain(`the proxy 127.0.0.1:${port} cannot be reached`);
  expect([tries, waits]).toEqual([1, 0]);
});
