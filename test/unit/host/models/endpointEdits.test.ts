/** What setting up, changing and removing an endpoint makes of a person's settings; what they wrote beside it stays. */

import { describe, expect, test } from 'vitest';
import { listEndpoints } from '../../../../src/host/models/endpoints/endpointConfig.ts';
import {
  addModel,
  moveTo,
  offerModels,
  removeEndpoint,
  type StoredEndpoints,
  setWindow,
} from '../../../../src/host/models/endpoints/endpointEdits.ts';
import { readAgentSettings } from '../../../../src/host/settings/agentSettings.ts';
import { parseEndpoint } from '../../../../src/providers/endpoint.ts';

const NOTHING: StoredEndpoints = { endpoints: [], 'endpoint.baseUrl': '', 'endpoint.models': [] };
const SHORT: StoredEndpoints = {
  endpoints: [],
  'endpoint.baseUrl': 'https://models.work.example/v1/',
  'endpoint.models': ['old'],
};
const GPT = { name: 'gpt', contextWindow: 100_000 };
const OPENAI = { id: 'openai', baseUrl: 'https://api.openai.com/v1', models: [GPT, 'mini'] };
const BROKEN = { id: 'not usable', baseUrl: 7 };
const FULL: StoredEndpoints = { ...NOTHING, endpoints: [BROKEN, OPENAI, 'text'] };

const at = (address: string) => parseEndpoint(address);

describe('setting up', () => {
  test.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://eu.api.openai.com/v1', 'openai'],
    ['http://localhost:11434/v1', 'ollama'],
    ['http://127.0.0.1:9999/v1', 'local'],
    ['https://llm.example.com/v1', 'llm'],
    ['https://api.example.com/v1', 'example'],
    ['https://10.0.0.1/v1', 'endpoint'],
    ['https://demo.net/v1', 'endpoint'],
  ])('%s becomes the endpoint %s, and is in force', (address, id) => {
    const edit = addModel(NOTHING, at(address), 'm');
    expect(edit).toEqual({ id, stored: { ...NOTHING, endpoints: [{ id, baseUrl: address, models: ['m'] }] } });
    const read = readAgentSettings((key) => ({
      value: key === 'endpoints' ? edit.stored.endpoints : undefined,
      explicit: true,
    }));
    expect([read.problems, listEndpoints(read.settings).map((endpoint) => endpoint.id)]).toEqual([[], [id]]);
  });

  test('another one of the same provider gets a number', () => {
    const edit = addModel(FULL, at('https://eu.api.openai.com/v1'), 'm');
    expect(edit.id).toBe('openai-2');
    expect(edit.stored.endpoints.slice(0, 3)).toEqual(FULL.endpoints);
  });

  test.each(['nano', 'mini', 'gpt'])(
    'the same address again offers %s once, and keeps what is said of the others',
    (name) => {
      const { id, stored } = addModel(FULL, at('https://api.openai.com/v1/'), name);
      const models = name === 'nano' ? [GPT, 'mini', 'nano'] : [GPT, 'mini'];
      expect([id, stored.endpoints]).toEqual(['openai', [BROKEN, { ...OPENAI, models }, 'text']]);
    },
  );

  test('the address of the short form becomes the first entry, with its models', () => {
    const { id, stored } = addModel({ ...SHORT, endpoints: [OPENAI] }, at('https://models.work.example/v1'), 'new');
    const moved = { id: 'models', baseUrl: 'https://models.work.example/v1/', models: ['old', 'new'] };
    expect([id, stored]).toEqual(['models', { ...NOTHING, endpoints: [moved, OPENAI] }]);
  });

  test('another address leaves the short form as it is', () => {
    const { stored } = addModel(SHORT, at('https://api.openai.com/v1'), 'gpt');
    expect(stored).toEqual({ ...SHORT, endpoints: [{ ...OPENAI, models: ['gpt'] }] });
  });
});

describe('changing', () => {
  test('the models that are offered, in the order given', () => {
    const { stored } = offerModels(FULL, 'openai', ['nano', 'gpt']);
    expect(stored.endpoints).toEqual([BROKEN, { ...OPENAI, models: ['nano', GPT] }, 'text']);
  });

  test('the address', () => {
    const { stored } = moveTo(FULL, 'openai', at('https://proxy.example/v1'));
    expect(stored.endpoints).toEqual([BROKEN, { ...OPENAI, baseUrl: 'https://proxy.example/v1' }, 'text']);
  });

  test('the short form, which becomes an entry by it', () => {
    const { id, stored } = moveTo(SHORT, '', at('https://proxy.example/v1'));
    const moved = { id: 'models', baseUrl: 'https://proxy.example/v1', models: ['old'] };
    expect([id, stored]).toEqual(['models', { ...NOTHING, endpoints: [moved] }]);
  });
});

describe('removing', () => {
  test('takes one away, and nothing else', () => {
    expect(removeEndpoint(FULL, 'openai').endpoints).toEqual([BROKEN, 'text']);
    expect(removeEndpoint({ ...SHORT, endpoints: [OPENAI] }, '')).toEqual({ ...NOTHING, endpoints: [OPENAI] });
  });
});

describe('the list of a server', () => {
  test('is kept with the chosen model in front, and beside what stands there', () => {
    const [entry] = addModel(NOTHING, at('https://models.example/v1'), 'b', ['a', 'b', 'c']).stored.endpoints;
    expect(entry).toMatchObject({ models: ['b', 'a', 'c'] });
    const again = addModel({ ...NOTHING, endpoints: [entry] }, at('https://models.example/v1'), 'd', ['a', 'd']);
    expect(again.stored.endpoints).toMatchObject([{ models: ['b', 'a', 'c', 'd'] }]);
  });

  test('is kept when it is long, up to a bound', () => {
    const long = Array.from({ length: 5_000 }, (_, n) => `m${n}`);
    const modelsOf = (lists: readonly string[]) => {
      const [entry] = addModel(NOTHING, at('https://models.example/v1'), 'm7', lists).stored.endpoints;
      return (entry as { models: string[] }).models;
    };
    expect(modelsOf(long.slice(0, 300))).toHaveLength(300);
    expect(modelsOf(long)).toHaveLength(1_000);
    expect(modelsOf(long)[0]).toBe('m7');
  });

  test('takes a window for one of its models, beside what was said of it', () => {
    const { stored, id } = addModel(NOTHING, at('https://models.example/v1'), 'b', ['a', 'b']);
    const once = setWindow(stored, id, 'b', 64_000).stored;
    expect(once.endpoints).toMatchObject([{ models: [{ name: 'b', contextWindow: 64_000 }, 'a'] }]);
    expect(setWindow(once, id, 'b', 32_000).stored.endpoints).toMatchObject([
      { models: [{ name: 'b', contextWindow: 32_000 }, 'a'] },
    ]);
  });
});
