/** Earlier sessions of a workspace on disk, by their titles, and what was said in one. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../../src/core/context/message.ts';
import { PastSessions } from '../../../src/node/mentions/pastSessions.ts';
import { SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

const going = new AbortController().signal;

async function storeOf() {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clock = testClock();
  const store = new SessionStore({
    folder,
    workspace: null,
    engine: 'palimpsest/test',
    clock,
    crypto: testCrypto(),
  });
  const keep = async (title: string, messages: readonly Message[]) => {
    clock.advance(60_000);
    const { id, journal } = await store.create();
    for (const message of messages) await journal.append({ type: 'message', message, tokens: 1 });
    if (title !== '') await journal.append({ type: 'title', title });
    await journal.close();
    return id;
  };
  return { store, keep };
}

const said = (text: string): Message => ({ role: 'user', kind: 'user', text });

test('messages, answers and notes are told, and no tool results', async () => {
  const { store, keep } = await storeOf();
  await keep('Fix  the\nretry', [
    said('Why three?'),
    { role: 'user', kind: 'mention', text: 'a file', mention: '@a.ts' },
    { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'read_file', arguments: '{}' }] },
    { role: 'tool', toolCallId: '1', toolName: 'read_file', text: 'a long result' },
    { role: 'assistant', text: 'Because of the server.' },
    { role: 'user', kind: 'summary', text: 'Three it is.' },
  ]);
  const current = await keep('', [said('Now')]);
  const sessions = new PastSessions(store);
  expect(await sessions.titles(current, going)).toEqual(['Fix the retry']);
  expect(await sessions.textOf('Fix the retry', current, going)).toBe(
    'User: Why three?\n\nAssistant: Because of the server.\n\nNotes of what came before: Three it is.',
  );
  expect(await sessions.textOf('Now', current, going)).toBeNull();
  // Reading wrote nothing: it opens as before.
  expect((await store.list(going)).map(({ problem }) => problem)).toEqual([null, null]);
});

test('of several with one title the newest counts', async () => {
  const { store, keep } = await storeOf();
  await keep('Same', [said('older')]);
  await keep('Same', [said('newer')]);
  const sessions = new PastSessions(store);
  expect(await sessions.titles(undefined, going)).toEqual(['Same']);
  expect(await sessions.textOf('Same', undefined, going)).toBe('User: newer');
});
