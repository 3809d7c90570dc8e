import { describe, expect, test } from 'vitest';
import { normalizeUsage } from '../../../src/providers/normalizeUsage.ts';

const usage = (
  input: number,
  cached: number,
  output: number,
  reasoning = 0,
  written?: number,
  writtenLong?: number,
) => ({
  input,
  cached,
  output,
  reasoning,
  ...(written === undefined ? {} : { written }),
  ...(writtenLong === undefined ? {} : { writtenLong }),
});

describe('usage is normalised at the boundary', { tags: ['N3'] }, () => {
  test.each<readonly [string, unknown, ReturnType<typeof usage> | null]>([
    [
      'OpenAI: prompt includes cached, completion includes reasoning',
      {
        prompt_tokens: 1000,
        completion_tokens: 50,
        total_tokens: 1050,
        prompt_tokens_details: { cached_tokens: 768 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      usage(1000, 768, 50, 20),
    ],
    ['plain', { prompt_tokens: 10, completion_tokens: 2 }, usage(10, 0, 2)],
    [
      'DeepSeek: hit and miss add up to the prompt',
      { prompt_tokens: 1000, completion_tokens: 5, prompt_cache_hit_tokens: 960, prompt_cache_miss_tokens: 40 },
      usage(1000, 960, 5),
    ],
    [
      'DeepSeek without a prompt count',
      { completion_tokens: 5, prompt_cache_hit_tokens: 960, prompt_cache_miss_tokens: 40 },
      usage(1000, 960, 5),
    ],
    [
      'Anthropic: input excludes what was read from and written to the cache',
      { input_tokens: 10, cache_read_input_tokens: 900, cache_creation_input_tokens: 90, output_tokens: 7 },
      usage(1000, 900, 7, 0, 90),
    ],
    [
      'a gateway that mixes both: more cached than prompt',
      { prompt_tokens: 10, cache_read_input_tokens: 900, cache_creation_input_tokens: 90, completion_tokens: 7 },
      usage(1000, 900, 7, 0, 90),
    ],
    [
      'the Responses form',
      {
        input_tokens: 1000,
        input_tokens_details: { cached_tokens: 500 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 4 },
      },
      usage(1000, 500, 9, 4),
    ],
    [
      'Moonshot: cached beside the prompt',
      { prompt_tokens: 100, completion_tokens: 3, cached_tokens: 64 },
      usage(100, 64, 3),
    ],
    [
      'Gemini: thoughts beside candidates',
      { promptTokenCount: 100, candidatesTokenCount: 10, thoughtsTokenCount: 30, cachedContentTokenCount: 20 },
      usage(100, 20, 40, 30),
    ],
    [
      'xAI: the total says that reasoning is not in the completion count',
      {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 140,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      usage(100, 0, 40, 30),
    ],
    [
      'OpenRouter: what was written, of the prompt',
      {
        prompt_tokens: 10_339,
        completion_tokens: 60,
        total_tokens: 10_399,
        prompt_tokens_details: { cached_tokens: 8_000, cache_write_tokens: 2_300, audio_tokens: 0 },
        cost: 0.01,
      },
      usage(10_339, 8_000, 60, 0, 2_300),
    ],
    [
      'OpenRouter: nothing written is said, and is not the same as nothing said',
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 0 },
      },
      usage(100, 100, 1, 0, 0),
    ],
    [
      'the Responses form with what was written',
      {
        input_tokens: 1000,
        input_tokens_details: { cached_tokens: 500, cache_write_tokens: 400 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 4 },
      },
      usage(1000, 500, 9, 4, 400),
    ],
    [
      'Anthropic: how long what was written lives, without the sum',
      {
        input_tokens: 10,
        cache_read_input_tokens: 900,
        cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 30 },
        output_tokens: 7,
      },
      usage(1000, 900, 7, 0, 90, 30),
    ],
    [
      'Anthropic: the sum and what it consists of are counted once',
      {
        input_tokens: 10,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 90,
        cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 30 },
        output_tokens: 7,
      },
      usage(100, 0, 7, 0, 90, 30),
    ],
    [
      'LiteLLM: OpenAI’s form and Anthropic’s counts in one, the prompt inclusive',
      {
        prompt_tokens: 1_000,
        completion_tokens: 7,
        total_tokens: 1_007,
        prompt_tokens_details: { cached_tokens: 900, cache_creation_tokens: 90 },
        cache_read_input_tokens: 900,
        cache_creation_input_tokens: 90,
      },
      usage(1000, 900, 7, 0, 90),
    ],
    [
      'a gateway whose prompt is what was neither read nor written, and more than was read',
      { prompt_tokens: 950, cache_read_input_tokens: 900, cache_creation_input_tokens: 500, completion_tokens: 7 },
      usage(2_350, 900, 7, 0, 500),
    ],
    [
      'Qwen: an explicit cache',
      {
        prompt_tokens: 1_100,
        completion_tokens: 7,
        prompt_tokens_details: {
          cached_tokens: 0,
          cache_creation: { ephemeral_5m_input_tokens: 1_080 },
          cache_creation_input_tokens: 1_080,
          cache_type: 'ephemeral',
        },
      },
      usage(1_100, 0, 7, 0, 1_080, 0),
    ],
    [
      'counts rounded up to whole blocks make no second prompt',
      {
        prompt_tokens: 1_000,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 896, cache_write_tokens: 110 },
      },
      usage(1_000, 896, 7, 0, 104),
    ],
    ['details of null', { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: null }, usage(5, 0, 1)],
    ['zeros are a missing report', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, null],
    ['no input is a missing report', { completion_tokens: 12 }, null],
    ['negative and odd numbers', { prompt_tokens: -5, completion_tokens: Number.NaN }, null],
    ['strings are not numbers', { prompt_tokens: '12' }, null],
    ['null', null, null],
    ['a list', [1, 2], null],
  ])('%s', (_name, raw, expected) => {
    expect(normalizeUsage(raw)).toEqual(expected);
  });
});
