/** Limits of cost and tokens: of a turn with its subagents, of a subagent by itself, and of a session, which asks. */

import { describe, expect, test } from 'vitest';
import { readAgentFile } from '../../../src/core/agent/parts/agentFile.ts';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import type { Question, QuestionAnswer } from '../../../src/core/tools/question.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { memorySubagents } from '../../support/memorySubagents.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { type TestAgentOptions, testAgent } from '../../support/testAgent.ts';

const NOBODY = {
  approver: { ask: async () => ({ kind: 'allow', remember: 'no' }) as const },
  consent: async () => 'notNow' as const,
};
const going = new AbortController().signal;
const PRICE = { currency: 'USD', input: 100, output: 0, source: 'settings' } as const;

/** Each request costs ten cents. */
const DIME = { input: 1_000, cached: 0, output: 10, reasoning: 0 };
const look: Step = { text: 'I look.', calls: [['list_directory', { path: '.' }]], usage: DIME };
const says = (text: string): Step => ({ text, usage: DIME });
const tasks = (...titles: readonly string[]): Step => ({
  calls: titles.map((title) => ['task', { title, prompt: title }] as const),
  usage: DIME,
});

/** `answers`: of a person, in turn; null where nobody can be asked. Models have a price unless they are named here. */
async function started(
  steps: readonly Step[],
  settings: object,
  answers: readonly QuestionAnswer[] | null = null,
  { unpriced = [], ...more }: TestAgentOptions & { readonly unpriced?: readonly string[] } = {},
) {
  const model = new ScriptedModel(steps);
  const store = memorySubagents();
  const asked: string[] = [];
  const left = [...(answers ?? [])];
  const choose = (name: string): ModelChoice => ({
    ...model.choice(),
    model: name,
    ...(unpriced.includes(name) ? {} : { price: PRICE }),
  });
  const made = await testAgent(model.choice(), {
    models: { initial: () => 'scripted', resolve: choose },
    subagents: store,
    settings,
    ...more,
    ...(answers && {
      person: {
        ...NOBODY,
        questions: {
          ask: async (question: Question) => {
            asked.push(question.kind === 'permit' ? `${inEnglish(question.text)} ${inEnglish(question.yes)}` : '');
            const answer = left.shift();
            if (!answer) throw new Error('asked too often');
            return answer;
          },
        },
      },
    }),
  });
  const { agent } = made;
  const send = async () => {
    const outcome = await agent.send('go', going);
    return outcome.kind === 'paused' ? inEnglish(outcome.reason) : outcome.kind;
  };
  const results = () =>
    agent.journal.entries.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'tool' ? [entry.message.text] : [],
    );
  // The same count for each request is not what these are about.
  const notes = () =>
    [...agent.journal.ofType('note')].map(({ text }) => text).filter((text) => !text.includes('is not believed'));
  return { agent, model, asked, send, results, notes, sessions: store.sessions };
}

const yes = { kind: 'approve', changed: null } as const;
const no = { kind: 'refuse', reason: '' } as const;

describe('the limit of a turn', () => {
  test('holds for its subagents: what one would begin beyond it does not begin', async () => {
    const { send, model, results, sessions } = await started([tasks('one', 'two'), look, look, look], {
      costLimit: 0.25,
    });
    expect(await send()).toBe('The turn has cost $0.30; its limit is $0.25. Continue, or send a message.');
    expect(model.requests).toHaveLength(3);
    expect(sessions).toHaveLength(2);
    expect(results().map((text) => text.split(': ')[1]?.slice(0, 22))).toEqual([
      'The turn has cost $0.3',
      'The turn has cost $0.3',
    ]);
  });

  test('says which model of a subagent has no price', async () => {
    const file = await readAgentFile(
      `---\nname: cheap\ndescription: Cheap\nmodel: unpriced\n---\nYou help.`,
      'a/cheap.md',
    );
    const give: Step = { calls: [['task', { title: 'one', prompt: 'one', agent: 'cheap' }]], usage: DIME };
    const { send, notes } = await started([give, look, says('Report.'), says('Done.')], { costLimit: 1 }, null, {
      unpriced: ['unpriced'],
      agents: { list: async () => (file ? [file] : []) },
    });
    expect(await send()).toBe('done');
    expect(notes()).toEqual([
      'The cost limit cannot be checked: the price of unpriced is unknown. Set it in the settings of its endpoint.',
    ]);
  });
});

describe('the cap of a subagent', () => {
  test('of money ends it with its last words, and its parent goes on', async () => {
    const { send, model, results } = await started([tasks('one'), look, look, says('I go on.')], {
      budgets: { subagent: 0.2 },
    });
    expect(await send()).toBe('done');
    model.assertDone();
    expect(results()).toEqual([
      'the subagent Palimpsest (session sub1) did not finish: It has cost $0.20; the limit of a subagent is $0.20. Its last words:\n\nI look.',
    ]);
  });

  test('of tokens counts what is read and answered, also where it was only estimated', async () => {
    const uncounted: Step = { ...(look as object), usage: null };
    const { send, model, results } = await started([tasks('one'), look, uncounted, says('I go on.')], {
      budgets: { subagentTokens: 1_050 },
    });
    expect(await send()).toBe('done');
    model.assertDone();
    expect(results()[0]).toMatch(/It has used \d,\d{3} tokens; the limit of a subagent is 1,050\./);
  });

  test('is not there by default', async () => {
    const { send, model } = await started([tasks('one'), look, look, look, says('Report.'), says('Done.')], {});
    expect(await send()).toBe('done');
    model.assertDone();
  });
});

describe('the budget of a session', () => {
  test('asks before the request that would go beyond it, and again at its next multiple', async () => {
    const { send, model, asked, notes } = await started(
      [look, look, look, look, says('Done.')],
      { budgets: { session: 0.2 } },
      [yes, yes],
    );
    expect(await send()).toBe('done');
    model.assertDone();
    expect(asked).toEqual([
      'This session has cost $0.20; its budget is $0.20. Continue? Up to $0.40',
      'This session has cost $0.40; its budget is $0.40. Continue? Up to $0.60',
    ]);
    expect(notes()).toEqual([
      'You allowed this session to cost up to $0.40.',
      'You allowed this session to cost up to $0.60.',
    ]);
  });

  test('counts subagents, asks in the middle of one, and a no ends the turn without another question', async () => {
    const { send, model, asked, results } = await started(
      [tasks('one', 'two'), look, look, look],
      { budgets: { session: 0.2 } },
      [no],
    );
    expect(await send()).toBe('This session has cost $0.20; its budget is $0.20. Continue, or send a message.');
    expect(asked).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
    expect(results()).toHaveLength(2);
  });

  test('asks before the first request of a later turn, too', async () => {
    const { send, model, asked } = await started([look, says('Done.'), says('Again.')], { budgets: { session: 0.2 } }, [
      no,
      yes,
    ]);
    expect(await send()).toBe('done');
    expect(await send()).toMatch(/^This session has cost/);
    expect(model.requests).toHaveLength(2);
    expect(await send()).toBe('done');
    expect(asked).toHaveLength(2);
  });

  test('where nobody can be asked, pauses the turn, and going on is the answer', async () => {
    const { agent, send, model } = await started([look, look, look, says('Done.')], { budgets: { session: 0.2 } });
    expect(await send()).toBe('This session has cost $0.20; its budget is $0.20. Continue, or send a message.');
    expect(await agent.continue(going)).toEqual({ kind: 'done' });
    model.assertDone();
  });
});

test('a question that is stopped ends the turn', async () => {
  const stop = new AbortController();
  const model = new ScriptedModel([look]);
  const { agent } = await testAgent(
    { ...model.choice(), price: PRICE },
    {
      settings: { budgets: { session: 0.1 } },
      person: {
        ...NOBODY,
        questions: {
          ask: async () => {
            stop.abort();
            return no;
          },
        },
      },
    },
  );
  expect(await agent.send('go', stop.signal)).toEqual({ kind: 'stopped', by: 'program' });
});
