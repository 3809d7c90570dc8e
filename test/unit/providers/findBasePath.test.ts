/** An address without `/v1`, or with the path of one request, is found where it answers, and only at its own origin. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { findBasePath } from '../../../src/providers/findBasePath.ts';
import { findMessages } from '../../../src/providers/findMessages.ts';
import { freePort } from '../../support/modelServer/freePort.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const going = new AbortController().signal;

async function find(change: (baseUrl: string) => string, key = 'k') {
  const server = await startModelServer({ script: [], models: [{ id: 'one' }], key: 'k' });
  servers.push(server);
  const found = await findBasePath({ baseUrl: change(server.baseUrl), key: async () => key }, going);
  return { base: server.baseUrl, found };
}

test.each([
  ['as it is', (url: string) => url],
  ['without /v1', (url: string) => url.replace(/\/v1$/, '')],
  ['with a slash at its end', (url: string) => url.replace(/v1$/, '')],
  ['with the path of a request', (url: string) => `${url}/chat/completions`],
  ['with a path that is not there', (url: string) => url.replace(/\/v1$/, '/somewhere')],
])('an address %s', async (_how, change) => {
  const { base, found } = await find(change);
  expect([found.baseUrl.replace(/\/$/, ''), found.result.kind]).toEqual([base, 'works']);
});

test('a key that is refused is told at once, and no other path is tried with it', async () => {
  const { base, found } = await find((url) => url.replace(/\/v1$/, ''), 'wrong');
  expect([found.baseUrl, found.result.kind]).toEqual([base.replace(/\/v1$/, ''), 'auth']);
});

test('where nothing answers, it is said of what was typed', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}/v1`;
  const { found } = await find(() => nobody);
  expect([found.baseUrl, found.result.kind]).toEqual([nobody, 'unreachable']);
});

const INVALID = { type: 'error', error: { type: 'invalid_request_error', message: 'model: Field required' } };
const NO_KEY = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } };

/** A gateway that speaks the Messages API below `path` and nothing else; it takes the key in this header. */
async function findGateway(path: string, header: 'x-api-key' | 'authorization', typed: (origin: string) => string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const given = header === 'x-api-key' ? request.headers['x-api-key'] : request.headers.authorization?.slice(7);
    const [status, body] =
      given !== 'k'
        ? [401, NO_KEY]
        : request.url === `${path}/messages`
          ? [400, INVALID]
          : [404, { detail: 'Not Found' }];
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, asked, found: await findBasePath({ baseUrl: typed(origin), key: async () => 'k' }, going) };
}

test.each([
  ['its own header', '/v1', 'x-api-key', '/v1', {}],
  ['a bearer token', '/v1', 'authorization', '/v1', { keyHeader: 'authorization' }],
  ['its own header, below what was typed', '/anthropic/v1', 'x-api-key', '/anthropic', {}],
  [
    'a bearer token, with the path of the request',
    '/v1',
    'authorization',
    '/v1/messages',
    { keyHeader: 'authorization' },
  ],
] as const)('a gateway of the Messages API alone is found: %s', async (_how, path, header, typed, more) => {
  const { origin, found } = await findGateway(path, header, (at) => `${at}${typed}`);
  expect(found).toMatchObject({ baseUrl: `${origin}${path}`, result: { kind: 'works', models: [] } });
  expect(found.messages).toEqual({ baseUrl: `${origin}${path}`, ...more });
});

test('a server that refuses in another form does not speak it', async () => {
  const { base } = await find((url) => url);
  expect(await findMessages({ key: async () => 'wrong' }, [base], going)).toBeNull();
  const other = await startModelServer({
    script: [{ kind: 'error', status: 400, body: { error: { type: 'x' } } }],
    checkRules: false,
  });
  servers.push(other);
  expect(await findMessages({ key: async () => undefined }, [other.baseUrl], going)).toBeNull();
});
