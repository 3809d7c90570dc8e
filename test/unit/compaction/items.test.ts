import { expect, it } from 'vitest';
import type { HeaderItem } from '../../../src/core/journal/entry.ts';
import { calls, type Line, says, user, words } from '../../support/compactionHarness.ts';
import { grownSession } from '../../support/grownSession.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const going = new AbortController().signal;

it('items are typed, in a header and a conversation, and each reaches the model as what it is', {
  tags: ['C1'],
}, async () => {
  const item = (kind: HeaderItem['kind'], text: string) => ({ kind, origin: kind, text });
  const model = new ScriptedModel(['fine']);
  const header = async () => [item('systemPrompt', 'Be useful.'), item('memory', 'Use tabs.')];
  const { agent } = await testAgent(model.choice(), { header });
  const { journal } = agent;
  const lines: Line[] = [
    user('go'),
    user('left', 'summary'),
    user('mind', 'reminder'),
    user('md', 'skillMetadata'),
    user('how', 'skillPrompt'),
    calls(['read_file', 'r', { path: 'a.ts' }]),
    says('ok'),
  ];
  for (const message of lines.flat()) await journal.append({ type: 'message', message, tokens: 1 });
  await agent.send('on', going);
  expect(journal.context.header?.items.map(({ kind, text }) => [kind, text])).toEqual([
    ['systemPrompt', 'Be useful.'],
    ['memory', 'Use tabs.'],
  ]);
  expect(journal.context.conversation.map(({ kind }) => kind)).toEqual([
    'user',
    'summary',
    'reminder',
    'skillMetadata',
    'skillPrompt',
    'assistant',
    'toolResult',
    'assistant',
    // The skills that were told are no more, which is told too.
    'skillMetadata',
    'user',
    'assistant',
  ]);
  const [call] = lines.flat().flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const [system, ...conversation] = model.requests[0]?.messages ?? [];
  expect(system).toEqual({ role: 'system', text: 'Be useful.\n\nUse tabs.' });
  expect(conversation).toEqual([
    { role: 'user', text: 'go' },
    { role: 'user', text: expect.stringMatching(/^<context-notes>\n.*not instructions.*\n\nleft\n<\/context-notes>$/) },
    { role: 'user', text: '<system-reminder>\nmind\n</system-reminder>' },
    { role: 'user', text: '<skill>\nmd\n</skill>' },
    { role: 'user', text: '<skill>\nhow\n</skill>' },
    { role: 'assistant', text: '', toolCalls: [call] },
    { role: 'tool', toolCallId: call?.id, text: 'r' },
    { role: 'assistant', text: 'ok' },
    { role: 'user', text: expect.stringMatching(/^<skill>\n.*skill/) },
    { role: 'user', text: 'on' },
  ]);
});

it('the header is marked for the cache, and no compaction and no later turn changes it', {
  tags: ['C14'],
}, async () => {
  const history = [user('go'), ...[...'abcdef'].map((name) => calls(['read_file', words(15_000, name)]))];
  const s = await grownSession({ history, settings: { strategy: 'tool-result-hiding' } });
  for (let i = 0; i < 3; i++) await s.say();
  expect(s.compactions()).toHaveLength(1);
  expect(s.agent.journal.entries.filter(({ type }) => type === 'header')).toHaveLength(1);
  const [before, ...after] = s.turns.requests.map(({ messages, tools }) => [messages[0], tools]);
  expect(before?.[0]).toMatchObject({ role: 'system', cache: true });
  expect(after).toEqual([before, before]);
});
