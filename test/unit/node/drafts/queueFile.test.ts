/** Messages that wait are there again after any end of the window, and none is sent before the person says so. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openQueueFile, type QueueFile } from '../../../../src/node/session/messageQueue.ts';
import { ScriptedModel, type Step } from '../../../support/ports/scriptedModel.ts';
import { testConversation } from '../../../support/testConversation.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pal-queue-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const openIn = (folder: string, onFault = (thrown: unknown): void => expect.fail(String(thrown))) =>
  openQueueFile(folder, onFault);

/** `unsent` is what went back to the composer. */
async function open(waiting: QueueFile, steps: readonly Step[]) {
  const unsent: string[] = [];
  const { conversation } = await testConversation(new ScriptedModel(steps).choice(), { waiting }, (change) => {
    if (change.kind === 'unsent') unsent.push(change.text);
  });
  const story = () =>
    conversation.journal.path().flatMap((entry) => (entry.type === 'message' ? [entry.message.text] : []));
  return { conversation, unsent, story };
}

const write = { calls: [['write_file', { path: 'a.txt', content: 'new' }] as const] };

/** The session is closed while its agent asks something and these messages wait. */
async function closeWith(waiting: QueueFile, ...messages: readonly string[]) {
  const { conversation, unsent } = await open(waiting, [write]);
  const turn = conversation.send('Write it');
  await vi.waitUntil(() => conversation.status === 'waiting');
  for (const text of messages) await conversation.send(text, null, { mentionsSecrets: true });
  await conversation.close();
  await turn;
  return unsent;
}

test('what waited when the session was closed waits again, and is sent when the person says so', async () => {
  const folder = makeFolder();
  expect(await closeWith(await openIn(folder), 'And then', 'And more')).toEqual([]);
  const { conversation, story } = await open(await openIn(folder), ['Done.', 'That too.']);
  const { queue } = conversation;
  // Consent to read what may be secret is not remembered.
  expect(queue.list.map(({ text, kept, more }) => [text, kept, more])).toEqual([
    ['And then', true, {}],
    ['And more', true, {}],
  ]);
  await conversation.send('Something else');
  expect([conversation.status, queue.list.length]).toEqual(['idle', 2]);
  await conversation.sendQueued(queue.list[0]?.id ?? '');
  expect(queue.list.map(({ text }) => text)).toEqual(['And more']);
  expect(story()).toEqual(['Something else', 'Done.', 'And then', 'That too.']);
  queue.remove(queue.list[0]?.id ?? '');
  await conversation.close();
  expect((await openIn(folder)).kept).toEqual([]);
});

test('a host that is killed loses none of them', async () => {
  const folder = makeFolder();
  const { conversation } = await open(await openIn(folder), [write]);
  void conversation.send('Write it');
  await vi.waitUntil(() => conversation.status === 'waiting');
  await conversation.send('And then');
  await expect.poll(async () => (await openIn(folder)).kept).toEqual([{ text: 'And then' }]);
});

test('what cannot wait on disk goes back to the composer, and what is no message is passed over', async () => {
  const faults: unknown[] = [];
  const nowhere = join(makeFolder(), 'gone');
  expect(await closeWith(await openIn(nowhere, (thrown) => faults.push(thrown)), 'And then')).toEqual(['And then']);
  const folder = makeFolder();
  const image = { mime: 'image/png', blob: 'a'.repeat(64), tokens: 9 };
  writeFileSync(
    join(folder, 'queue.json'),
    JSON.stringify([7, { text: '' }, { text: 'see', attachments: [image] }, { text: 'no', attachments: 'all' }]),
  );
  expect((await openIn(folder)).kept).toEqual([{ text: 'see', attachments: [image] }, { text: 'no' }]);
});
