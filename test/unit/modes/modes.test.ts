import { expect, test } from 'vitest';
import { MODE_REMINDERS } from '../../../src/core/instructions/modeReminder.ts';
import type { Question, QuestionAnswer } from '../../../src/core/tools/question.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const signal = new AbortController().signal;
const WRITE = ['write_file', { path: 'a.txt', content: 'new' }] as const;
const RUN = ['run_command', { command: 'npm test' }] as const;
const READ = ['read_file', { path: 'a.txt' }] as const;
const PLAN = ['present_plan', { plan: '# Mend it\n\n1. Write a.txt' }] as const;

/** An agent whose person answers questions in this order. */
async function agentWith(steps: readonly Step[], answers: readonly QuestionAnswer[] = []) {
  const left = [...answers];
  const asked: Question[] = [];
  const model = new ScriptedModel(steps);
  const made = await testAgent(model.choice(), {
    files: { 'a.txt': 'old' },
    person: {
      approver: { ask: async () => ({ kind: 'allow', remember: 'no' }) },
      consent: async () => 'compact',
      questions: {
        ask: async (question) => {
          asked.push(question);
          return left.shift() ?? { kind: 'refuse', reason: '' };
        },
      },
    },
  });
  const results = () =>
    made.agent.journal.context.conversation.flatMap(({ message }) => (message.role === 'tool' ? [message] : []));
  const reminders = () =>
    made.agent.journal.context.conversation.flatMap(({ kind, message }) => (kind === 'reminder' ? [message.text] : []));
  return { ...made, model, asked, results, reminders };
}

test.each(['ask', 'plan'] as const)('%s: reading goes on, the rest is refused with a reason', async (mode) => {
  const { agent, files, shell, results, reminders } = await agentWith([{ calls: [READ, WRITE, RUN] }, 'I read it.']);
  await agent.journal.append({ type: 'mode', mode });
  await agent.send('mend it', signal);
  expect(results().map(({ isError = false }) => isError)).toEqual([false, true, true]);
  expect(results()[1]?.text).toContain(`The session is in mode ${mode}`);
  expect(new TextDecoder().decode(await files.read('a.txt'))).toBe('old');
  expect(shell.ran).toEqual([]);
  expect(reminders()).toEqual([MODE_REMINDERS[mode]]);
});

test('a change of mode is told at the end of the context: what was sent before stays as it is', async () => {
  const { agent, model, reminders } = await agentWith(['One.', 'Two.', 'Three.', 'Four.']);
  await agent.send('first', signal);
  await agent.journal.append({ type: 'mode', mode: 'plan' });
  await agent.send('second', signal);
  await agent.send('third', signal);
  await agent.journal.append({ type: 'mode', mode: 'act' });
  await agent.send('fourth', signal);
  expect(reminders()).toEqual([MODE_REMINDERS.plan, MODE_REMINDERS.act]);
  const [first, ...later] = model.requests;
  let before = first?.messages ?? [];
  for (const { messages, tools } of later) {
    expect(messages.slice(0, before.length)).toEqual(before);
    expect(tools).toEqual(first?.tools);
    before = messages;
  }
});

test('an approved plan ends the mode, in the same turn', async () => {
  const { agent, asked, results, files } = await agentWith(
    [{ calls: [PLAN] }, { calls: [WRITE] }, 'Done.'],
    [{ kind: 'approve', changed: '# Mend it\n\nOnly a.txt' }],
  );
  await agent.journal.append({ type: 'mode', mode: 'plan' });
  await agent.send('mend it', signal);
  expect(asked).toEqual([{ kind: 'plan', text: '# Mend it\n\n1. Write a.txt' }]);
  expect(results()[0]?.text).toContain('Only a.txt');
  expect(agent.journal.mode).toBe('act');
  expect(new TextDecoder().decode(await files.read('a.txt'))).toBe('new');
});

test('a refused plan leaves the mode as it is, and says why', async () => {
  const { agent, results } = await agentWith(
    [{ calls: [PLAN] }, { calls: [WRITE] }, 'I stop.'],
    [{ kind: 'refuse', reason: 'Not that file.' }],
  );
  await agent.journal.append({ type: 'mode', mode: 'plan' });
  await agent.send('mend it', signal);
  expect(results().map(({ text }) => text.includes('Not that file.'))).toEqual([true, false]);
  expect(results().every(({ isError }) => isError)).toBe(true);
  expect(agent.journal.mode).toBe('plan');
});

test('the mode is the person’s: going back does not change it, and it is there when the session is opened again', async () => {
  const { agent, store, results } = await agentWith(['One.', { calls: [WRITE] }, 'Two.']);
  await agent.send('first', signal);
  const before = agent.journal.head;
  await agent.journal.append({ type: 'mode', mode: 'ask' });
  await agent.journal.revert(before, 'dmail');
  expect(agent.journal.mode).toBe('ask');
  await agent.send('second', signal);
  expect(results()[0]?.isError).toBe(true);
  const again = await testAgent(new ScriptedModel([]).choice(), { lines: store.lines });
  expect(again.agent.journal.mode).toBe('ask');
});

test('ask_user: the answer comes back, and nobody asks where nobody is there', async () => {
  const question = { question: 'Which one?', choices: [{ label: 'a' }, { label: 'b', description: 'the new one' }] };
  const { agent, asked, results } = await agentWith(
    [{ calls: [['ask_user', question]] }, 'b it is.'],
    [{ kind: 'answer', text: 'b' }],
  );
  await agent.send('mend it', signal);
  expect(asked).toEqual([
    {
      kind: 'choice',
      text: 'Which one?',
      choices: [
        { label: 'a', description: '' },
        { label: 'b', description: 'the new one' },
      ],
    },
  ]);
  expect(results()[0]?.text).toBe('The person answered: b');
  const model = new ScriptedModel(['Hello.']);
  const alone = await testAgent(model.choice());
  await alone.agent.send('hi', signal);
  const names = model.requests[0]?.tools.map(({ name }) => name);
  expect(names).toContain('write_todos');
  expect(names).not.toContain('ask_user');
  expect(names).not.toContain('present_plan');
});
