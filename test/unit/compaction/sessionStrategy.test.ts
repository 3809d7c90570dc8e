/** The strategy of one session: chosen in its journal, on every branch, and the newer choice beside its agent's file. */

import { expect, test } from 'vitest';
import { createAgent } from '../../../src/core/agent/createAgent.ts';
import { clearConversation } from '../../../src/core/journal/timeTravel.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { memorySubagents } from '../../support/memorySubagents.ts';
import { memoryBlobs, memoryStore } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { testAgent } from '../../support/testAgent.ts';

const going = new AbortController().signal;

/** The agents of two sessions under one setting, which can be changed. */
async function twoSessions() {
  const setting = { strategy: 'llm-summary' };
  const open = async (lines?: readonly string[]) =>
    testAgent(new ScriptedModel(['Done.']).choice(), { compaction: () => setting, ...(lines ? { lines } : {}) });
  return { setting, open, one: await open(), other: await open() };
}

test('one session tries a strategy: the other keeps the setting, and the choice outlives a restart', async () => {
  const { setting, open, one, other } = await twoSessions();
  const inForce = () => [one, other].map(({ agent }) => agent.compactionSettings().strategy);
  await one.agent.chooseStrategy('selective');
  expect(inForce()).toEqual(['selective', 'llm-summary']);
  expect(one.agent.compactionSettings().chosenBy).toEqual({ by: 'session' });

  setting.strategy = 'round-summary';
  expect(inForce()).toEqual(['selective', 'round-summary']);
  const again = await open(one.store.lines);
  expect(again.agent.compactionSettings().strategy).toBe('selective');

  await one.agent.chooseStrategy(null);
  expect(inForce()).toEqual(['round-summary', 'round-summary']);
  expect(one.agent.compactionSettings().chosenBy).toBeUndefined();
  // The same choice again writes nothing.
  const { length } = one.agent.journal.entries;
  await one.agent.chooseStrategy(null);
  expect(one.agent.journal.entries).toHaveLength(length);
});

test('it is the session’s on every branch, and where its journal was imported', async () => {
  const { one } = await twoSessions();
  const { agent } = one;
  await agent.send('Hello', going);
  await agent.chooseStrategy('selective');
  expect((await clearConversation(agent.journal)).kind).toBe('done');
  expect(agent.compactionSettings().strategy).toBe('selective');
  await agent.journal.append({ type: 'opened', writer: 'import', imported: true });
  expect(agent.compactionSettings().strategy).toBe('selective');
});

test('of the person’s choice and that of the agent’s file, the newer one counts', async () => {
  const { one } = await twoSessions();
  const { agent } = one;
  const reviewer = { id: 'reviewer.md', name: 'reviewer', strategy: 'round-summary' };
  const inForce = () => agent.compactionSettings().strategy;
  await agent.chooseStrategy('selective');
  await agent.chooseAgent(reviewer);
  expect([inForce(), agent.compactionSettings().chosenBy]).toEqual([
    'round-summary',
    { by: 'agent', file: 'reviewer.md' },
  ]);
  await agent.chooseAgent(null);
  expect(inForce()).toBe('selective');
  await agent.chooseAgent(reviewer);
  await agent.chooseStrategy(null);
  expect([inForce(), agent.chosenAgent?.name]).toEqual(['llm-summary', 'reviewer']);
  // What follows the agent to another branch is what was in force.
  await agent.journal.append({ type: 'agent', agent: agent.chosenAgent });
  expect(inForce()).toBe('llm-summary');
});

test('the compactor runs it, and a chosen one that is gone is said with where it was chosen', async () => {
  const { agent } = (await twoSessions()).one;
  for (let i = 0; i < 6; i++) {
    const call = { id: `t${i}`, name: 'read_file', arguments: '{}' };
    const text = `${i} word `.repeat(2_000);
    await agent.journal.append({
      type: 'message',
      message: { role: 'assistant', text: '', toolCalls: [call] },
      tokens: 20,
    });
    await agent.journal.append({
      type: 'message',
      message: { role: 'tool', toolCallId: call.id, toolName: call.name, text },
      tokens: 4_000,
    });
  }
  await agent.chooseStrategy('tool-result-hiding');
  expect(await agent.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({
    entry: { strategy: 'tool-result-hiding' },
  });
  await agent.compactor.undo();
  await agent.chooseStrategy('acme.gone/gone');
  expect(await agent.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({ entry: { strategy: 'layered' } });
  expect(agent.journal.entries.findLast((entry) => entry.type === 'note')?.text).toMatch(
    /^The compaction strategy acme\.gone\/gone cannot be used: .*Layered is used instead\. It was chosen for this session: choose another with \/strategy\.$/,
  );
});

test('a subagent compacts like the session that gave it the task', async () => {
  const subagents = memorySubagents();
  const steps = [{ calls: [['task', { title: 'Look', prompt: 'Look' }] as const] }, 'Seen.', 'Done.'];
  const { agent } = await testAgent(new ScriptedModel(steps).choice(), { subagents });
  await agent.chooseStrategy('selective');
  await agent.send('Look', going);
  const configured = subagents.sessions.flatMap(({ journal }) => journal.context.configured?.strategy ?? []);
  expect(configured).toEqual(['selective']);
});

test('an embedding program takes the session’s choice, unless it names a strategy itself', async () => {
  const system = { clock: testClock(), crypto: testCrypto(), timers: systemTimers, log: () => undefined };
  const strategyUnder = async (compaction: object) => {
    const model = new ScriptedModel([]).choice();
    const agent = await createAgent({
      model,
      tools: [],
      store: memoryStore(),
      blobs: memoryBlobs(),
      system,
      compaction,
    });
    await agent.chooseStrategy('selective');
    return agent.compactionSettings().strategy;
  };
  expect(await strategyUnder({})).toBe('selective');
  expect(await strategyUnder({ settings: { strategy: 'round-summary' } })).toBe('round-summary');
  expect(await strategyUnder({ strategy: { compact: async () => null } })).toBe('embedded.agent/strategy');
});
