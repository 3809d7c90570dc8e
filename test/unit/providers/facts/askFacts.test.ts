import { afterEach, describe, expect, test } from 'vitest';
import { askFacts, type ModelFacts } from '../../../../src/providers/modelFacts.ts';
import { llamaCpp } from '../../../support/localServers/llamaCpp.ts';
import { lmStudio } from '../../../support/localServers/lmStudio.ts';
import {
  LOCAL_MODEL,
  type LocalDialect,
  type LocalServer,
  type LocalServerOptions,
  startLocalServer,
} from '../../../support/localServers/localServer.ts';
import { ollama } from '../../../support/localServers/ollama.ts';
import { openRouter } from '../../../support/localServers/openRouter.ts';
import { vllm } from '../../../support/localServers/vllm.ts';
import { type ModelServer, type RouteAsked, startModelServer } from '../../../support/modelServer/modelServer.ts';
import { HandTimers } from '../../../support/ports/handTimers.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(dialect: LocalDialect, options: Partial<LocalServerOptions> = {}): Promise<LocalServer> {
  const local = await startLocalServer(dialect, { answer: () => ({ kind: 'answer', text: 'yes' }), ...options });
  servers.push(local.server);
  return local;
}

const going = new AbortController().signal;

const ask = ({ server }: { readonly server: ModelServer }, model = LOCAL_MODEL, key?: string) =>
  askFacts({ baseUrl: server.baseUrl, key: async () => key }, model, going);

/** A server with these answers and no others. */
async function answering(routes: (asked: RouteAsked) => object | null): Promise<ModelServer> {
  const server = await startModelServer({ script: [], routes });
  servers.push(server);
  return server;
}

describe('what a server says of a model', () => {
  test('Ollama: the context it runs with, else what its parameters ask for; the largest is no window', async () => {
    const running = await serve(ollama(), { holds: 8_192, largest: 32_768 });
    expect(await ask(running)).toEqual<ModelFacts>({
      model: LOCAL_MODEL,
      server: 'ollama',
      window: 8_192,
      largestWindow: 32_768,
      images: false,
      tools: true,
      reasoning: false,
    });
    const asked = await serve(ollama({ numCtx: 16_384 }), { largest: 32_768 });
    expect(await ask(asked)).toMatchObject({ server: 'ollama', window: 16_384, largestWindow: 32_768 });
    const idle = await serve(ollama(), { largest: 32_768 });
    const facts = await ask(idle);
    expect(facts).toMatchObject({ server: 'ollama', largestWindow: 32_768 });
    expect(facts).not.toHaveProperty('window');
  });

  test('Ollama: a model without a tag is its latest, and parameters ask for no more than the model takes', async () => {
    const show = {
      parameters: 'num_ctx 65536\nstop "x"',
      model_info: { 'general.architecture': 'llama', 'llama.context_length': 8_192 },
    };
    const answers: Record<string, object> = {
      '/v1/models': { data: [{ id: 'tiny:latest', owned_by: 'library' }] },
      '/api/ps': { models: [{ name: 'other:latest', context_length: 2_048 }] },
      '/api/show': show,
    };
    const server = await answering(({ path }) => answers[path] ?? null);
    expect(await ask({ server }, 'tiny')).toMatchObject({ window: 8_192 });
    answers['/api/ps'] = { models: [{ name: 'tiny:latest', context_length: 2_048 }] };
    expect(await ask({ server }, 'tiny')).toMatchObject({ window: 2_048 });
  });

  test('LM Studio: the loaded length; a model that is not loaded has only a largest', async () => {
    const loaded = await serve(lmStudio(), { holds: 4_096 });
    expect(await ask(loaded)).toEqual<ModelFacts>({
      model: LOCAL_MODEL,
      server: 'lmStudio',
      window: 4_096,
      largestWindow: 131_072,
      images: false,
      tools: true,
    });
    const idle = await ask(await serve(lmStudio()));
    expect(idle).toMatchObject({ server: 'lmStudio', largestWindow: 131_072 });
    expect(idle).not.toHaveProperty('window');
  });

  test('llama.cpp: what one request may hold, asked without loading anything', async () => {
    const local = await serve(llamaCpp(), { holds: 16_384 });
    expect(await ask(local)).toEqual<ModelFacts>({
      model: LOCAL_MODEL,
      server: 'llamaCpp',
      window: 16_384,
      largestWindow: 131_072,
      images: false,
      tools: true,
    });
    expect(local.asked).toEqual(['GET /v1/models', 'GET /props?model=coder%3A7b&autoload=false']);
  });

  test('vLLM: the length it was started with, from the list alone', async () => {
    const local = await serve(vllm(), { holds: 40_960 });
    expect(await ask(local)).toEqual<ModelFacts>({ model: LOCAL_MODEL, server: 'vllm', window: 40_960 });
    expect(local.asked).toEqual(['GET /v1/models']);
  });

  test('OpenRouter: the smaller of what the model and its first provider take', async () => {
    const local = await serve(openRouter(), { holds: 65_536 });
    expect(await ask(local)).toEqual<ModelFacts>({
      model: LOCAL_MODEL,
      server: 'openRouter',
      window: 65_536,
      largestWindow: 131_072,
      maxOutputTokens: 16_384,
      price: { currency: 'USD', input: 0.15, output: 0.6, cacheRead: 0.015, source: 'endpoint' },
      images: true,
      tools: true,
      reasoning: true,
    });
  });

  test('hosted lists that name a context in their own way', async () => {
    const entries = [
      { id: 'groq', context_window: 131_072, max_completion_tokens: 8_192 },
      { id: 'mistral', max_context_length: 32_768, capabilities: { function_calling: true, vision: false } },
      { id: 'together', context_length: 8_192 },
      { id: 'openai', owned_by: 'system' },
    ];
    const server = await answering(({ path }) => (path === '/v1/models' ? { data: entries } : null));
    const found = await Promise.all(entries.map(({ id }) => ask({ server }, id)));
    expect(found).toEqual([
      { model: 'groq', window: 131_072, maxOutputTokens: 8_192 },
      { model: 'mistral', window: 32_768, images: false, tools: true },
      { model: 'together', window: 8_192 },
      null,
    ]);
  });
});

describe('what is not believed, and what is not waited for', () => {
  test.each([0, 1, 255, -4_096, 4_096.5, 1e12, '8k', '', null, true, [8_192], { n: 1 }])(
    'a window of %j is none',
    async (value) => {
      const server = await answering(({ path }) =>
        path === '/v1/models' ? { data: [{ id: 'm', max_model_len: value, context_length: value }] } : null,
      );
      expect(await ask({ server }, 'm')).toBeNull();
    },
  );

  test.each(['nonsense', '<html>', '[]', '{"data":{}}', '{"data":[null,7,"m",{"id":5}]}', '[[[['])(
    'an answer of %s says nothing',
    async (body) => {
      const fetch = async () => new Response(body, { status: 200 });
      expect(
        await askFacts({ baseUrl: 'http://127.0.0.1:9/v1', key: async () => undefined, fetch }, 'm', going),
      ).toBeNull();
    },
  );

  test('a server that never answers is left after a few seconds, and nobody is kept by it', async () => {
    const timers = new HandTimers();
    const fetch: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    const asked = askFacts({ baseUrl: 'http://127.0.0.1:9/v1', key: async () => undefined, fetch, timers }, 'm', going);
    await new Promise(setImmediate);
    expect(timers.set).toContain(3_000);
    timers.elapse();
    expect(await asked).toBeNull();
  });

  test('an answer without end is not read to its end', async () => {
    let sent = 0;
    const piece = new TextEncoder().encode(`${'x'.repeat(1_000_000)}\n\n`);
    const fetch = async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent++;
            controller.enqueue(piece);
          },
        }),
      );
    expect(
      await askFacts({ baseUrl: 'https://models.example/v1', key: async () => 'k', fetch }, 'm', going),
    ).toBeNull();
    expect(sent).toBeLessThan(40);
  });

  test('an address that may not be used is not asked', async () => {
    const fetch = async () => expect.unreachable();
    expect(await askFacts({ baseUrl: 'http://models.example/v1', key: async () => 'k', fetch }, 'm', going)).toBeNull();
  });

  test('a hosted endpoint is asked for its list and nothing else, with its key; no redirect is followed', async () => {
    const seen: [string, string | null, RequestRedirect | undefined][] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      seen.push([String(input), new Headers(init?.headers).get('authorization'), init?.redirect]);
      return Response.json({ data: [{ id: 'm', owned_by: 'system' }] });
    };
    const access = { baseUrl: 'https://models.example/v1?tenant=7', key: async () => 'secret', fetch };
    expect(await askFacts(access, 'm', going)).toBeNull();
    expect(seen).toEqual([['https://models.example/v1/models?tenant=7', 'Bearer secret', 'error']]);
  });

  test('a server that wants its key gets it at every address', async () => {
    const local = await serve(ollama(), { holds: 8_192, key: 'secret' });
    expect(await ask(local, LOCAL_MODEL, 'wrong')).toBeNull();
    expect(await ask(local, LOCAL_MODEL, 'secret')).toMatchObject({ window: 8_192 });
  });
});
