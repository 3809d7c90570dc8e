/** A turn of the agent with a model of another extension: what is journaled, and what the meter learns of its counts. */

import { expect, test } from 'vitest';
import { createExtensionClient } from '../../../../../src/host/models/extensions/extensionClient.ts';
import { type FakeModel, fakeLanguageModels, parts } from '../../../../support/ports/fakeLanguageModels.ts';
import { testAgent } from '../../../../support/testAgent.ts';

async function agentWith(model: FakeModel) {
  const { api, sent } = fakeLanguageModels(model);
  const client = createExtensionClient({ api, justification: () => 'You chose it.', onFound: () => undefined });
  const files = { 'one.md': 'one two three '.repeat(400) };
  const { agent } = await testAgent({ client, model: 'acme/m', window: 100_000 }, { files });
  const ask = (text: string) => agent.send({ role: 'user', kind: 'user', text }, new AbortController().signal);
  const usages = () => agent.journal.path().flatMap((entry) => (entry.type === 'usage' ? [entry] : []));
  return { agent, ask, sent, usages };
}

/** Reads the file, and answers once it has seen it. */
const answer: FakeModel['answer'] = async function* ({ messages }) {
  // What is counted meanwhile waits for no timer.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const seen = JSON.stringify(messages.at(-1)).includes('callId');
  yield seen ? parts.text('It counts to three.') : parts.call('call_1', 'read_file', { path: 'one.md' });
};

test('what the model’s tokenizer counts is an estimate, from which the meter learns', async () => {
  const { agent, ask, sent, usages } = await agentWith({ answer, countTokens: async (text) => text.length });
  expect(await ask('What is in it?')).toMatchObject({ kind: 'done' });
  expect(sent).toHaveLength(2);
  expect(usages()).toMatchObject([
    { model: 'acme/m', estimated: true, counted: true },
    { model: 'acme/m', estimated: true, counted: true },
  ]);
  // No provider has reported anything, so the meter still estimates, by what this model makes of a text.
  expect(agent.compactor.gauge.reading).toMatchObject({ reported: null });
  expect(agent.compactor.gauge.reading.factor).toBeGreaterThan(2);
});

test('without a tokenizer it is our own estimate', async () => {
  const { agent, ask, usages } = await agentWith({ answer });
  await ask('What is in it?');
  expect(usages().map(({ estimated, counted }) => ({ estimated, counted }))).toEqual([
    { estimated: true, counted: undefined },
    { estimated: true, counted: undefined },
  ]);
  expect(agent.compactor.gauge.reading).toMatchObject({ reported: null, factor: 1 });
});
