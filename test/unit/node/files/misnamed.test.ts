import { existsSync, mkdirSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { expect, test } from 'vitest';
import { FileKeeper } from '../../../../src/core/checkpoints/fileKeeper.ts';
import { openCheckpointFiles } from '../../../../src/node/files/checkpointFiles.ts';
import { memoryBlobs, memoryJournal } from '../../../support/ports/memoryStore.ts';
import { testCrypto } from '../../../support/ports/nodeCrypto.ts';
import { testClock } from '../../../support/ports/testClock.ts';
import { createWorkbench, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

const root = createTemporaryFolder();
/** A path in Latin-1, which is not valid UTF-8. */
const latin = (path: string) => Buffer.from(join(root, path), 'latin1');

async function open() {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true });
  rmSync(latin('caf\xe9.txt'), { force: true });
  rmSync(latin('d\xe9'), { recursive: true, force: true });
  writeFileSync(join(root, 'plain.txt'), 'word\n');
  writeFileSync(join(root, 'true \uFFFD.txt'), 'word\n');
  writeFileSync(latin('caf\xe9.txt'), 'word\n');
  mkdirSync(latin('d\xe9'));
  writeFileSync(latin('d\xe9/in.txt'), 'word\n');
  const files = await openFolder(root, { ripgrep: async () => rgPath });
  return { ...createWorkbench(), files };
}

test.runIf(process.platform === 'linux')('lists and searches say which names are not valid UTF-8', async () => {
  const ports = await open();
  const listed = await useTool(ports, 'list_files', { depth: 2 });
  const remark = ' (not valid UTF-8 on the disk: no tool can open it, a command can rename it)';
  expect(listed.text.split('\n')).toEqual([
    `caf\uFFFD.txt${remark}`,
    `d\uFFFD/${remark}`,
    'plain.txt',
    'true \uFFFD.txt',
  ]);
  const found = await useTool(ports, 'find_files', { glob: '*.txt' });
  expect(found.text).toContain('The names of 2 of them are not valid UTF-8');
  const searched = await useTool(ports, 'search_text', { pattern: 'word' });
  expect(searched.text).toContain('plain.txt:1: word');
  expect(searched.text).toContain('true \uFFFD.txt:1: word');
  expect(searched.text).toContain(
    'Matches in files whose names are not valid UTF-8 are not shown, as no tool can open them: caf\uFFFD.txt, d\uFFFD/in.txt.',
  );
});

test.runIf(process.platform === 'linux')('what a model asks for under such a name is refused in words', async () => {
  const ports = await open();
  for (const [name, input] of [
    ['read_file', { path: 'caf\uFFFD.txt' }],
    ['write_file', { path: 'caf\uFFFD.txt', content: 'x' }],
    ['list_files', { path: 'd\uFFFD' }],
    ['write_file', { path: 'd\uFFFD/new.txt', content: 'x' }],
  ] as const) {
    const { text, isError } = await useTool(ports, name, input);
    expect({ text, isError }).toEqual({ text: expect.stringContaining('not valid UTF-8 on the disk'), isError: true });
  }
  expect(existsSync(join(root, 'caf\uFFFD.txt'))).toBe(false);
  expect((await useTool(ports, 'read_file', { path: 'true \uFFFD.txt' })).text).toContain('word');
});

test.runIf(process.platform === 'linux')(
  'a command’s change of such a file is said before and told after',
  async () => {
    const { files } = await open();
    const { journal } = await memoryJournal();
    const ports = {
      journal,
      files: await openCheckpointFiles({ files, folders: [{ name: 'ws', path: root }], onSave: () => () => undefined }),
      blobs: memoryBlobs(),
      crypto: testCrypto(),
      clock: testClock(),
    };
    const keeper = new FileKeeper(ports);
    const command = async (id: string, act: () => void) => {
      await keeper.before({ toolCallId: id, toolClass: 'run', changes: [] });
      act();
      await keeper.after(id);
    };
    await command('a', () => unlinkSync(latin('caf\xe9.txt')));
    await command('b', () => undefined);
    await command('c', () => writeFileSync(latin('d\xe9/more.txt'), 'x'));
    const entries = journal.entries.filter(({ type }) => type === 'note' || type === 'files');
    expect(entries).toMatchObject([
      {
        type: 'note',
        level: 'warning',
        text: 'Files whose names are not valid UTF-8 cannot be kept. If a command changes or deletes them, no checkpoint gives them back: caf\uFFFD.txt, d\uFFFD',
      },
      {
        type: 'files',
        toolCallId: 'a',
        files: [{ path: 'caf\uFFFD.txt', restorable: false, after: null, reason: 'its name is not valid UTF-8' }],
      },
      { type: 'files', toolCallId: 'c', files: [{ path: 'd\uFFFD', restorable: false }] },
    ]);
  },
);
