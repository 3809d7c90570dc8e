/** A session that is opened again asks as it did before: a provider's prompt cache outlives a reload of the window. */

import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/core/model/modelClient.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { type TestAgentOptions, testAgent } from '../../support/testAgent.ts';

const going = new AbortController().signal;
const SKILL = '---\nname: review\ndescription: Reviews\n---\nReview it.';
const FILES = {
  'AGENTS.md': 'Write short sentences.',
  'src/AGENTS.md': 'Here live the sources.',
  'src/a.ts': 'const a = 1;\n'.repeat(200),
  '.agents/skills/review/SKILL.md': SKILL,
};
const OPTIONS: TestAgentOptions = {
  files: FILES,
  compaction: { strategy: 'tool-result-hiding', 'toolResultHiding.preserveRecentGroups': 1 },
  world: { ownMemory: async () => ({ origin: '~/.agents/AGENTS.md', text: 'Be kind.' }) },
};

async function opened(steps: readonly Step[], lines?: readonly string[]) {
  const model = new ScriptedModel(steps);
  const made = await testAgent(model.choice(), { ...OPTIONS, ...(lines ? { lines } : {}) });
  const say = async (text: string) => {
    expect(await made.agent.send(text, going)).toEqual({ kind: 'done' });
    return model.requests.at(-1) as ModelRequest;
  };
  return { ...made, model, say };
}

const read: Step = {
  text: 'I look.',
  calls: [
    ['read_file', { path: 'src/a.ts' }],
    ['read_file', { path: 'gone.ts' }],
  ],
};

test.each([
  ['after a turn', async () => {}],
  [
    'after a compaction and its undo',
    async ({ agent }: Awaited<ReturnType<typeof opened>>) => {
      const { kind } = await agent.compactor.compact({ trigger: 'manual' }, going);
      expect([kind, await agent.compactor.undo()]).toEqual(['compacted', true]);
    },
  ],
])('%s, each request begins with the one before the reload', async (_when, change) => {
  const session = await opened([read, read, 'It is one.', read, 'Still one.', 'Yes.']);
  await session.say('Never touch generated files. What is a?');
  await change(session);
  await session.say('look again');
  const before = await session.say('sure?');
  const again = await opened(['Again.'], session.store.lines);
  const after = await again.say('are you there?');
  expect(after.tools).toEqual(before.tools);
  expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
  expect({ ...after, messages: [], expected: null }).toEqual({ ...before, messages: [], expected: null });
});
