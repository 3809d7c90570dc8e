/** Sessions that work while another one is on screen: what becomes of their turns, questions, messages and locks. */

import { expect, test } from 'vitest';
import type { Conversation } from '../../../src/node/session/conversation.ts';
import { type OpenConversation, type SessionChange, ShownSession } from '../../../src/node/session/shownSession.ts';
import { MOST_AT_WORK } from '../../../src/node/session/unseenSessions.ts';
import { createMemoryFiles } from '../../support/ports/memoryFiles.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testConversation } from '../../support/testConversation.ts';

const write = (content: string) => ({ calls: [['write_file', { path: 'a.txt', content }] as const] });

/** A window with these stored sessions, by id, each with what its model answers. Others fail to open. */
function openWindow(scripts: Readonly<Record<string, readonly Step[]>>, files: Readonly<Record<string, string>> = {}) {
  const shared = createMemoryFiles(files);
  const told: SessionChange[] = [];
  const locks: string[] = [];
  const drafts: [string, string][] = [];
  let begun = 0;
  const open: OpenConversation = async (given, _, onChange) => {
    const id = given ?? `new${++begun}`;
    const steps = scripts[id] ?? expect.fail(`There is no session ${id}`);
    locks.push(id);
    const release = async () => {
      locks.splice(locks.indexOf(id), 1);
    };
    const world = { files: shared };
    return (await testConversation(new ScriptedModel(steps).choice(), { id, release, world }, onChange)).conversation;
  };
  const session = new ShownSession(
    open,
    () => undefined,
    async (id, text) => drafts.push([id, text]) > 0,
  );
  session.onDidChange((change) => told.push(change));
  const shown = () => session.conversation ?? expect.fail('No session is shown');
  /** Sends a message to the session on screen and waits for its question. */
  const sendUntilAsked = async (text: string) => {
    const conversation = session.conversation;
    const turn = session.send(text, undefined, {}, conversation);
    await expect.poll(() => session.conversation?.status).toBe('waiting');
    return { turn, conversation: shown() };
  };
  return { session, told, locks, drafts, files: shared, shown, sendUntilAsked };
}

function allow({ approvals }: Conversation): void {
  const [asked] = approvals.pending;
  if (asked) approvals.answer(asked.id, asked.hash, { kind: 'allow', remember: 'no' });
  else expect.fail('Nothing is asked');
}

test('a turn goes on while another session is shown, with its question, and is found as it is', async () => {
  const { session, told, locks, files, shown, sendUntilAsked } = openWindow({
    a: [write('one'), 'A is done.'],
    b: ['B is done.'],
  });
  await session.show('a');
  const { turn, conversation } = await sendUntilAsked('Write it');
  await session.show('b');
  expect([shown().id, session.others, locks]).toEqual(['b', [{ id: 'a', state: 'waiting' }], ['a', 'b']]);
  told.length = 0;
  await session.send('Say it');
  expect(session.rows(null, 50).rows.flatMap((row) => ('text' in row ? [row.text] : []))).toEqual([
    'Say it',
    'B is done.',
  ]);
  await session.show('a');
  expect([session.conversation, session.others, locks]).toEqual([conversation, [], ['a']]);
  expect(session.rows(null, 50).rows.some((row) => row.type === 'tool' && row.approval !== null)).toBe(true);
  allow(conversation);
  await turn;
  expect(files.textOf('a.txt')).toBe('one');
});

test('one that has finished unseen is closed, releases its lock, and is marked until it is looked at', async () => {
  const { session, locks, shown, sendUntilAsked } = openWindow({ a: [write('one'), 'A is done.'], b: [] });
  await session.show('a');
  const { turn, conversation } = await sendUntilAsked('Write it');
  await session.show('b');
  allow(conversation);
  await turn;
  await expect.poll(() => locks).toEqual(['b']);
  expect([session.others, session.open.map(({ id }) => id)]).toEqual([[{ id: 'a', state: 'finished' }], ['b']]);
  expect(conversation.journal.context.conversation.at(-1)?.message.text).toBe('A is done.');
  await session.show('a');
  expect([shown() === conversation, session.others, locks]).toEqual([false, [], ['a']]);
});

test('nothing of an unseen session is told as a change of the one on screen', async () => {
  const { session, told, sendUntilAsked } = openWindow({ a: [write('one'), 'A is done.'], b: [] });
  await session.show('a');
  const { turn, conversation } = await sendUntilAsked('Write it');
  await session.show('b');
  told.length = 0;
  allow(conversation);
  await turn;
  await expect.poll(() => session.others).toEqual([{ id: 'a', state: 'finished' }]);
  expect([...new Set(told.map(({ kind }) => kind))]).toEqual(['state']);
});

test('messages that wait in an unseen session are sent before it is closed', async () => {
  const { session, locks, sendUntilAsked } = openWindow({ a: [write('one'), 'First.', 'Second.'], b: [] });
  await session.show('a');
  const { turn, conversation } = await sendUntilAsked('Write it');
  await session.send('And then?');
  await session.show('b');
  allow(conversation);
  await turn;
  await expect.poll(() => locks).toEqual(['b']);
  const said = conversation.journal.context.conversation.map(({ message }) => message.text);
  expect(said.slice(-3)).toEqual(['First.', 'And then?', 'Second.']);
});

test('no more than so many work at once: the next one is not left, and can be exchanged for one of them', async () => {
  const ids = Array.from({ length: MOST_AT_WORK }, (_, nth) => `s${nth}`);
  const scripts = Object.fromEntries(ids.map((id) => [id, [write(id), `${id} is done.`]]));
  const { session, shown, sendUntilAsked } = openWindow({ ...scripts, other: [] });
  const turns: { readonly turn: Promise<void>; readonly conversation: Conversation }[] = [];
  for (const id of ids) {
    await session.show(id);
    turns.push(await sendUntilAsked('Write it'));
  }
  const last = ids.at(-1);
  for (const id of ['other', null]) {
    await expect(session.show(id)).rejects.toThrow('4 sessions are at work');
    expect(shown().id).toBe(last);
  }
  await session.show('s0');
  expect([shown().id, session.others.map(({ id }) => id)]).toEqual(['s0', ['s1', 's2', 's3']]);
  session.conversation?.stop();
  await turns[0]?.turn;
  await session.show('other');
  expect(shown().id).toBe('other');
  await session.dispose();
  await Promise.all(turns.map(({ turn }) => turn));
});

test('two sessions that change one file: the second is told that it changed', async () => {
  const { session, files, sendUntilAsked } = openWindow(
    { a: [write('from a'), 'A is done.'], b: [write('from b'), 'B is done.'] },
    { 'a.txt': 'before' },
  );
  await session.show('a');
  const first = await sendUntilAsked('Write it');
  await session.show('b');
  const second = await sendUntilAsked('Write it');
  allow(first.conversation);
  await first.turn;
  allow(second.conversation);
  await second.turn;
  expect(files.textOf('a.txt')).toBe('from a');
  const results = second.conversation.journal.context.conversation.map(({ message }) => message.text);
  expect(results.join('\n')).toContain('a.txt changed since this was prepared; nothing was written.');
});

test('a text that an unseen session could not send joins its own draft', async () => {
  const { session, told, drafts, sendUntilAsked } = openWindow({ a: [write('one'), 'Done.'], b: [] });
  await session.show('a');
  const { turn, conversation } = await sendUntilAsked('Write it');
  await session.send('And then?');
  await session.show('b');
  const [queued] = conversation.queue.list;
  conversation.editQueued(queued?.id ?? '');
  await expect.poll(() => drafts).toEqual([['a', 'And then?']]);
  expect(told.filter(({ kind }) => kind === 'compose')).toEqual([]);
  allow(conversation);
  await turn;
});

test('a message goes to the session that it was written in, whatever is shown by then', async () => {
  const { session, drafts, sendUntilAsked } = openWindow({ a: [write('one'), 'Done.'], b: [], c: [] });
  await session.show('c');
  const closed = session.conversation;
  await session.show('a');
  const { turn, conversation } = await sendUntilAsked('Write it');
  await session.show('b');
  await session.send('For a', undefined, {}, conversation);
  expect(conversation.queue.list.map(({ text }) => text)).toEqual(['For a']);
  await session.send('For c', undefined, {}, closed);
  await session.send('For a new one', undefined, {}, null);
  expect(drafts).toEqual([
    ['c', 'For c'],
    ['', 'For a new one'],
  ]);
  await session.close('a');
  await turn;
});

test('a session whose file is to be changed is stopped wherever it works, and so are all with the window', async () => {
  const { session, locks, sendUntilAsked } = openWindow({ a: [write('a'), 'Done.'], b: [write('b'), 'Done.'], c: [] });
  await session.show('a');
  const first = await sendUntilAsked('Write it');
  await session.show('b');
  const second = await sendUntilAsked('Write it');
  await session.show('c');
  await session.close('a');
  await first.turn;
  expect([session.others, locks]).toEqual([[{ id: 'b', state: 'waiting' }], ['b', 'c']]);
  await session.dispose();
  await second.turn;
  expect(locks).toEqual([]);
});

test('of two sessions that are asked for, the newer is shown, and the other is not left open', async () => {
  const { session, locks, shown } = openWindow({ a: [], b: [], c: [] });
  await session.show('c');
  await Promise.all([session.show('a'), session.show('b')]);
  await expect.poll(() => [shown().id, locks]).toEqual(['b', ['b']]);
});
