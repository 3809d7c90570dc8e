/** The setting `endpoints` as it is read: what is in force, and what is said of an entry that cannot be used. */

import { describe, expect, test } from 'vitest';
import { inEnglish } from '../../../../src/core/words.ts';
import { readAgentSettings } from '../../../../src/node/agentSettings.ts';
import { listEndpoints } from '../../../../src/node/models/endpointConfig.ts';

function read(values: Readonly<Record<string, unknown>>) {
  const { settings, problems } = readAgentSettings((key) => ({ value: values[key], explicit: key in values }));
  return { endpoints: listEndpoints(settings), said: problems.map((problem) => inEnglish(problem.said)) };
}

const WORK = { id: 'work', baseUrl: 'https://work.example/v1', models: ['big'] };

describe('what is in force', () => {
  test('the endpoints in their order, with what is said of each', () => {
    const { endpoints, said } = read({
      endpoints: [WORK, { id: 'home', baseUrl: 'http://127.0.0.1:11434/v1', dialect: 'responses', models: [] }],
    });
    expect(said).toEqual([]);
    expect(endpoints).toEqual([
      { id: 'work', baseUrl: 'https://work.example/v1', models: [{ name: 'big' }] },
      { id: 'home', baseUrl: 'http://127.0.0.1:11434/v1', dialect: 'responses', models: [] },
    ]);
  });

  test('of a model, what is said and no more; prices are in dollars unless said otherwise', () => {
    const models = [
      { name: 'm', contextWindow: 32_000, maxOutputTokens: 4_000, effort: 'low', price: { input: 0, output: 2 } },
      { name: 'n', price: { currency: 'CNY', input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 } },
    ];
    const price = { source: 'settings', output: 2 };
    expect(read({ endpoints: [{ ...WORK, models }] }).endpoints[0]?.models).toEqual([
      { ...models[0], price: { ...price, currency: 'USD', input: 0 } },
      { ...models[1], price: { ...price, currency: 'CNY', input: 1, cacheRead: 0.1, cacheWrite: 1.25 } },
    ]);
  });
});

describe('an entry that cannot be used is named and left out, and the others stay', () => {
  test.each([
    ['an id with a blank', { ...WORK, id: 'at work' }, 'right form'],
    ['an id that is a kind of model', { ...WORK, id: 'vscode' }, 'The id vscode is reserved.'],
    ['an id given twice', { ...WORK, baseUrl: 'https://other.example/v1' }, 'The id work is given twice.'],
    ['no address', { id: 'x', baseUrl: 'file:///etc/passwd', models: [] }, 'right form'],
    ['no models', { id: 'x', baseUrl: 'https://x.example' }, 'It must be a list.'],
    ['a dialect that does not exist', { ...WORK, id: 'x', dialect: 'soap' }, 'chat, responses'],
    ['a misspelt field', { ...WORK, id: 'x', model: [] }, 'model is not known there.'],
    [
      'a misspelt field of a model',
      { ...WORK, id: 'x', models: [{ name: 'm', window: 1 }] },
      'window is not known there',
    ],
    ['a model that is a number', { ...WORK, id: 'x', models: [7] }, 'It must be a text.'],
    ['text', 'https://x.example', 'It must be an object.'],
  ])('%s', (_which, entry, reason) => {
    const { endpoints, said } = read({ endpoints: [WORK, entry, { ...WORK, id: 'last' }] });
    expect(endpoints.map(({ id }) => id)).toEqual(['work', 'last']);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('An entry in the setting palimpsest.endpoints cannot be used');
    expect(said[0]).toContain(reason);
  });

  test('a password in its address is not said', () => {
    const { said } = read({
      endpoints: [{ id: 'x y', baseUrl: 'https://me:canary@h.example/v1?sig=canary', models: [] }],
    });
    expect([said.length, said.join().includes('canary')]).toEqual([1, false]);
  });

  test('what is no list leaves the default in force', () => {
    expect(read({ endpoints: 'https://x.example' }).said).toEqual([
      'The setting palimpsest.endpoints has the value "https://x.example", which cannot be used. It must be a list. The default [] is used.',
    ]);
  });
});
