/** Turns at one endpoint and summaries at another: over HTTP, with the product's own clients, keys and settings. */

import { expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../../../src/core/journal/entry.ts';
import { EndpointModels } from '../../../../src/host/models/endpoints/endpointModels.ts';
import { readAgentSettings } from '../../../../src/node/agentSettings.ts';
import { type ModelServer, startModelServer } from '../../../support/modelServer/modelServer.ts';
import { memoryFacts } from '../../../support/ports/memoryFacts.ts';
import { memorySecrets } from '../../../support/ports/memorySecrets.ts';
import { type TestAgent, testAgent } from '../../../support/testAgent.ts';

/** Of the summary model's requests; the session's own model has ten times as much. */
const SMALL_WINDOW = 6_000;
const LONG = 'retries wait longer each time, and nobody knows why. '.repeat(500);
const going = new AbortController().signal;

async function start(key: string): Promise<ModelServer> {
  const server = await startModelServer({ key, script: () => ({ kind: 'answer', text: `written with ${key}` }) });
  onTestFinished(() => server.close());
  return server;
}

interface Session extends TestAgent {
  readonly main: ModelServer;
  readonly cheap: ModelServer;
  entries(): readonly Entry[];
}

/** `summary`: the setting `compaction.summary.model`. */
async function session(summary: string, lines?: readonly string[]): Promise<Session> {
  const [main, cheap] = await Promise.all([start('sk-main'), start('sk-cheap')]);
  const values: Record<string, unknown> = {
    model: 'big@main',
    endpoints: [
      { id: 'cheap', baseUrl: cheap.baseUrl, models: [{ name: 'small', contextWindow: SMALL_WINDOW }, 'both'] },
      { id: 'main', baseUrl: main.baseUrl, models: [{ name: 'big', contextWindow: 10 * SMALL_WINDOW }, 'both'] },
    ],
  };
  const { settings } = readAgentSettings((key) => ({ value: values[key], explicit: key in values }));
  const keys = { [new URL(main.baseUrl).origin]: 'sk-main', [new URL(cheap.baseUrl).origin]: 'sk-cheap' };
  const models = new EndpointModels(() => settings, memorySecrets(keys), memoryFacts());
  await models.load();
  const unused = models.resolve('big@main');
  if ('problem' in unused) throw new Error('The model must be usable.');
  const made = await testAgent(unused, {
    ...(lines && { lines }),
    models: { initial: () => settings.model, resolve: (name, _purpose, beside) => models.resolve(name, beside) },
    compaction: { strategy: 'llm-summary', 'summary.model': summary },
  });
  return { ...made, main, cheap, entries: () => [...made.agent.journal.newest(10_000)].reverse() };
}

async function compact({ agent }: Session): Promise<void> {
  for (const text of ['one', 'two', 'three', 'four']) {
    expect(await agent.send(`${text} ${LONG}`, going)).toMatchObject({ kind: 'done' });
  }
  expect(await agent.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({ kind: 'compacted' });
}

const asked = ({ requests }: ModelServer) => [...new Set(requests.map(({ body }) => body.model))];
const keysSeen = ({ requests }: ModelServer) => [...new Set(requests.map(({ headers }) => headers.authorization))];
const summaryOf = ({ agent }: Session) =>
  agent.journal.context.conversation
    .map(({ message }) => message)
    .find((message) => message.role === 'user' && message.kind === 'summary');

test('each endpoint gets its own requests with its own key, and a summary fits the window of its own model', {
  tags: ['B11'],
}, async () => {
  const s = await session('small@cheap');
  await compact(s);
  expect([asked(s.main), asked(s.cheap)]).toEqual([['big'], ['small']]);
  expect([keysSeen(s.main), keysSeen(s.cheap)]).toEqual([['Bearer sk-main'], ['Bearer sk-cheap']]);
  expect(s.main.requests).toHaveLength(4);
  // The history is several times as long as the window of the model that reads it.
  expect(s.cheap.requests.length).toBeGreaterThan(1);
  for (const { body } of s.cheap.requests) expect(JSON.stringify(body).length / 4).toBeLessThan(SMALL_WINDOW);
  expect(summaryOf(s)?.text).toContain('written with sk-cheap');
  expect(s.entries().find(({ type }) => type === 'compaction')).toMatchObject({ summaryModel: 'small' });
});

test('a bare name is looked for at the session’s own endpoint first', { tags: ['B11'] }, async () => {
  const s = await session('both');
  await compact(s);
  expect([asked(s.main), asked(s.cheap)]).toEqual([['big', 'both'], []]);
});

test('a summary model that cannot be used is said once, with what to do, and the session’s own takes its place', {
  tags: ['B11'],
}, async () => {
  const s = await session('small@removed');
  await compact(s);
  await compact(s);
  expect([asked(s.main), asked(s.cheap)]).toEqual([['big'], []]);
  const notes = s.entries().flatMap((entry) => (entry.type === 'note' ? [entry] : []));
  expect(notes.map(({ level, action, text }) => [level, action, text])).toEqual([
    [
      'warning',
      'openSettings',
      'The model that is set for summaries cannot be used, so big wrote this one. The setting is palimpsest.compaction.summary.model. The model small belongs to the endpoint “removed”, which is no longer set up. Choose another model, or set the endpoint up again.',
    ],
  ]);
});

test('the session’s choice outlives the agent that made it', async () => {
  const first = await session('');
  await first.agent.configure('small@cheap');
  expect(await first.agent.send('hello', going)).toMatchObject({ kind: 'done' });
  const second = await session('', first.store.lines);
  expect(second.agent.modelName).toBe('small@cheap');
  expect(second.agent.model).toMatchObject({ model: 'small', window: SMALL_WINDOW });
  expect(await second.agent.send('and again', going)).toMatchObject({ kind: 'done' });
  expect([asked(second.main), asked(second.cheap)]).toEqual([[], ['small']]);
});
