/** An earlier message sent again in another form: what came after it becomes a branch, and files go back with it. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { previewRestore } from '../../../src/core/checkpoints/restoreFiles.ts';
import { listBranches } from '../../../src/core/journal/branches.ts';
import { openCheckpointFiles } from '../../../src/node/files/checkpointFiles.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testConversation } from '../../support/testConversation.ts';
import { createTemporaryFolder, openFolder } from '../node/files/temporaryFolder.ts';

const root = createTemporaryFolder();
const read = (name: string) => readFile(join(root, name), 'utf8');

const write = (path: string, content: string) => ({ calls: [['write_file', { path, content }]] as const });

test.each([true, false])('files go back with it where the person says so: %s', { tags: ['M3'] }, async (withFiles) => {
  await writeFile(join(root, 'a.txt'), 'old');
  await writeFile(join(root, 'b.txt'), 'old');
  const folders = [{ name: 'ws', path: root }];
  const files = await openFolder(root, { folders });
  const disk = await openCheckpointFiles({ files, folders, onSave: () => () => undefined });
  const model = new ScriptedModel([
    write('a.txt', 'first'),
    write('b.txt', 'first'),
    'Done.',
    write('b.txt', 'again'),
    'Done again.',
  ]);
  const { conversation } = await testConversation(
    model.choice(),
    {
      workspace: { files, shell: createMemoryShell(), trust: () => 'trusted' },
      checkpoints: { files: () => disk, blobs: memoryBlobs(), keeps: () => true, hold: (restore) => restore() },
    },
    (_, pending) => {
      for (const { id, hash } of pending)
        void conversation.approvals.answer(id, hash, { kind: 'allow', remember: 'no' });
    },
  );
  const { journal } = conversation;
  await conversation.send('Write both');
  await writeFile(join(root, 'a.txt'), 'by the person');
  const asked = journal.entries.find((entry) => entry.type === 'message' && entry.message.text === 'Write both');
  const { steps } = await previewRestore(asked?.seq ?? -1, conversation.history.restorePorts);
  const putBack = withFiles ? steps.filter((step) => 'conflict' in step && step.conflict === null) : [];
  await conversation.send('Write one', asked?.seq ?? -1, { putBack });

  // The person's own change stays, and the turn's row counts only what the turn did.
  expect([await read('a.txt'), await read('b.txt')]).toEqual(['by the person', 'again']);
  expect(listBranches(journal).map(({ cause }) => cause)).toEqual(['edit']);
  const notes = journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry] : []));
  const kept = 'The earlier version of this message, and what came after it, is kept.';
  expect(notes.filter(({ action }) => action === 'undoRestore').map(({ text }) => text)).toEqual([
    withFiles ? `${kept} One file was restored.` : kept,
  ]);
  const since = notes.at(-1)?.changes?.since ?? -1;
  const undo = await previewRestore(since, conversation.history.restorePorts);
  await conversation.history.restore(undo.steps.filter(({ path }) => path === 'b.txt'));
  expect(await read('b.txt')).toBe(withFiles ? 'old' : 'first');
});
