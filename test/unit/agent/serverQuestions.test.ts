/** What MCP servers ask again and again, in turns of the whole agent with real servers: bounded, and said to the person. */

import { afterEach, describe, expect, test } from 'vitest';
import type { Question, QuestionAnswer } from '../../../src/core/tools/question.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { hostile, type StartedServers, startServers } from '../../support/mcp/startServers.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

let open: StartedServers | null = null;
afterEach(async () => {
  await open?.stop();
  open = null;
});

const NO: QuestionAnswer = { kind: 'refuse', reason: '' };
const calls = (name = 'mcp__s__look'): Step => ({ calls: [[name, {}]] });
const answers = { text: 'ok' };

async function withServer(
  way: string,
  steps: readonly Step[],
  answer: (question: Question) => QuestionAnswer | Promise<QuestionAnswer>,
) {
  open = startServers({ s: hostile(way) });
  const model = new ScriptedModel(steps);
  const questions: Question[] = [];
  const shown: string[] = [];
  const ask = async (question: Question) => {
    questions.push(question);
    return answer(question);
  };
  const approver = { ask: async () => ({ kind: 'allow', remember: 'no' }) as const };
  const { agent } = await testAgent(model.choice(), {
    mcp: open.servers,
    person: { approver, consent: async () => 'compact', questions: { ask } },
    events: {
      onTurn: (event) => {
        if (event.type === 'output') shown.push(event.text);
      },
      onProgress: () => undefined,
      onCompaction: () => undefined,
    },
  });
  const path = () => agent.journal.path();
  return {
    send: (text: string) => agent.send(text, new AbortController().signal),
    questions,
    shown,
    results: () =>
      agent.journal.context.conversation.flatMap(({ message }) => (message.role === 'tool' ? [message.text] : [])),
    notes: () => path().flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])),
  };
}

const TOLD =
  'You declined 3 questions of the MCP server s in this turn. Its further questions are declined without asking you, until your next message. If you do not need it, switch it off in “MCP Servers…”.';

describe('questions that are declined', () => {
  test('after three in a turn the rest is declined unasked, over all its calls, and the person is told once', async () => {
    const { send, questions, notes, results } = await withServer(
      'asksOften',
      [calls(), calls(), answers, calls(), answers],
      () => NO,
    );
    await send('go');
    expect(questions).toHaveLength(3);
    expect(results().map((text) => text.split('decline').length - 1)).toEqual([30, 30]);
    expect(notes()).toEqual([TOLD]);
    // With the next message it may ask again.
    await send('and now');
    expect(questions).toHaveLength(6);
    expect(notes()).toEqual([TOLD, TOLD]);
  });

  test('a form of which every field is left empty was declined', async () => {
    const { send, results } = await withServer('asksForSecrets', [calls(), answers], () => NO);
    await send('go');
    expect(results()).toEqual(['decline']);
  });

  test('the same with what it asks of the model', async () => {
    const steps = [...Array.from({ length: 5 }, () => calls()), answers];
    const { send, questions, notes } = await withServer('samples', steps, () => NO);
    await send('go');
    expect(questions.map(({ kind }) => kind)).toEqual(['permit', 'permit', 'permit']);
    expect(notes()).toEqual([TOLD]);
  });
});

test('questions that are answered end, too', async () => {
  const answer = () => ({ kind: 'answer', text: 'here' }) as const;
  const { send, questions, notes, results } = await withServer('asksOften', [calls(), answers], answer);
  await send('go');
  expect(questions).toHaveLength(20);
  expect(results()[0]?.split('accept').length).toBe(21);
  expect(notes()).toEqual([
    'The MCP server s has asked you 20 times in this turn. Its further questions are declined without asking you, until your next message.',
  ]);
});

test('of hundreds at once ten wait for the person, and the others are refused in words', async () => {
  const refused = () =>
    open?.servers.listed.flatMap(({ standing }) =>
      standing.kind === 'ready' ? standing.run.log.filter((line) => line.includes('wait already')) : [],
    ) ?? [];
  const answer = async () => {
    await expect.poll(() => refused().length).toBe(290);
    return { kind: 'answer', text: 'here' } as const;
  };
  const { send, results, questions } = await withServer('asksAtOnce', [calls(), answers], answer);
  await send('go');
  const lines = (results()[0] ?? '').split('\n');
  expect(questions).toHaveLength(10);
  expect(lines.filter((line) => line === 'accept')).toHaveLength(10);
  expect(lines.filter((line) => /10 of its requests .* wait already. This one is refused/.test(line))).toHaveLength(
    290,
  );
});

test('a field that asks for a secret is marked, whatever hides it, and the others are not', async () => {
  const answer = (question: Question): QuestionAnswer => ({
    kind: 'answer',
    text: JSON.stringify(question).includes('PIN') ? '1' : 'x',
  });
  const { send, questions } = await withServer('asksForSecrets', [calls(), answers], answer);
  await send('go');
  const marks = questions.map((question) => {
    if (question.kind !== 'choice') return question.kind;
    const text = typeof question.text === 'string' ? question.text : inEnglish(question.text);
    return [question.secret === true, text.includes('It seems to ask for a password, a key or another secret.')];
  });
  expect(marks).toEqual([
    [false, false],
    [true, true],
    [true, true],
    [true, true],
    [true, true],
  ]);
});

test('of thousands of reports of progress the first are shown, and that there are more', async () => {
  const { send, shown } = await withServer('reportsProgress', [calls(), answers], () => NO);
  await send('go');
  const lines = shown.join('').trimEnd().split('\n');
  expect(lines).toHaveLength(1_001);
  expect(lines.at(-1)).toBe('It has reported its progress 1000 times. What follows is not shown.');
});
