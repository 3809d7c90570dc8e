/** When a person who looks elsewhere is told. */

import { expect, test } from 'vitest';
import { makeNote } from '../../../../src/core/journal/makeNote.ts';
import { inEnglish, words } from '../../../../src/core/words.ts';
import { describeNews, type Moment } from '../../../../src/host/panel/followWaiting.ts';
import { endOf } from '../../../../src/node/session/unseenSessions.ts';
import { ScriptedModel } from '../../../support/ports/scriptedModel.ts';
import { testAgent } from '../../../support/testAgent.ts';

const RUNNING: Moment = { session: 's', status: 'running', questions: [], end: 'other', newest: 'm7', known: 'm3' };
const tell = (before: Moment | null, now: Partial<Moment>) => {
  const news = describeNews(before, { ...RUNNING, ...now });
  return news && inEnglish(news);
};

test('a question is told once, whatever else changes meanwhile', () => {
  const asking: Moment = { ...RUNNING, status: 'waiting', questions: ['a'] };
  expect(tell(RUNNING, asking)).toBe('The agent has a question for you.');
  expect(tell(asking, asking)).toBe(null);
  expect(tell(asking, { ...asking, questions: ['a', 'b'] })).toBe('The agent has a question for you.');
  expect(tell(asking, { status: 'running' })).toBe(null);
});

test('the end of a turn is told, by what it ended with', () => {
  expect(tell(RUNNING, { status: 'idle', end: 'answer' })).toBe('The agent has answered.');
  expect(tell(RUNNING, { status: 'idle', end: 'problem' })).toBe('The agent has stopped. The panel says why.');
  expect(tell(RUNNING, { status: 'idle' })).toBe(null);
  expect(tell({ ...RUNNING, status: 'idle' }, { status: 'idle', end: 'answer' })).toBe(null);
});

test('a session that was opened, and a compaction by hand, are no news', () => {
  expect(tell(null, { status: 'idle', end: 'answer' })).toBe(null);
  expect(tell(RUNNING, { session: 't', status: 'idle', end: 'answer' })).toBe(null);
  expect(tell({ ...RUNNING, status: 'compacting' }, { status: 'idle', end: 'answer' })).toBe(null);
  expect(tell(RUNNING, { status: 'idle', end: 'answer', known: 'm7' })).toBe(null);
});

test('a turn that changed files ends with its answer, although the files are counted after it', async () => {
  const { agent } = await testAgent(new ScriptedModel(['Done.']).choice());
  await agent.send({ role: 'user', kind: 'user', text: 'Go' }, new AbortController().signal, null);
  const changes = { since: 0, files: 1, added: 1, removed: 0 };
  await agent.journal.append(makeNote('info', words('1 file changed.'), { changes }));
  expect(endOf(agent.journal)).toBe('answer');
  await agent.journal.append(makeNote('warning', words('Paused.')));
  expect(endOf(agent.journal)).toBe('problem');
});
