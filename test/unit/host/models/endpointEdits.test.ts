/** What setting up, changing and removing an endpoint makes of a person's settings; what they wrote beside it stays. */

import { describe, expect, test } from 'vitest';
import {
  addModel,
  moveTo,
  offerModels,
  removeEndpoint,
  type StoredEndpoints,
  setWindow,
} from '../../../../src/host/models/endpoints/endpointEdits.ts';
import { readAgentSettings } from '../../../../src/node/agentSettings.ts';
import { listEndpoints } from '../../../../src/node/models/endpointConfig.ts';
import { parseEndpoint } from '../../../../src/providers/endpoint.ts';

const NOTHING: StoredEndpoints = [];
const GPT = { name: 'gpt', contextWindow: 100_000 };
const OPENAI = { id: 'openai', baseUrl: 'https://api.openai.com/v1', models: [GPT, 'mini'] };
const BROKEN = { id: 'not usable', baseUrl: 7 };
const FULL: StoredEndpoints = [BROKEN, OPENAI, 'text'];

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
    expect(edit).toEqual({ id, stored: [{ id, baseUrl: address, models: ['m'] }] });
    const read = readAgentSettings((key) => ({
      value: key === 'endpoints' ? edit.stored : undefined,
      explicit: true,
    }));
    expect([read.problems, listEndpoints(read.settings).map((endpoint) => endpoint.id)]).toEqual([[], [id]]);
  });

  test('another one of the same provider gets a number', () => {
    const edit = addModel(FULL, at('https://eu.api.openai.com/v1'), 'm');
    expect(edit.id).toBe('openai-2');
    expect(edit.stored.slice(0, 3)).toEqual(FULL);
  });

  test.each(['nano', 'mini', 'gpt'])(
    'the same address again offers %s once, and keeps what is said of the others',
    (name) => {
      const { id, stored } = addModel(FULL, at('https://api.openai.com/v1/'), name);
      const models = name === 'nano' ? [GPT, 'mini', 'nano'] : [GPT, 'mini'];
      expect([id, stored]).toEqual(['openai', [BROKEN, { ...OPENAI, models }, 'text']]);
    },
  );
});

describe('changing', () => {
  test('the models that are offered, in the order given', () => {
    const stored = offerModels(FULL, 'openai', ['nano', 'gpt']);
    expect(stored).toEqual([BROKEN, { ...OPENAI, models: ['nano', GPT] }, 'text']);
  });

  test('the address', () => {
    const stored = moveTo(FULL, 'openai', at('https://proxy.example/v1'));
    expect(stored).toEqual([BROKEN, { ...OPENAI, baseUrl: 'https://proxy.example/v1' }, 'text']);
  });
});

describe('removing', () => {
  test('takes one away, and nothing else', () => {
    expect(removeEndpoint(FULL, 'openai')).toEqual([BROKEN, 'text']);
  });
});

describe('the list of a server', () => {
  test('is kept with the chosen model in front, and beside what stands there', () => {
    const [entry] = addModel(NOTHING, at('https://models.example/v1'), 'b', ['a', 'b', 'c']).stored;
    expect(entry).toMatchObject({ models: ['b', 'a', 'c'] });
    const again = addModel([entry], at('https://models.example/v1'), 'd', ['a', 'd']);
    expect(again.stored).toMatchObject([{ models: ['b', 'a', 'c', 'd'] }]);
  });

  test('comes with the dialect that was found, unless somebody set one', () => {
    const messages = { dialect: 'messages', keyHeader: 'authorization' } as const;
    const [entry] = addModel(NOTHING, at('https://gateway.example/v1'), 'claude-x', [], messages).stored;
    expect(entry).toMatchObject({ ...messages, models: ['claude-x'] });
    const set = { id: 'g', baseUrl: 'https://gateway.example/v1', dialect: 'chat', models: ['claude-x'] };
    expect(addModel([set], at(set.baseUrl), 'claude-y', [], messages).stored).toEqual([
      { ...set, models: ['claude-x', 'claude-y'] },
    ]);
    const { dialect: _, ...unset } = set;
    expect(addModel([unset], at(set.baseUrl), 'claude-y', [], messages).stored[0]).toMatchObject(messages);
  });

  test('is kept when it is long, up to a bound', () => {
    const long = Array.from({ length: 5_000 }, (_, n) => `m${n}`);
    const modelsOf = (lists: readonly string[]) => {
      const [entry] = addModel(NOTHING, at('https://models.example/v1'), 'm7', lists).stored;
      return (entry as { models: string[] }).models;
    };
    expect(modelsOf(long.slice(0, 300))).toHaveLength(300);
    expect(modelsOf(long)).toHaveLength(1_000);
    expect(modelsOf(long)[0]).toBe('m7');
  });

  test('takes a window for one of its models, beside what was said of it', () => {
    const { stored, id } = addModel(NOTHING, at('https://models.example/v1'), 'b', ['a', 'b']);
    const once = setWindow(stored, id, 'b', 64_000);
    expect(once).toMatchObject([{ models: [{ name: 'b', contextWindow: 64_000 }, 'a'] }]);
    expect(setWindow(once, id, 'b', 32_000)).toMatchObject([{ models: [{ name: 'b', contextWindow: 32_000 }, 'a'] }]);
  });
});
