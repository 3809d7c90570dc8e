/** A model that asks and asks: after three questions without an answer it has to decide, until the next message. */

import { expect, test } from 'vitest';
import type { Question } from '../../../src/core/tools/question.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const asks: Step = { calls: [['ask_user', { question: 'Tabs or spaces?', choices: [] }]] };

test('the fourth question of a turn is not asked', async () => {
  const model = new ScriptedModel([...Array.from({ length: 6 }, () => asks), { text: 'ok' }, asks, { text: 'ok' }]);
  const questions: Question[] = [];
  const approver = { ask: async () => ({ kind: 'allow', remember: 'no' }) as const };
  const ask = async (question: Question) => {
    questions.push(question);
    return { kind: 'refuse', reason: '' } as const;
  };
  const person = { approver, consent: async () => 'compact' as const, questions: { ask } };
  const { agent } = await testAgent(model.choice(), { person });
  const signal = new AbortController().signal;
  await agent.send('go', signal);
  expect(questions).toHaveLength(3);
  const results = agent.journal.context.conversation.flatMap(({ message }) =>
    message.role === 'tool' ? [message.text] : [],
  );
  expect(results.map((text) => text.includes('left 3 questions of this turn unanswered'))).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
  await agent.send('go on', signal);
  expect(questions).toHaveLength(4);
});
