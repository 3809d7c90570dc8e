import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { expect, test } from 'vitest';
import { FileKeeper } from '../../../../src/core/checkpoints/fileKeeper.ts';
import { previewRestore } from '../../../../src/core/checkpoints/restoreFiles.ts';
import { openCheckpointFiles } from '../../../../src/node/files/checkpointFiles.ts';
import { openGit } from '../../../../src/node/files/openGit.ts';
import { nodeDisk } from '../../../../src/node/files/pathDisk.ts';
import { createChildShell } from '../../../../src/node/shell/childShell.ts';
import { memoryBlobs, memoryJournal } from '../../../support/ports/memoryStore.ts';
import { testCrypto } from '../../../support/ports/nodeCrypto.ts';
import { testClock } from '../../../support/ports/testClock.ts';
import { createWorkbench, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

const top = createTemporaryFolder();
const root = join(top, 'ws');

async function open() {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src/a.ts'), 'a\n');
  return openFolder(root, { ripgrep: async () => rgPath });
}

test.each([
  ['list_files', {}],
  ['list_files', { path: 'src' }],
  ['read_file', { path: 'src/a.ts' }],
  ['write_file', { path: 'src/new.ts', content: 'x' }],
  ['write_file', { path: 'new.ts', content: 'x' }],
  ['edit_file', { path: 'src/a.ts', edits: [{ old_string: 'a', new_string: 'b' }] }],
  ['search_text', { pattern: 'a' }],
  ['search_text', { pattern: 'a', path: 'src' }],
  ['find_files', { glob: '*' }],
  ['find_files', { glob: '*', path: 'src' }],
  ['delete_file', { path: 'src/a.ts' }],
  ['move_file', { from: 'src/a.ts', to: 'src/b.ts' }],
  ['run_command', { command: 'echo x > made' }],
  ['git_changes', {}],
  ['git_changes', { path: 'src' }],
])('an open folder that was renamed is named by %s %j, and not made anew', async (name, input) => {
  const files = await open();
  rmSync(join(top, 'renamed'), { recursive: true, force: true });
  renameSync(root, join(top, 'renamed'));
  const git = openGit({ folders: [root], denied: [], environment: process.env, git: async () => 'git' });
  const shell = createChildShell({ folder: root, environment: process.env });
  const { text, isError } = await useTool({ ...createWorkbench(), files, git, shell }, name, input);
  expect({ text, isError }).toEqual({
    text: `${name}: The open folder workspace is no longer at ${root}: it was renamed, moved or deleted. Ask the user to open it where it is now.`,
    isError: true,
  });
  expect(existsSync(root)).toBe(false);
});

test('an open folder that a command moved away is not taken for one whose files are deleted', async () => {
  const files = await open();
  const { journal } = await memoryJournal();
  const ports = {
    journal,
    files: await openCheckpointFiles({ files, folders: [{ name: 'ws', path: root }], onSave: () => () => undefined }),
    blobs: memoryBlobs(),
    crypto: testCrypto(),
    clock: testClock(),
  };
  const keeper = new FileKeeper(ports);
  await keeper.before({ toolCallId: 'c', toolClass: 'run', changes: [] });
  rmSync(join(top, 'moved'), { recursive: true, force: true });
  renameSync(root, join(top, 'moved'));
  await keeper.after('c');
  expect((await previewRestore(0, ports)).steps).toEqual([]);
  await expect(ports.files.write('src/a.ts', { bytes: new Uint8Array(), executable: false })).rejects.toThrow(
    'is no longer at',
  );
  expect(existsSync(root)).toBe(false);
});

test('a list looks at what it shows, however many entries a folder has', async () => {
  await open();
  mkdirSync(join(root, 'many'));
  for (let nth = 0; nth < 5000; nth++) writeFileSync(join(root, `many/${10_000 + nth}`), '');
  let looks = 0;
  const disk = {
    ...nodeDisk,
    lstat: (path: string) => {
      looks += 1;
      return nodeDisk.lstat(path);
    },
    identify: (path: string) => {
      looks += 1;
      return nodeDisk.identify(path);
    },
  };
  const files = await openFolder(root, { disk, denied: [join(root, 'src')] });
  const { text } = await useTool({ ...createWorkbench(), files }, 'list_files', { path: 'many' });
  expect(text.split('\n')).toHaveLength(1001);
  expect(text).toContain('4000 of the 5000 in many are left out');
  expect(looks).toBeLessThan(1100);
});
