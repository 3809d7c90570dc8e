/** An address without `/v1`, or with the path of one request, is found where it answers, and only at its own origin. */

import { afterEach, expect, test } from 'vitest';
import { findBasePath } from '../../../src/providers/testConnection.ts';
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
