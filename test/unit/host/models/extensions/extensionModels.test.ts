/** Which models of other extensions are listed, when extensions are asked for them, and what is remembered. */

import { expect, test } from 'vitest';
import type { Memento } from 'vscode';
import { ExtensionModels } from '../../../../../src/host/models/extensions/extensionModels.ts';
import { type FakeModel, fakeLanguageModels, of, parts } from '../../../../support/ports/fakeLanguageModels.ts';

const TWO: readonly FakeModel[] = [{ id: 'b', window: 64_000 }, { id: 'a' }];

/** `stored` is what earlier windows remembered. */
function extensionModels(
  options: {
    readonly offered?: readonly FakeModel[];
    readonly chosen?: string;
    readonly stored?: Map<string, unknown>;
  } = {},
) {
  const { offered = TWO, chosen = '', stored = new Map<string, unknown>() } = options;
  const lm = fakeLanguageModels(...offered);
  const faults: unknown[] = [];
  const state = {
    get: (key: string) => stored.get(key),
    update: async (key: string, value: unknown) => void stored.set(key, JSON.parse(JSON.stringify(value))),
  } as unknown as Memento;
  const models = new ExtensionModels({
    api: lm.api,
    state,
    chosen: () => chosen,
    justification: () => '',
    heading: 'Others',
    onFault: (thrown) => faults.push(thrown),
  });
  return { ...lm, models, stored, faults };
}

test.each([
  ['acme/m@vscode', true],
  ['copilot/gpt-5@x@vscode', true],
  ['openrouter/openai/gpt-5@vscode', true],
  ['m@vscode', false],
  ['acme/@vscode', false],
  ['/m@vscode', false],
  ['acme/m', false],
  ['m@endpoint', false],
  ['demo', false],
])('%s is a model of another extension: %s', (id, is) => {
  expect(extensionModels().models.owns(id)).toBe(is);
});

test('no extension is asked, and no model is listed, before the person asks', async () => {
  const { models, selected, announce } = extensionModels();
  await models.load();
  announce();
  expect(models.choices(null)).toEqual([]);
  expect(selected).toEqual([]);
});

test('what was found is listed in this window and in the next, without asking again', async () => {
  const { models, stored } = extensionModels();
  await models.find();
  const choices = [
    { id: 'acme/a@vscode', label: 'Model a', description: 'acme/a', group: 'Others' },
    { id: 'acme/b@vscode', label: 'Model b', description: 'acme/b', group: 'Others' },
  ];
  expect(models.choices(null)).toEqual(choices);
  const next = extensionModels({ stored });
  await next.models.load();
  expect(next.models.choices(null)).toEqual(choices);
  expect(next.models.resolve('acme/b@vscode')).toMatchObject({ model: 'acme/b', window: 64_000 });
  expect(next.selected).toEqual([]);
});

test('a change of what is offered is followed once extensions were asked', async () => {
  const { models, offer, announce } = extensionModels();
  let told = 0;
  models.onDidChange(() => told++);
  await models.find();
  offer({ id: 'c' });
  announce();
  await expect.poll(() => models.choices(null).map(({ id }) => id)).toEqual(['acme/c@vscode']);
  expect(told).toBe(2);
});

test('news that are the answer to a question lead to no further question', async () => {
  const lm = extensionModels();
  const { selectChatModels } = lm.api;
  lm.api.selectChatModels = async (selector) => {
    lm.announce();
    return selectChatModels(selector);
  };
  await lm.models.find();
  lm.announce();
  await expect.poll(() => lm.selected.length).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(lm.selected).toHaveLength(2);
});

test('the model set for new sessions is asked for alone, and nobody waits for it', async () => {
  const { models, selected } = extensionModels({ chosen: 'acme/b@vscode' });
  expect(models.choices('acme/b@vscode')).toEqual([
    { id: 'acme/b@vscode', label: 'b', description: 'acme/b', group: 'Others' },
  ]);
  expect(models.resolve('acme/b@vscode').window).toBe(0);
  await models.load();
  expect(selected).toEqual([{ vendor: 'acme', id: 'b' }]);
  await expect.poll(() => models.resolve('acme/b@vscode').window).toBe(64_000);
});

test('a request brings the window of its model up to date, and moves nothing in the list', async () => {
  const { models, offer } = extensionModels();
  await models.find();
  offer({ id: 'a', window: 5_000, answer: () => of(parts.text('Hi')) }, { id: 'b' });
  const { client, model } = models.resolve('acme/a@vscode');
  const request = { model, messages: [{ role: 'user', text: 'Hi' }] as const, tools: [] };
  for await (const _ of client.stream(request, new AbortController().signal));
  expect(models.resolve('acme/a@vscode').window).toBe(5_000);
  expect(models.choices(null).map(({ id }) => id)).toEqual(['acme/a@vscode', 'acme/b@vscode']);
});

test('an extension that fails to list its models is told to the log', async () => {
  const lm = extensionModels({ chosen: 'acme/b@vscode' });
  lm.api.selectChatModels = () => Promise.reject(new Error('boom'));
  await lm.models.load();
  await expect.poll(() => lm.faults).toEqual([new Error('boom')]);
});

test('damaged memory is nothing remembered', () => {
  expect(
    extensionModels({ stored: new Map([['palimpsest.extensionModels', [{ vendor: 7 }]]]) }).models.choices(null),
  ).toEqual([]);
});
