import { expect, test } from 'vitest';
import { readTodos } from '../../../src/core/instructions/readTodos.ts';
import { describeTodos, parseTodos } from '../../../src/core/tools/todos.ts';
import { calls, says, user, words } from '../../support/compactionHarness.ts';
import { grownSession } from '../../support/grownSession.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const list = (...todos: readonly (readonly [text: string, state: string])[]) => ({
  todos: todos.map(([text, state]) => ({ text, state })),
});
const writes = (input: unknown) => ({ calls: [['write_todos', input]] as const });
const signal = new AbortController().signal;

test('the list is what the newest call on the path says, also after a revert', async () => {
  const model = new ScriptedModel([
    writes(list(['find it', 'doing'], ['mend it', 'open'])),
    writes({ todos: 'everything' }),
    { text: 'Found.' },
    writes(list(['find it', 'done'], ['mend it', 'doing'])),
    { text: 'Mended.' },
  ]);
  const { agent } = await testAgent(model.choice());
  expect(readTodos(agent.journal)).toEqual([]);
  await agent.send('mend the clock', signal);
  expect(readTodos(agent.journal)).toEqual(list(['find it', 'doing'], ['mend it', 'open']).todos);
  const before = agent.journal.head;
  await agent.send('go on', signal);
  expect(readTodos(agent.journal)).toEqual(list(['find it', 'done'], ['mend it', 'doing']).todos);
  await agent.journal.revert(before, 'user');
  expect(readTodos(agent.journal)).toEqual(list(['find it', 'doing'], ['mend it', 'open']).todos);
});

test('a finished list leaves when the person asks for something else', async () => {
  const model = new ScriptedModel([writes(list(['mend it', 'done'])), { text: 'Done.' }, { text: 'Hello.' }]);
  const { agent } = await testAgent(model.choice());
  await agent.send('mend it', signal);
  expect(readTodos(agent.journal)).toHaveLength(1);
  await agent.send('thank you', signal);
  expect(readTodos(agent.journal)).toEqual([]);
});

test('a list is bounded, and said with what is left first', () => {
  const todos = parseTodos(JSON.stringify(list(['a', 'done'], ['b', 'open'], ['c', 'doing'])));
  expect(describeTodos(todos ?? [])).toBe('[doing] c [open] b [done] a');
  expect(parseTodos(JSON.stringify({ todos: Array(101).fill({ text: 'x', state: 'open' }) }))).toBeNull();
  expect(parseTodos(JSON.stringify(list(['x'.repeat(501), 'open'])))).toBeNull();
});

test('the ledger keeps the newest list when its call is compacted away', async () => {
  const s = await grownSession({
    history: [
      user('mend the clock'),
      calls(['write_todos', 'shown', list(['find it', 'open'])]),
      calls(['write_todos', 'shown', list(['find it', 'done'], ['mend it', 'doing'])]),
      says(words(82_000)),
      user('go on'),
      says('fine'),
    ],
    summaries: ['Nothing much happened.'],
  });
  await s.say();
  expect(s.compactions()[0]?.verification?.added).toContain('todo list: [doing] mend it [done] find it');
});
