/** The session on screen: what becomes of a message without a session, and how a session goes to another window. */

import { expect, test } from 'vitest';
import { ModelError } from '../../../src/core/errors.ts';
import { words } from '../../../src/core/words.ts';
import { handOff } from '../../../src/host/commands/sessionCommands.ts';
import type { Conversation } from '../../../src/node/session/conversation.ts';
import { type OpenConversation, type SessionChange, ShownSession } from '../../../src/node/session/shownSession.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testConversation } from '../../support/testConversation.ts';

function startSession(open: OpenConversation) {
  const told: SessionChange[] = [];
  const remembered: (string | null)[] = [];
  const session = new ShownSession(
    open,
    (id) => remembered.push(id),
    async () => false,
  );
  session.onDidChange((change) => told.push(change));
  return { session, told, remembered };
}

/** Opens sessions that answer with these steps, and says with which access. */
function openWith(steps: readonly Step[]) {
  const opened: string[] = [];
  const open: OpenConversation = async (id, mode, onChange) => {
    opened.push(`${id ?? 'new'} ${mode}`);
    return (await testConversation(new ScriptedModel(steps).choice(), {}, onChange)).conversation;
  };
  return { open, opened };
}

test('a text that finds no session goes back to the composer, and each message tries again', async () => {
  let opened = 0;
  const { session, told } = startSession(() => Promise.reject(new Error(`The disk is full (${++opened})`)));
  await expect(session.send('first')).rejects.toThrow('The disk is full (1)');
  await expect(session.send('second')).rejects.toThrow('The disk is full (2)');
  expect(told).toEqual([
    { kind: 'compose', text: 'first' },
    { kind: 'compose', text: 'second' },
  ]);
});

test('the first message makes a session, whose rows are shown', async () => {
  const { open, opened } = openWith(['Done.']);
  const { session, remembered } = startSession(open);
  await session.send('Write it');
  expect([opened, remembered, session.title]).toEqual([['new own'], ['test'], 'Write it']);
  const { rows } = session.rows(null, 10);
  expect(rows.flatMap((row) => ('text' in row ? [`${row.type}: ${row.text}`] : []))).toEqual([
    'user: Write it',
    'assistant: Done.',
  ]);
});

test('an answer and the row that streamed it are never shown together', async () => {
  const { session } = startSession(openWith(['Done.']).open);
  const shown: number[] = [];
  session.onDidChange(() => {
    const { rows } = session.rows(null, 10);
    shown.push(rows.filter((row) => row.type === 'assistant' && row.text === 'Done.').length);
  });
  await session.send('Write it');
  expect(Math.max(...shown)).toBe(1);
});

test('another window gets the session once nothing runs in it, and it is read from then on', async () => {
  const { open, opened } = openWith([{ calls: [['write_file', { path: 'a.txt', content: 'new' }]] }, 'Done.']);
  const { session, told } = startSession(open);
  const turn = session.send('Write it');
  await expect.poll(() => session.conversation?.status).toBe('waiting');
  expect(await session.giveUp('test')).toBe(false);
  session.conversation?.stop();
  await turn;
  expect([await session.giveUp('another'), await session.giveUp('test')]).toEqual([false, true]);
  expect(opened).toEqual(['new own', 'test read']);
  expect(told.at(-1)).toEqual({ kind: 'replaced' });
});

test('opening another session that is cancelled leaves the one on screen, and nobody is told of a fault', async () => {
  const { open } = openWith(['Done.']);
  const { session, told } = startSession((id, ...rest) =>
    id === 'large' ? Promise.reject(AbortSignal.abort().reason) : open(id, ...rest),
  );
  await session.send('Write it');
  const [shown, count] = [session.conversation, told.length];
  await session.show('large');
  expect([session.conversation, told.length]).toEqual([shown, count]);
  expect(await shown?.journal.append({ type: 'title', title: 'still open' })).toMatchObject({ type: 'title' });
});

test('opening a session again that is cancelled leaves an empty page, not one that is closed', async () => {
  const { open } = openWith(['Done.']);
  const { session, told } = startSession((id, mode, onChange) =>
    mode === 'takeOver' ? Promise.reject(AbortSignal.abort().reason) : open(id, mode, onChange),
  );
  await session.send('Write it');
  await session.reopen('takeOver');
  expect([session.conversation, told.at(-1)]).toEqual([null, { kind: 'replaced' }]);
  await session.show('test');
  expect(session.conversation).not.toBe(null);
});

test('a message that was sent is told at once, until it stands in the journal', async () => {
  const told: (string | null)[] = [];
  const { conversation } = await testConversation(new ScriptedModel(['One.']).choice(), {}, (change) => {
    const journaled = change.kind === 'entry' && change.entry.type === 'message';
    if (change.kind === 'state' || journaled) told.push(conversation.sending);
  });
  await conversation.send('go on');
  const first = told.indexOf('go on');
  expect([first >= 0, told.at(-1), told.lastIndexOf('go on') < told.length - 1]).toEqual([true, null, true]);
  expect(conversation.sending).toBe(null);
});

test('the row of what a search found: of a message, and of a result with its call', async () => {
  const look = { calls: [['list_files', {}] as const] };
  const { session } = startSession(openWith([look, 'Done.']).open);
  await session.send('Look');
  const { journal } = session.require();
  const rows = journal.path().flatMap((entry) => (entry.type === 'message' ? [session.rowOfEntry(entry.seq)] : []));
  const [asked, called, answered] = [0, 1, 3].map((at) => rows[at]);
  expect(rows).toEqual([asked, called, `${called}.0`, answered]);
  expect(rows.map((id) => id && session.row(id)?.type)).toEqual(['user', undefined, 'tool', 'assistant']);
  expect(session.rowOfEntry(9_999)).toBe(null);
});

test('a strategy chosen on the empty page is the next session’s, and no other’s', async () => {
  const { session } = startSession(openWith(['One.', 'Two.']).open);
  await session.setStrategy('selective');
  expect(session.nextStrategy).toBe('selective');
  await session.send('go on');
  expect(session.require().agent.compactionSettings().strategy).toBe('selective');
  expect(session.nextStrategy).toBeUndefined();
  // An agent with a strategy of its own, chosen after it, decides.
  await session.show(null);
  await session.setStrategy('selective');
  session.forgetNextStrategy();
  await session.send('go on');
  expect(session.require().journal.strategyChosen).toBeNull();
});

test('a session is handed off: the new one begins with its summary, model, mode and strategy, and each leads to the other', async () => {
  const made: Conversation[] = [];
  const open: OpenConversation = async (_, __, onChange) => {
    const steps = ['Done.', 'It wrote a.txt.'];
    const { conversation } = await testConversation(new ScriptedModel(steps).choice(), {}, onChange);
    made.push(conversation);
    return conversation;
  };
  const { session, told } = startSession(open);
  await session.send('Write it');
  await session.setMode('plan');
  await session.setStrategy('selective');
  await handOff(session, 'Test it.', (title) => `${title}, continued`);
  const [before, next] = made;
  expect(session.conversation).toBe(next);
  expect([session.title, session.mode]).toEqual(['Write it, continued', 'plan']);
  expect(next?.agent.compactionSettings().strategy).toBe('selective');
  expect(told.slice(-2)).toEqual([{ kind: 'replaced' }, { kind: 'compose', text: 'Test it.' }]);
  const { conversation } = next?.journal.context ?? expect.fail();
  expect(conversation.map(({ kind }) => kind)).toEqual(['summary']);
  expect(conversation[0]?.message.text).toContain('It wrote a.txt.');
  const links = made.map(({ journal }) =>
    journal.entries.flatMap((entry) => (entry.type === 'note' ? [[entry.text, entry.action, entry.session]] : [])),
  );
  expect(links).toEqual([
    [['“Write it, continued” continues from here.', 'openSession', next?.id]],
    [['This session continues from “Write it”.', 'openSession', before?.id]],
  ]);
});

test('where the summary fails, no session is made and the one on screen stays', async () => {
  const { open, opened } = openWith(['Done.', { error: new ModelError('auth', words('The key was refused.')) }]);
  const { session } = startSession(open);
  await session.send('Write it');
  const before = session.conversation;
  await expect(handOff(session, '', String)).rejects.toThrow('No new session was created.');
  expect([session.conversation, opened]).toEqual([before, ['new own']]);
});
