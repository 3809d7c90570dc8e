import { afterEach, describe, expect, test } from 'vitest';
import { inEnglish } from '../../../src/core/words.ts';
import { type ConnectionTarget, testConnection } from '../../../src/providers/testConnection.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(options: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
  const server = await startModelServer({
    script: [],
    models: [{ id: 'one', window: 32_000 }, { id: 'two' }],
    ...options,
  });
  servers.push(server);
  return server;
}

const OK: Reply = { kind: 'answer', text: 'OK' };
const going = new AbortController().signal;

async function diagnose(target: ConnectionTarget, signal = going) {
  const result = await testConnection(target, signal);
  return { ...result, message: inEnglish(result.message) };
}

function check(baseUrl: string, model?: string, key = 'k') {
  return diagnose({ baseUrl, key: async () => key, ...(model === undefined ? {} : { model }) });
}

describe('testConnection', () => {
  test('without a model: the list, and nothing is asked', async () => {
    const server = await serve();
    expect(await check(server.baseUrl)).toEqual({
      kind: 'works',
      message: `${new URL(server.baseUrl).origin} answers. It offers one, two.`,
      models: ['one', 'two'],
      windows: { one: 32_000 },
    });
    expect(server.requests).toEqual([]);
  });

  test('models that embed, speak or listen are not listed', async () => {
    const ids = [
      'gpt-5',
      'text-embedding-3-large',
      'whisper-1',
      'tts-1-hd',
      'bge-reranker',
      'attsel',
      'gpt-4o-transcribe',
    ];
    const server = await serve({ models: ids.map((id) => ({ id })) });
    expect(await check(server.baseUrl)).toMatchObject({ models: ['gpt-5', 'attsel'] });
  });

  test('with a model: one tiny completion, and the window where the server tells it', async () => {
    const server = await serve({ script: [OK] });
    expect(await check(server.baseUrl, 'one')).toEqual({
      kind: 'works',
      message: `${new URL(server.baseUrl).origin} works: one answered. The server holds 32,000 tokens of context for it.`,
      models: ['one', 'two'],
      facts: { model: 'one', window: 32_000 },
    });
    expect(server.requests[0]?.body.max_tokens).toBe(16);
    server.assertDone();
  });

  test('a model that is not there: what there is instead', async () => {
    const missing: Reply = { kind: 'error', status: 404, body: { error: { message: 'The model does not exist' } } };
    const server = await serve({ script: [missing] });
    expect(await check(server.baseUrl, 'three')).toEqual({
      kind: 'modelNotFound',
      message: expect.stringMatching(/no model “three”.*It offers one, two\.$/),
    });
  });

  test('a wrong key', async () => {
    const server = await serve({ key: 'right' });
    expect(await check(server.baseUrl, undefined, 'wrong')).toEqual({
      kind: 'auth',
      message: expect.stringContaining('Check it, and set it again'),
    });
  });

  test('a wrong path', async () => {
    const server = await serve();
    expect(await check(`${server.baseUrl}/nowhere`)).toEqual({
      kind: 'notAnEndpoint',
      message: expect.stringMatching(
        /\/v1\/nowhere\/models does not exist\. Check the URL; it usually ends in \/v1\.$/,
      ),
    });
  });

  test('a web page', async () => {
    const page = async () =>
      new Response('<!doctype html><title>Hello</title>', { headers: { 'content-type': 'text/html' } });
    expect(await diagnose({ baseUrl: 'https://host.example', key: async () => 'k', fetch: page })).toEqual({
      kind: 'notAnEndpoint',
      message: expect.stringContaining('https://host.example/models answered with a web page'),
    });
  });

  test('an endpoint without a list still works when the model answers', async () => {
    const { baseUrl } = await serve({ script: [OK] });
    const noList: typeof fetch = async (input, init) =>
      String(input).endsWith('/models') ? new Response('no', { status: 404 }) : fetch(input, init);
    expect(await diagnose({ baseUrl, key: async () => 'k', model: 'm', fetch: noList })).toEqual({
      kind: 'works',
      message: `${new URL(baseUrl).origin} works: m answered.`,
      models: [],
    });
  });

  test.each([
    ['ECONNREFUSED', 'unreachable', /^Nothing answers at host\.example/],
    ['ENOTFOUND', 'unreachable', /^The host host\.example does not exist/],
    ['ETIMEDOUT', 'unreachable', /^host\.example cannot be reached \(ETIMEDOUT\)/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate', /^The certificate of host\.example is not trusted/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', /ERR_TLS_CERT_ALTNAME_INVALID/],
  ])('%s is %s', async (code, kind, message) => {
    const fails = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
    };
    expect(await diagnose({ baseUrl: 'https://host.example/v1', key: async () => 'k', fetch: fails })).toEqual({
      kind,
      message: expect.stringMatching(message),
    });
  });

  test('an address that may not be used is not contacted', async () => {
    expect(await check('http://host.example/v1')).toEqual({
      kind: 'badAddress',
      message: expect.stringContaining('Plain http'),
    });
  });

  test('stopped', async () => {
    const server = await serve();
    const result = await diagnose({ baseUrl: server.baseUrl, key: async () => 'k' }, AbortSignal.abort());
    expect(result.kind).toBe('aborted');
  });
});
