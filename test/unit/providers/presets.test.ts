/** The table of well-known endpoints: every row can be used as it stands, and each address leads to its own row. */

import { expect, test } from 'vitest';
import { parseEndpoint } from '../../../src/providers/endpoint.ts';
import { LOCAL_PRESETS, PRESETS, presetOf } from '../../../src/providers/presets.ts';

test.each(PRESETS)('$id can be set up and is known by its address', (preset) => {
  const endpoint = parseEndpoint(preset.baseUrl);
  expect(endpoint.baseUrl).toBe(preset.baseUrl);
  expect(endpoint.loopback).toBe(preset.local);
  expect(presetOf(endpoint)).toBe(preset);
  expect(preset.keyPage === null).toBe(preset.local);
  expect(preset.id).toMatch(/^[a-z][a-z-]*$/);
});

test('ids are unique', () => {
  expect(new Set(PRESETS.map(({ id }) => id)).size).toBe(PRESETS.length);
});

test('local servers are looked for on their four default ports', () => {
  expect(LOCAL_PRESETS.map(({ id, baseUrl }) => `${id} ${new URL(baseUrl).port}`)).toEqual([
    'ollama 11434',
    'lmstudio 1234',
    'llamacpp 8080',
    'vllm 8000',
  ]);
});

test.each([
  ['https://eu.api.openai.com/v1', 'openai'],
  ['http://localhost:11434/v1', 'ollama'],
  ['http://[::1]:1234/v1', 'lmstudio'],
  ['http://127.0.0.1:9999/v1', undefined],
  ['https://evil-api.openai.com.example/v1', undefined],
  ['https://notapi.openai.com/v1', undefined],
  ['https://models.example:11434/v1', undefined],
])('%s is the row %s', (baseUrl, id) => {
  expect(presetOf(parseEndpoint(baseUrl))?.id).toBe(id);
});
