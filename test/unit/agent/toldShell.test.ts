/** The model is told by which shell commands run, in the header, which stays the same for as long as that does. */

import { expect, test } from 'vitest';
import { createMemoryFiles } from '../../support/ports/memoryFiles.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const never = new AbortController().signal;

test('one line of the system prompt names shell and system, and the header changes only with it', async () => {
  let line = 'Commands run in Git Bash on Windows.';
  const model = new ScriptedModel(['One.', 'Two.', 'Three.']);
  const { agent } = await testAgent(model.choice(), {
    workspace: {
      files: createMemoryFiles({ 'AGENTS.md': 'Be brief.' }),
      trust: () => 'trusted',
      shell: { ...createMemoryShell(), describe: () => line },
    },
  });
  const headers = () => agent.journal.path().filter(({ type }) => type === 'header').length;
  await agent.send('First.', never);
  await agent.send('Second.', never);
  expect(headers()).toBe(1);
  const [first, second] = model.requests.map(({ messages }) => messages);
  expect(first?.[0]).toMatchObject({ role: 'system', text: expect.stringMatching(/^You are Palimpsest/) });
  expect(first?.[0]).toMatchObject({
    text: expect.stringMatching(/\n\nCommands run in Git Bash on Windows\.\n\n.*Be brief/s),
  });
  expect(second?.slice(0, first?.length)).toEqual(first);

  line = 'Commands run in PowerShell 7 on Windows.';
  await agent.send('Third.', never);
  expect(headers()).toBe(2);
  expect(agent.journal.path().filter(({ type }) => type === 'note')).toEqual([]);
});
