/**
 * What a model thought, through the product's own agent and client to real servers: it goes back unchanged to where it
 * came from, and nowhere else; and what only its provider can read leaves the session by no other way.
 */

import { afterEach, describe, expect, it } from 'vitest';
import type { lowerContext } from '../../../src/core/context/lower.ts';
import type { AssistantMessage } from '../../../src/core/context/message.ts';
import { viewNext } from '../../../src/core/context/modelView.ts';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import { exportJson, exportMarkdown, exportNormalForm } from '../../../src/core/sessions/exportSession.ts';
import { NOTHING_LIVE } from '../../../src/core/transcript/liveTurn.ts';
import { Transcript } from '../../../src/core/transcript/transcript.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { AnswerReply, Reply } from '../../support/modelServer/modelServerReply.ts';
import { testAgent } from '../../support/testAgent.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const going = new AbortController().signal;
/** As long as a short thought is when it is encrypted. */
const secret = (mark: string) => `gAAAAA${mark}`.padEnd(1_200, 'Zx9_');
const look = (path = 'a.md') => [{ name: 'read_file', arguments: { path } }];

/** The model `name` on a server of its own, which answers from the script. */
async function serve(name: string, dialect: 'chat' | 'responses', script: readonly Reply[]) {
  const server = await startModelServer({ script });
  servers.push(server);
  const client = createEndpointClient({ baseUrl: server.baseUrl, dialect, key: async () => undefined });
  const choice: ModelChoice = { client, model: name, window: 100_000 };
  return {
    server,
    choice,
    inputs: () => server.requests.map(({ body }) => JSON.stringify(body.input ?? body.messages)),
  };
}

async function session(...served: readonly Awaited<ReturnType<typeof serve>>[]) {
  const [first] = served;
  if (!first) throw new Error('no model');
  const resolve = (name: string) => served.find(({ choice }) => choice.model === name)?.choice ?? first.choice;
  const models = { initial: () => first.choice.model, resolve };
  const made = await testAgent(first.choice, { models, files: { 'a.md': 'Alpha', 'b.md': 'Beta' } });
  return { ...made, send: (text: string) => made.agent.send(text, going) };
}

const thinking = (mark: string, more: Partial<AnswerReply>): AnswerReply => ({
  kind: 'answer',
  reasoning: { field: 'reasoning', text: `Thought ${mark}.` },
  encrypted: secret(mark),
  ...more,
});
const notes = (agent: Awaited<ReturnType<typeof session>>['agent']) =>
  agent.journal.path().flatMap((entry) => (entry.type === 'note' ? [entry.text] : []));
const answers = (agent: Awaited<ReturnType<typeof session>>['agent']) =>
  agent.journal
    .path()
    .flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message as AssistantMessage] : [],
    );

describe.each(['responses', 'chat'] as const)('reasoning in the form %s', (dialect) => {
  const script = [
    thinking('one', { calls: look() }),
    thinking('two', { text: 'And b.', calls: look('b.md') }),
    thinking('three', { text: 'Done.' }),
    thinking('four', { text: 'Again.' }),
  ];

  it('goes back unchanged and in order to the model it came from', async () => {
    const thinker = await serve('thinker', dialect, script);
    const { agent, send } = await session(thinker);
    expect(await send('Read both')).toEqual({ kind: 'done' });
    expect(await send('Once more')).toEqual({ kind: 'done' });
    thinker.server.assertDone();
    expect(answers(agent).map(({ reasoning }) => reasoning?.origin)).toEqual(
      Array(4).fill({ endpoint: new URL(thinker.server.baseUrl).origin, model: 'thinker' }),
    );
    const inputs = thinker.inputs();
    for (const [at, before] of inputs.slice(0, -1).entries()) {
      expect(inputs[at + 1]?.startsWith(before.slice(0, -1))).toBe(true);
    }
    const places = ['one', 'two', 'three'].map((mark) => inputs[3]?.indexOf(secret(mark)) ?? -1);
    expect(places.every((place, at) => place > (places[at - 1] ?? 0))).toBe(true);
    expect(agent.journal.path().flatMap((entry) => (entry.type === 'compaction' ? [entry] : []))).toEqual([]);
  });

  it('goes to no other model, which is said, and comes back with the first', async () => {
    const thinker = await serve('thinker', dialect, script);
    const other = await serve('other', dialect, [{ kind: 'answer', text: 'Other here.' }]);
    const { agent, send } = await session(thinker, other);
    await send('Read both');
    await agent.configure('other');
    expect(notes(agent)).toEqual([expect.stringMatching(/^What thinker thought is no longer sent.*answers: 3\)/)]);
    await send('And you?');
    expect(other.inputs()[0]).not.toMatch(/gAAAAA|Thought|reasoning/);
    await agent.configure('thinker');
    await send('Once more');
    expect(notes(agent)).toHaveLength(1);
    for (const mark of ['one', 'two', 'three']) expect(thinker.inputs()[3]).toContain(secret(mark));
    thinker.server.assertDone();
    other.server.assertDone();
  });

  it('is in no export, view, row or line of a strategy, which only say that it is there', async () => {
    const thinker = await serve('thinker', dialect, script);
    const { agent, send, store } = await session(thinker);
    await send('Read both');
    const { journal } = agent;
    const view = viewNext(journal);
    const artefacts = {
      chat: [...exportNormalForm(journal)].join(''),
      json: [...exportJson(journal)].join(''),
      markdown: [...exportMarkdown(journal)].join(''),
      view: JSON.stringify(view),
      rows: JSON.stringify(Transcript.of(journal.path()).rows(journal.context, NOTHING_LIVE, null, 100)),
    };
    expect(store.lines.join('')).toContain(secret('two'));
    for (const [name, text] of Object.entries(artefacts)) {
      expect([name, text.includes('gAAAAA'), text.includes('Thought one.')]).toEqual([name, false, true]);
    }
    const told = view.parts.filter(({ text }) => text.includes('[encrypted reasoning, 1,200 characters]'));
    expect(told).toHaveLength(3);
    for (const { tokens } of told) expect(tokens).toBeLessThan(120);
  });
});

describe('reasoning of before', () => {
  it('that names no origin goes back as words beside calls, and never as items', async () => {
    const thinker = await serve('thinker', 'chat', [{ kind: 'answer', text: 'Hi' }]);
    const { agent, send } = await session(thinker);
    const { journal } = agent;
    const append = (message: Parameters<typeof lowerContext>[0]['conversation'][number]['message']) =>
      journal.append({ type: 'message', message, tokens: 1 });
    await append({ role: 'user', kind: 'user', text: 'Do' });
    const toolCalls = [{ id: 'c', name: 'read_file', arguments: '{}' }];
    const items = [{ type: 'reasoning.encrypted', data: secret('forged') }];
    await append({
      role: 'assistant',
      text: '',
      toolCalls,
      reasoning: { field: 'reasoning_content', text: 'Hm', items },
    });
    await append({ role: 'tool', toolCallId: 'c', toolName: 'read_file', text: 'x' });
    await append({ role: 'assistant', text: 'So.', reasoning: { field: 'reasoning_content', text: 'Hm', items } });
    await send('Go on');
    expect(thinker.inputs()[0]).toContain('"reasoning_content":"Hm"');
    expect(thinker.inputs()[0]?.match(/reasoning/g)).toHaveLength(1);
  });
});
