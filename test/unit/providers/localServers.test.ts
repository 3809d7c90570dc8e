/** Servers on this machine: what counts as one that serves models, and that each is asked once, without any key. */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { findLocalServers } from '../../../src/providers/findLocalServers.ts';
import { LOCAL_PRESETS, type Preset } from '../../../src/providers/presets.ts';
import { freePort } from '../../support/modelServer/freePort.ts';

const never = new AbortController().signal;
const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
const page =
  (status: number): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>Something else</title>');
  };

/** A preset whose port answers so; the requests are kept. */
async function serve(answer: RequestListener, id = 'ollama') {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'no key'}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const row = LOCAL_PRESETS.find((preset) => preset.id === id) as Preset;
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { preset: { ...row, baseUrl }, seen };
}

/** As the four programs answer `GET /v1/models`. */
const LISTS = {
  ollama: { object: 'list', data: [{ id: 'qwen3:8b', object: 'model', created: 1, owned_by: 'library' }] },
  lmstudio: {
    data: [{ id: 'qwen2.5-coder-14b@q4_k_m', object: 'model', owned_by: 'organization_owner' }],
    object: 'list',
  },
  llamacpp: {
    models: [{ name: 'm.gguf', model: 'm.gguf' }],
    object: 'list',
    data: [{ id: 'm.gguf', object: 'model', owned_by: 'llamacpp', meta: { n_ctx_train: 32_768 } }],
  },
  vllm: { object: 'list', data: [{ id: 'Qwen/Qwen3-8B', object: 'model', owned_by: 'vllm', max_model_len: 40_960 }] },
};

test('the four kinds are found with their models, in the order of the table, each by one request without a key', async () => {
  const servers = await Promise.all(Object.entries(LISTS).map(([id, list]) => serve(json(200, list), id)));
  const found = await findLocalServers(
    never,
    servers.map(({ preset }) => preset),
  );
  expect(found.map(({ preset, models, needsKey }) => [preset.id, models, needsKey])).toEqual([
    ['ollama', ['qwen3:8b'], false],
    ['lmstudio', ['qwen2.5-coder-14b@q4_k_m'], false],
    ['llamacpp', ['m.gguf'], false],
    ['vllm', ['Qwen/Qwen3-8B'], false],
  ]);
  expect(servers.map(({ seen }) => seen)).toEqual(Array(4).fill(['GET /v1/models no key']));
});

test('one without a model that is loaded is found, and one that asks for a key says so', async () => {
  const empty = await serve(json(200, { object: 'list', data: [] }));
  const closed = await serve(json(401, { error: 'Unauthorized' }), 'vllm');
  const found = await findLocalServers(never, [empty.preset, closed.preset]);
  expect(found.map(({ preset, models, needsKey }) => [preset.id, models, needsKey])).toEqual([
    ['ollama', [], false],
    ['vllm', [], true],
  ]);
});

test.each([
  ['a web page', page(200)],
  ['a page that does not exist', page(404)],
  ['a web server that forbids', page(403)],
  ['other JSON', json(200, { status: 'ok' })],
  ['an error of its own', json(500, { error: 'x' })],
  [
    'a redirect elsewhere',
    (_: unknown, response: Parameters<RequestListener>[1]) =>
      void response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
  ],
  ['a connection that breaks', (request: Parameters<RequestListener>[0]) => void request.socket.destroy()],
])('%s is no model server', async (_which, answer) => {
  const other = await serve(answer as RequestListener);
  expect(await findLocalServers(never, [other.preset])).toEqual([]);
});

test('where nobody listens there is none, and a stop ends the search', async () => {
  const silent = await serve(() => undefined);
  const stop = new AbortController();
  const search = findLocalServers(stop.signal, [silent.preset]);
  await expect.poll(() => silent.seen.length).toBe(1);
  stop.abort();
  expect(await search).toEqual([]);
  const row = LOCAL_PRESETS[0] as Preset;
  expect(await findLocalServers(never, [{ ...row, baseUrl: `http://127.0.0.1:${await freePort()}/v1` }])).toEqual([]);
});
