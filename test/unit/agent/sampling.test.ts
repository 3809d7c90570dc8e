/** Servers that ask the model during a call: the whole agent over real programs, with the person's answers. */

import { afterEach, expect, test } from 'vitest';
import { Sampling } from '../../../src/core/mcp/sample.ts';
import type { Question, QuestionAnswer } from '../../../src/core/tools/question.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { Questions } from '../../../src/node/session/questions.ts';
import { nodeCrypto } from '../../../src/node/storage/disk/fileBlobStore.ts';
import { EVERYTHING, hostile, type StartedServers, startServers } from '../../support/mcp/startServers.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

let open: StartedServers | null = null;
afterEach(async () => {
  await open?.stop();
  open = null;
});

const PRICE = { currency: 'USD', input: 1, output: 1, source: 'settings' } as const;
const ONCE: QuestionAnswer = { kind: 'approve', changed: null };
const NO: QuestionAnswer = { kind: 'refuse', reason: '' };
const asks = (prompt: string): Step => ({
  calls: [['mcp__s__trigger-sampling-request', { prompt, maxTokens: 50 }]],
  usage: { input: 1_000, cached: 0, output: 10, reasoning: 0 },
});

async function started(steps: readonly Step[], answers: QuestionAnswer[], costLimit = 0) {
  open = startServers({ s: { command: process.execPath, args: [EVERYTHING] } });
  const model = new ScriptedModel(steps);
  const asked: Question[] = [];
  const questions = {
    ask: async (question: Question) => {
      asked.push(question);
      return answers.shift() ?? NO;
    },
  };
  const { agent } = await testAgent(
    { ...model.choice(), price: PRICE },
    {
      mcp: open.servers,
      settings: { costLimit },
      person: {
        approver: { ask: async () => ({ kind: 'allow', remember: 'no' }) },
        consent: async () => 'compact',
        questions,
      },
    },
  );
  const send = (text: string) => agent.send(text, new AbortController().signal);
  const results = () =>
    agent.journal.context.conversation.flatMap(({ message }) => (message.role === 'tool' ? [message.text] : []));
  return { agent, model, asked, send, results, servers: open };
}

test('one request is shown whole, allowed, answered without tools or history, and counted in the session', async () => {
  const { agent, model, asked, send, results } = await started(
    [asks('Name a\u202E fruit'), { text: 'Apple.' }, { text: 'It said apple.' }],
    [ONCE],
  );
  const before = agent.journal.spending;
  await send('go');
  model.assertDone();
  expect(asked).toMatchObject([
    {
      kind: 'permit',
      detail: expect.stringMatching(
        /^\[system\]\nYou are a helpful test server\.\n\n\[user\]\n.*Name a⟨U\+202E⟩ fruit$/s,
      ),
    },
  ]);
  const [question] = asked;
  expect(question?.kind === 'permit' && inEnglish(question.text)).toMatch(
    /The MCP server s wants to ask the model \S+, for an answer of up to 50 tokens/,
  );
  expect(model.requests[1]).toMatchObject({
    tools: [],
    maxOutputTokens: 50,
    messages: [
      { role: 'system', text: 'You are a helpful test server.' },
      { role: 'user', text: expect.stringContaining('fruit') },
    ],
  });
  expect(model.requests[1]?.messages).toHaveLength(2);
  expect(results()[0]).toContain('"text": "Apple."');
  expect(results()[0]).toContain('"stopReason": "endTurn"');
  expect(agent.journal.spending.requests - before.requests).toBe(3);
  expect(agent.journal.spending.usage.input - before.usage.input).toBe(1_000 + 100 + 100);
  const usage = agent.journal.entries.filter(({ type }) => type === 'samplingUsage');
  expect(usage).toMatchObject([{ server: 's', usage: { input: 100, output: 10 }, cost: { amount: 0.00011 } }]);
  expect(agent.journal.path().some((entry) => entry.type === 'note' && /s asked the model/.test(entry.text))).toBe(
    true,
  );
});

test('refused, the server is told so with the code of the specification, and nothing is sent', async () => {
  const { model, asked, send, results } = await started([asks('Name a fruit'), { text: 'ok' }], [NO]);
  await send('go');
  model.assertDone();
  expect(asked).toHaveLength(1);
  expect(results()[0]).toMatch(/-1\b.*User rejected sampling request/s);
});

test('allowed for good, that server asks without a question until it is withdrawn', async () => {
  const { model, asked, send, servers } = await started(
    [asks('one'), { text: 'A.' }, asks('two'), { text: 'B.' }, { text: 'done' }, asks('three'), { text: 'done' }],
    [{ ...ONCE, always: true }, NO],
  );
  await send('go');
  expect(asked).toHaveLength(1);
  expect(servers.decisions.allowed.map(({ kind, name }) => [kind, name])).toEqual([['sampling', 's']]);
  for (const { hash } of servers.decisions.allowed) await servers.decisions.withdraw(hash);
  await send('again');
  expect(asked).toHaveLength(2);
  model.assertDone();
});

test('nothing is sent once the turn has reached its limit of cost', async () => {
  const { model, send, results } = await started([asks('one')], [ONCE], 0.001);
  expect((await send('go')).kind).toBe('paused');
  model.assertDone();
  expect(results()[0]).toContain('The turn has cost');
});

test('a question ends with the call that it belongs to', async () => {
  open = startServers({ s: hostile('samplesAndEnds') });
  const person = new Questions<Question, QuestionAnswer>(nodeCrypto, NO, () => undefined);
  const ask = () => Promise.reject(new Error('nothing may be sent'));
  const model = { name: () => 'm', hide: (text: string) => text, ask };
  const done = open.call('act', {}, { questions: person, model });
  await expect.poll(() => person.pending?.kind).toBe('permit');
  await done;
  expect(person.pending).toBeNull();
});

test.each<[string, Parameters<Sampling['answer']>[0], RegExp]>([
  ['tools', { tools: [] }, /Tools are not supported/],
  ['no messages', { messages: [] }, /There is no message/],
  [
    'an image',
    { messages: [{ role: 'user', content: { type: 'image', data: '', mimeType: 'image/png' } }] },
    /Only text/,
  ],
  ['another speaker', { messages: [{ role: 'system', content: { type: 'text', text: 'a' } }] }, /Only text/],
  ['a long text', { messages: [{ role: 'user', content: { type: 'text', text: 'a'.repeat(60_000) } }] }, /longer than/],
  ['no limit', { maxTokens: 0 }, /maxTokens/],
])('a request with %s is an error, and nobody is asked', async (_, given, said) => {
  const never = () => Promise.reject(new Error('not asked'));
  const sampling = new Sampling({
    server: 's',
    model: { name: () => 'm', hide: (text) => text, ask: never },
    askPerson: never,
    isAllowed: () => false,
    allowAlways: never,
  });
  const messages = [{ role: 'user', content: { type: 'text', text: 'a' } }];
  const answer = await sampling.answer({ messages, maxTokens: 5, ...(given as object) }, new AbortController().signal);
  expect(answer).toMatchObject({ kind: 'error', code: -32_602, message: expect.stringMatching(said) });
});
