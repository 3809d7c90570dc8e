/** A restore and its undo: conversation, files and message field, each as it was, from one note. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { previewRestore } from '../../../src/core/checkpoints/restoreFiles.ts';
import { openCheckpointFiles } from '../../../src/node/files/checkpointFiles.ts';
import type { ConversationChange } from '../../../src/node/session/conversation.ts';
import { findRestore, planUndo, restoreTo, undoRestore } from '../../../src/node/session/restores.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testConversation } from '../../support/testConversation.ts';
import { createTemporaryFolder, openFolder } from './files/temporaryFolder.ts';

const root = createTemporaryFolder();
const read = (name: string) => readFile(join(root, name), 'utf8');
const write = (path: string, content: string) => ({ calls: [['write_file', { path, content }]] as const });

async function open(steps: readonly Step[]) {
  const folders = [{ name: 'ws', path: root }];
  const files = await openFolder(root, { folders });
  const disk = await openCheckpointFiles({ files, folders, onSave: () => () => undefined });
  const field: string[] = [];
  const tell = (change: ConversationChange) => {
    if (change.kind === 'unsent') field.push(`put ${change.text}`);
    if (change.kind === 'saidAgain') field.push(`take ${change.text}`);
  };
  const { conversation } = await testConversation(
    new ScriptedModel(steps).choice(),
    {
      workspace: { files, shell: createMemoryShell(), trust: () => 'trusted' },
      checkpoints: { files: () => disk, blobs: memoryBlobs(), keeps: () => true, hold: (restore) => restore() },
    },
    (change, pending) => {
      tell(change);
      for (const { id, hash } of pending)
        void conversation.approvals.answer(id, hash, { kind: 'allow', remember: 'no' });
    },
  );
  const { journal } = conversation;
  const said = () =>
    journal.context.conversation.flatMap(({ message, kind }) => (kind === 'user' ? [message.text] : []));
  /** Restores to before the first message, with everything. */
  const restore = async () => {
    const [checkpoint] = journal.checkpoints;
    if (!checkpoint) throw new Error('There is no checkpoint.');
    const { steps: all } = await previewRestore(checkpoint.seq, conversation.history.restorePorts);
    await restoreTo(conversation, checkpoint, { steps: all, conversation: true, files: true, summary: false });
  };
  /** The note that offers the undo, newest on the path. */
  const note = () => journal.path().findLast((entry) => entry.type === 'note');
  const undo = async () => {
    const found = findRestore(journal, note()?.seq);
    if (found?.type !== 'note') throw new Error('There is nothing to undo.');
    const plan = await planUndo(conversation, found);
    return { plan, run: () => undoRestore(conversation, found, plan.steps) };
  };
  return { conversation, field, said, restore, undo, note };
}

test('one undo gives back conversation, files and message field, and can itself be undone', {
  tags: ['M3'],
}, async () => {
  await writeFile(join(root, 'a.txt'), 'old');
  const { conversation, field, said, restore, undo, note } = await open([write('a.txt', 'new'), 'Done.', 'Yes.']);
  await conversation.send('Write it');
  await conversation.send('Is it so?');
  await restore();
  expect([said(), await read('a.txt'), field]).toEqual([[], 'old', ['put Write it']]);
  // One note tells of both, and offers to undo both.
  expect(note()).toMatchObject({
    text: 'Went back to checkpoint 0. What came after it is kept as a branch. One file was restored.',
    action: 'undoRestore',
    also: ['showBranches'],
  });

  const { plan, run } = await undo();
  expect(plan).toMatchObject({ messages: 0, isAsItLeft: true });
  await run();
  expect([said(), await read('a.txt')]).toEqual([['Write it', 'Is it so?'], 'new']);
  expect(field).toEqual(['put Write it', 'take Write it']);
  expect(note()).toMatchObject({ text: 'The restore was undone. One file was restored.', action: 'redoRestore' });

  // Nothing was said since the undo, so that restoring again loses nothing either.
  const again = await undo();
  expect(again.plan).toMatchObject({ messages: 0, isAsItLeft: true });
  await again.run();
  expect([said(), await read('a.txt'), field.at(-1)]).toEqual([[], 'old', 'put Write it']);
  expect(note()).toMatchObject({ text: 'Restored again. One file was restored.', action: 'undoRestore' });
});

test('what was said or changed since the restore is named before its undo', async () => {
  await writeFile(join(root, 'b.txt'), 'old');
  const { conversation, said, restore, undo } = await open([write('b.txt', 'new'), 'Done.', 'Another answer.']);
  await conversation.send('Write it');
  await restore();
  await writeFile(join(root, 'b.txt'), 'by the person');
  const changed = await undo();
  expect(changed.plan).toMatchObject({ messages: 0, isAsItLeft: false });
  await writeFile(join(root, 'b.txt'), 'old');
  const later = conversation.journal.path().findLast((entry) => entry.type === 'note');
  await conversation.send('Something else');
  const found = findRestore(conversation.journal, later?.seq);
  if (found?.type !== 'note') throw new Error('There is nothing to undo.');
  const plan = await planUndo(conversation, found);
  expect(plan).toMatchObject({ messages: 2, isAsItLeft: false });
  await undoRestore(conversation, found, plan.steps);
  expect([said(), await read('b.txt')]).toEqual([['Write it'], 'new']);
});

test('a restore of the conversation alone is undone too, and touches no file', async () => {
  await writeFile(join(root, 'c.txt'), 'old');
  const { conversation, said, undo } = await open([write('c.txt', 'new'), 'Done.']);
  await conversation.send('Write it');
  const [checkpoint] = conversation.journal.checkpoints;
  if (!checkpoint) throw new Error('There is no checkpoint.');
  await restoreTo(conversation, checkpoint, { steps: [], conversation: true, files: false, summary: false });
  expect([said(), await read('c.txt')]).toEqual([[], 'new']);
  const { plan, run } = await undo();
  expect(plan).toEqual({ steps: [], messages: 0, isAsItLeft: true });
  await run();
  expect([said(), await read('c.txt')]).toEqual([['Write it'], 'new']);
});

test('an edited message is undone from one place: conversation and files, and its other form into the message field', {
  tags: ['M3'],
}, async () => {
  await writeFile(join(root, 'd.txt'), 'old');
  const { conversation, field, said, undo } = await open([
    'Yes.',
    write('d.txt', 'new'),
    'Done.',
    write('d.txt', 'other'),
    'Done again.',
  ]);
  const { journal } = conversation;
  await conversation.send('Are you there?');
  await conversation.send('Write it');
  const asked = journal.entries.findLast((entry) => entry.type === 'message' && entry.message.text === 'Write it');
  const { steps: putBack } = await previewRestore(asked?.seq ?? -1, conversation.history.restorePorts);
  await conversation.send('Write the other', asked?.seq ?? -1, { putBack });
  expect([said(), await read('d.txt')]).toEqual([['Are you there?', 'Write the other'], 'other']);
  const notes = journal.entries.flatMap((entry) => (entry.type === 'note' && entry.restored ? [entry] : []));
  expect(notes).toMatchObject([
    {
      text: 'The earlier version of this message, and what came after it, is kept. One file was restored.',
      action: 'undoRestore',
      also: ['showBranches'],
    },
  ]);

  // Only the answer would go: the message itself is not lost.
  const found = findRestore(journal, notes[0]?.seq);
  if (found?.type !== 'note') throw new Error('There is nothing to undo.');
  const plan = await planUndo(conversation, found);
  expect(plan).toMatchObject({ messages: 1, isAsItLeft: false });
  await undoRestore(conversation, found, plan.steps);
  expect([said(), await read('d.txt'), field]).toEqual([
    ['Are you there?', 'Write it'],
    'new',
    ['put Write the other'],
  ]);

  const again = await undo();
  expect(again.plan).toMatchObject({ messages: 0, isAsItLeft: true });
  await again.run();
  expect([said(), await read('d.txt'), field.at(-1)]).toEqual([
    ['Are you there?', 'Write the other'],
    'other',
    'take Write the other',
  ]);
});
