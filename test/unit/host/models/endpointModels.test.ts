/** Several endpoints at once: which client a model gets, and that a key goes to its own origin and nowhere else. */

import { describe, expect, onTestFinished, test } from 'vitest';
import type { ModelChoice } from '../../../../src/core/model/modelChoice.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { EndpointModels } from '../../../../src/host/models/endpoints/endpointModels.ts';
import { readAgentSettings } from '../../../../src/node/agentSettings.ts';
import { type ModelServer, startModelServer } from '../../../support/modelServer/modelServer.ts';
import { memoryFacts } from '../../../support/ports/memoryFacts.ts';
import { memorySecrets } from '../../../support/ports/memorySecrets.ts';

type Values = Record<string, unknown>;

/** `values`: settings as a person would set them; they may be changed afterwards. */
function endpointsWith(values: Values, stored: Readonly<Record<string, string>> = {}) {
  const settings = () => readAgentSettings((key) => ({ value: values[key], explicit: key in values })).settings;
  return { models: new EndpointModels(settings, memorySecrets(stored), memoryFacts()) };
}

const H = { id: 'h', baseUrl: 'https://h.example/v1', models: ['m'] };
const HTTPS = { endpoints: [H] };

describe('a model that an agent’s file names', () => {
  const endpoints = [
    { id: 'a', baseUrl: 'https://a.example/v1', models: ['one'] },
    { id: 'b', baseUrl: 'https://b.example/v1', models: ['two'] },
  ];

  test('is asked for where it is listed, chosen, or named with its endpoint', () => {
    const { models } = endpointsWith({ endpoints, model: 'chosen' });
    expect(['one', 'two', 'two@b', 'other@b', 'chosen'].filter((id) => !models.lists(id))).toEqual([]);
    expect(['gpt-5', 'three@gone', 'claude-x'].filter((id) => models.lists(id))).toEqual([]);
  });

  test('is not asked for at the one endpoint there is, which takes every name', () => {
    const { models } = endpointsWith({ ...HTTPS, model: 'm' });
    expect(['m', 'gpt-5'].map((id) => models.lists(id))).toEqual([true, false]);
  });
});

describe('keys', () => {
  test('those that are stored are known once the models are loaded', async () => {
    const { models } = endpointsWith(
      { endpoints: [H, { id: 'b', baseUrl: 'https://b.example/v1', models: [] }] },
      { 'https://h.example': 'sk-canary-1', 'https://left.example': 'sk-canary-2' },
    );
    expect(models.keys).toEqual([]);
    await models.load();
    // That of an endpoint that is set up no more is a secret too, and can be removed.
    expect(models.keys).toEqual(['sk-canary-1', 'sk-canary-2']);
    expect(models.keyed).toEqual(['https://h.example', 'https://left.example']);
    await models.removeKey('https://left.example');
    await models.load();
    expect(models.keyed).toEqual(['https://h.example']);
    expect([models.hasKey('https://h.example'), models.hasKey('https://b.example')]).toEqual([true, false]);
  });

  test('a new one is known at once', async () => {
    const { models } = endpointsWith(HTTPS);
    await models.load();
    await models.storeKey('https://h.example', 'sk-canary-2');
    expect(models.keys).toEqual(['sk-canary-2']);
    expect(models.resolve('m')).toHaveProperty('client');
  });

  test('each goes with the requests to its own origin, and with no others', async () => {
    const servers = await Promise.all(['sk-a', 'sk-b', undefined].map((key) => start(key)));
    const [a, b, open] = servers as [ModelServer, ModelServer, ModelServer];
    const { models } = endpointsWith(
      {
        endpoints: [
          { id: 'a', baseUrl: a.baseUrl, models: ['one'] },
          { id: 'b', baseUrl: b.baseUrl, models: ['two'] },
          { id: 'open', baseUrl: open.baseUrl, models: ['three'] },
        ],
      },
      { [new URL(a.baseUrl).origin]: 'sk-a', [new URL(b.baseUrl).origin]: 'sk-b' },
    );
    await models.load();
    for (const id of ['one@a', 'two@b', 'three@open', 'unlisted@b']) await answer(models, id);
    const seen = servers.map(({ requests }) =>
      requests.map(({ body, headers }) => [body.model, headers.authorization]),
    );
    expect(seen).toEqual([
      [['one', 'Bearer sk-a']],
      [
        ['two', 'Bearer sk-b'],
        ['unlisted', 'Bearer sk-b'],
      ],
      [['three', undefined]],
    ]);
  });

  test('that of an old address does not go to a new one', async () => {
    const [old, other] = await Promise.all([start(), start()]);
    const values: Values = { endpoints: [{ id: 'a', baseUrl: old.baseUrl, models: ['m'] }] };
    const { models } = endpointsWith(values, { [new URL(old.baseUrl).origin]: 'sk-old' });
    await models.load();
    await answer(models, 'm@a');
    values.endpoints = [{ id: 'a', baseUrl: other.baseUrl, models: ['m'] }];
    await models.load();
    await answer(models, 'm@a');
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});

describe('a model', () => {
  const endpoints = [
    {
      id: 'a',
      baseUrl: 'http://127.0.0.1:1/v1',
      models: ['plain', { name: 'told', contextWindow: 32_000, maxOutputTokens: 500, effort: 'high' }],
    },
    { id: 'b', baseUrl: 'http://127.0.0.1:2/v1', models: [{ name: 'told', price: { input: 1, output: 2 } }] },
  ];
  const { models } = endpointsWith({ endpoints, contextWindow: 64_000 });
  const { models: none } = endpointsWith({});

  test.each([
    ['plain@a', { model: 'plain', window: 64_000, windowFrom: 'settings' }],
    ['told@a', { model: 'told', window: 32_000, windowFrom: 'settings', maxOutputTokens: 500, effort: 'high' }],
    [
      'told@b',
      {
        model: 'told',
        window: 64_000,
        windowFrom: 'settings',
        price: { currency: 'USD', input: 1, output: 2, source: 'settings' },
      },
    ],
  ])('%s has what is said of it, else what is said of all', (id, expected) => {
    const { client, ...facts } = models.resolve(id) as ModelChoice;
    // Nothing is known of their cache.
    expect(facts).toEqual({ ...expected, local: true });
    expect(client.endpoint).toBe(`http://127.0.0.1:${id.endsWith('b') ? 2 : 1}`);
  });

  test('thinks as much as is said of it, else of all, else as the provider has it', () => {
    const effortOf = (values: Values, id: string) =>
      (endpointsWith({ endpoints, ...values }).models.resolve(id) as ModelChoice).effort;
    expect(effortOf({ effort: 'low' }, 'plain@a')).toBe('low');
    expect(effortOf({ effort: 'low' }, 'told@a')).toBe('high');
    expect(effortOf({}, 'plain@a')).toBe(undefined);
  });

  test('is asked in the dialect of its endpoint', async () => {
    const server = await startModelServer({ script: () => ({ kind: 'answer', text: 'Hi' }) });
    onTestFinished(() => server.close());
    const { models: both } = endpointsWith({
      endpoints: [
        { id: 'chat', baseUrl: server.baseUrl, models: ['m'] },
        { id: 'new', baseUrl: server.baseUrl, dialect: 'responses', models: ['m'] },
      ],
    });
    for (const id of ['m@chat', 'm@new']) await answer(both, id);
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/responses']);
    server.assertDone();
  });

  test('a bare name beside a model of another endpoint is that endpoint’s', () => {
    const endpointOf = (beside: string) => (models.resolve('told', beside) as ModelChoice).client.endpoint;
    expect(['plain@a', 'told@b', 'unlisted@b'].map(endpointOf)).toEqual([
      'http://127.0.0.1:1',
      'http://127.0.0.1:2',
      'http://127.0.0.1:2',
    ]);
  });

  test.each([
    ['m@removed', models, 'The model m belongs to the endpoint “removed”, which is no longer set up.', 'chooseModel'],
    ['', models, 'No model is chosen.', 'chooseModel'],
    ['m', none, 'No model is chosen.', 'chooseModel'],
    ['m', endpointsWith(HTTPS).models, 'There is no API key for https://h.example.', 'setKey'],
    [
      'm@x',
      endpointsWith({ endpoints: [{ id: 'x', baseUrl: 'http://h.example/v1', models: [] }] }).models,
      'Plain http to h.example',
      'openSettings',
    ],
    [
      'm@x',
      endpointsWith({ endpoints: [{ id: 'x', baseUrl: 'http://10.0.0.5/v1', models: [] }] }).models,
      'Plain http to 10.0.0.5 sends your code',
      'openSettings',
    ],
  ])('%j without a usable endpoint is said, with what to do', (id, where, said, action) => {
    const problem = where.resolve(id);
    if (!('problem' in problem)) throw new Error('It has a client.');
    expect(inEnglish(problem.problem)).toContain(said);
    expect(problem.action).toBe(action);
  });
});

describe('the chooser', () => {
  test('has the models in groups, and the one that is set though nobody lists it', () => {
    const { models } = endpointsWith({
      endpoints: [
        { ...H, models: ['old'] },
        { id: 'openai', baseUrl: 'https://api.openai.com/v1', models: ['gpt', { name: 'mini' }] },
        { id: 'spare', baseUrl: 'https://api.openai.com/v1', models: ['gpt'] },
      ],
    });
    expect(models.choices('nano@openai').map(({ id, group }) => [id, group])).toEqual([
      ['old@h', 'h · h.example'],
      ['gpt@openai', 'OpenAI · api.openai.com'],
      ['mini@openai', 'OpenAI · api.openai.com'],
      ['nano@openai', 'OpenAI · api.openai.com'],
      ['gpt@spare', 'spare · api.openai.com'],
    ]);
    expect(['mini', 'gpt@spare', 'old', 'gone@away'].map((id) => models.canonical(id))).toEqual([
      'mini@openai',
      'gpt@spare',
      'old@h',
      'gone@away',
    ]);
  });

  test('names an address without what gives access', () => {
    const address = 'https://me:canary@h.example/v1?sig=canary';
    const { models } = endpointsWith({
      endpoints: [
        { id: 'a', baseUrl: address, models: [] },
        { id: 'b', baseUrl: address, models: ['n'] },
      ],
    });
    expect(models.choices('m').map(({ group }) => group)).toEqual([
      'a · https://h.example/v1',
      'b · https://h.example/v1',
    ]);
  });
});

async function start(key?: string): Promise<ModelServer> {
  const server = await startModelServer({ ...(key && { key }), script: () => ({ kind: 'answer', text: 'ok' }) });
  onTestFinished(() => server.close());
  return server;
}

async function answer(models: EndpointModels, id: string): Promise<void> {
  const choice = models.resolve(id);
  if ('problem' in choice) throw new Error(inEnglish(choice.problem));
  const request = { model: choice.model, messages: [{ role: 'user', text: 'hi' }], tools: [] } as const;
  for await (const event of choice.client.stream(request, new AbortController().signal)) void event;
}
