import { expect, test } from 'vitest';
import { runTurn } from '../../../src/core/agent/runTurn.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import type { TestClock } from '../../support/ports/testClock.ts';
import { testAgent } from '../../support/testAgent.ts';

test('what a call took leaves out how long the person thought about it', async () => {
  const model = new ScriptedModel([
    {
      calls: [
        ['write_file', { path: 'a.txt', content: 'a\n' }],
        ['ask_user', { question: 'Tabs or spaces?', choices: [{ label: 'tabs' }] }],
      ],
    },
    'Done.',
  ]);
  const think = () => (ports.toolPorts.clock as TestClock).advance(60_000);
  const { agent } = await testAgent(model.choice(), {
    person: {
      approver: {
        ask: async () => {
          think();
          return { kind: 'allow', remember: 'no' };
        },
      },
      consent: async () => 'compact',
      questions: {
        ask: async () => {
          think();
          return { kind: 'answer', text: 'tabs' };
        },
      },
    },
  });
  const ports = agent.turnWith(model.choice());
  await runTurn({ role: 'user', kind: 'user', text: 'go' }, ports, new AbortController().signal);
  const results = agent.journal
    .path()
    .flatMap((entry) => (entry.type === 'message' && entry.message.role === 'tool' ? [entry.message] : []));
  expect(results.map(({ toolName, isError, durationMs }) => [toolName, isError ?? false, durationMs])).toEqual([
    ['write_file', false, 0],
    ['ask_user', false, 0],
  ]);
});
