import { describe, expect, it } from 'vitest';
import { priceAt } from '../../../src/core/money.ts';
import { parseEndpoint } from '../../../src/providers/endpoint.ts';
import { tablePrice, tableWindow } from '../../../src/providers/knownModels.ts';
import { readOpenRouter } from '../../../src/providers/modelFacts.ts';

const at = (baseUrl: string, model: string) => tablePrice(parseEndpoint(baseUrl), model);
const OPENAI = 'https://api.openai.com/v1';

describe('the table of prices', () => {
  it('has a price for a model at its own provider, with its day, and for its snapshots', () => {
    const price = { currency: 'USD', input: 1.25, cacheRead: 0.125, output: 10, source: 'table' };
    expect(at(OPENAI, 'gpt-5')).toEqual({ ...price, asOf: expect.stringMatching(/^2026-\d\d-\d\d$/) });
    expect(at(OPENAI, 'gpt-5-2025-08-07')).toEqual(at(OPENAI, 'gpt-5'));
    expect(at('https://api.anthropic.com/v1', 'claude-haiku-4-5-20251001')).toMatchObject({ cacheWrite: 1.25 });
  });

  it('knows other prices for long prompts, for an hour in the cache, and for times of the day', () => {
    expect(at('https://generativelanguage.googleapis.com/v1beta/openai', 'models/gemini-2.5-pro')).toMatchObject({
      input: 1.25,
      longer: [{ above: 200_000, input: 2.5, cacheRead: 0.25, output: 15 }],
    });
    expect(at('https://api.anthropic.com/v1', 'claude-sonnet-5')).toMatchObject({ cacheWrite: 2.5, cacheWriteLong: 4 });
    const price = at('https://api.deepseek.com/v1', 'deepseek-v4-pro');
    expect(price && [0, 2, 5, 7].map((hour) => priceAt(price, Date.UTC(2026, 10, 22, hour)).input)).toEqual([
      0.435, 0.87, 0.435, 0.87,
    ]);
  });

  it('knows the longest prompt where the endpoint does not report it', () => {
    const window = (model: string) => tableWindow(parseEndpoint(OPENAI), model);
    expect(['gpt-5-2025-08-07', 'gpt-4.1', 'gpt-5-pro'].map(window)).toEqual([272_000, 1_047_576, undefined]);
  });

  it.each([
    ['another model', OPENAI, 'gpt-5-pro'],
    ['a model whose name only begins so', OPENAI, 'gpt-5-mini-tuned'],
    ['a name of every object', OPENAI, 'constructor'],
    ['the same name on a local server', 'http://127.0.0.1:11434/v1', 'gpt-5'],
    ['the same name at an unknown endpoint', 'https://llm.example.com/v1', 'gpt-5'],
    ['the same name at another provider', 'https://openrouter.ai/api/v1', 'gpt-5'],
    ['a host that only ends so', 'https://api.openai.com.example.org/v1', 'gpt-5'],
  ])('has none for %s', (_, baseUrl, model) => {
    expect(at(baseUrl, model)).toBeUndefined();
  });
});

describe("OpenRouter's own prices", () => {
  const read = (pricing: unknown) => readOpenRouter('m', { top_provider: {}, pricing } as never)?.price;

  it('are taken for a million tokens', () => {
    const said = {
      prompt: '0.000003',
      completion: '0.000015',
      input_cache_read: '3e-7',
      input_cache_write: '0.00000375',
    };
    expect(read({ ...said, request: '0' })).toEqual({
      currency: 'USD',
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite: 3.75,
      source: 'endpoint',
    });
    expect(read({ prompt: '0', completion: '0' })).toMatchObject({ input: 0, output: 0 });
  });

  it.each([
    ['it depends on the model that is chosen', { prompt: '-1', completion: '-1' }],
    ['half of it is missing', { prompt: '0.000003' }],
    ['it is no number', { prompt: 'free', completion: '' }],
    ['nobody could pay it', { prompt: '1e9', completion: '1' }],
    ['there is none', undefined],
  ])('are unknown where %s', (_, pricing) => {
    expect(read(pricing)).toBeUndefined();
  });
});
