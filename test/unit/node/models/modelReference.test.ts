/** Which endpoint and which of its models a reference names; no request goes to another endpoint than was chosen. */

import { expect, test } from 'vitest';
import { type ConfiguredEndpoint, findModel, referTo } from '../../../../src/node/models/endpointConfig.ts';

const endpoint = (id: string, ...names: string[]): ConfiguredEndpoint => ({
  id,
  baseUrl: `https://${id}.example/v1`,
  models: names.map((name) => ({ name, contextWindow: 1_000 })),
});
const ENDPOINTS = [
  endpoint('first', 'old', 'both'),
  endpoint('work', 'big', 'both', 'qwen2.5:7b', '@cf/meta/llama'),
  endpoint('home', 'small', 'name@with', 'both'),
];

function found(reference: string, beside?: string): string {
  const near = beside === undefined ? undefined : ENDPOINTS.find(({ id }) => id === beside);
  const model = findModel(reference, ENDPOINTS, near);
  if (model.kind === 'found') return `${model.model.name} at ${model.endpoint.id}`;
  return model.kind === 'gone' ? `${model.name}, gone with ${model.endpoint}` : 'none';
}

test.each([
  ['', 'none'],
  ['big@work', 'big at work'],
  ['unlisted@work', 'unlisted at work'],
  ['qwen2.5:7b@home', 'qwen2.5:7b at home'],
  ['@cf/meta/llama@work', '@cf/meta/llama at work'],
  ['name@with@home', 'name@with at home'],
  // Bare names: whoever lists them, else the first.
  ['big', 'big at work'],
  ['both', 'both at first'],
  ['name@with', 'name@with at home'],
  ['@cf/meta/llama', '@cf/meta/llama at work'],
  ['unlisted', 'unlisted at first'],
  ['claude-sonnet-4@20250514', 'claude-sonnet-4@20250514 at first'],
  ['claude-haiku@default', 'claude-haiku@default at first'],
  ['qwen2.5-coder-14b@q4_k_m', 'qwen2.5-coder-14b@q4_k_m at first'],
  ['@cf/meta/unlisted', '@cf/meta/unlisted at first'],
  // What names an endpoint goes to no other.
  ['big@removed', 'big, gone with removed'],
  ['old@removed', 'old, gone with removed'],
])('%j is %s', (reference, expected) => {
  expect(found(reference)).toBe(expected);
});

test.each([
  ['both', 'home', 'both at home'],
  ['unlisted', 'work', 'unlisted at work'],
  ['small', 'work', 'small at home'],
  ['big@work', 'home', 'big at work'],
])('%j beside a model of %s is %s', (reference, beside, expected) => {
  expect(found(reference, beside)).toBe(expected);
});

test('what is said of a listed model comes with it', () => {
  expect(findModel('big@work', ENDPOINTS)).toMatchObject({ model: { contextWindow: 1_000 } });
});

test('without any endpoint there is none', () => {
  expect(findModel('big', [])).toEqual({ kind: 'none' });
});

test('a reference to a listed model leads back to it', () => {
  for (const { id, models } of ENDPOINTS) {
    for (const { name } of models) {
      expect(found(referTo(name, id))).toBe(`${name} at ${id}`);
    }
  }
});
