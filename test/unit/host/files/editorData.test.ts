/** A home folder as the workspace: what editors keep there is neither read nor changed, whatever the editor is called. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { beforeAll, expect, test } from 'vitest';
import { ToolError } from '../../../../src/core/errors.ts';
import { openCheckpointFiles } from '../../../../src/node/files/checkpointFiles.ts';
import { userDataOf } from '../../../../src/node/files/deniedFolders.ts';
import { createTemporaryFolder, openFolder } from '../../node/files/temporaryFolder.ts';

const home = createTemporaryFolder();
const OURS = '.config/Code/User/globalStorage/palimpsest.palimpsest';
const KEPT = [
  `${OURS}/sessions/s1/journal.jsonl`,
  '.config/Code/User/settings.json',
  '.config/Code/User/workspaceStorage/ab12/palimpsest.palimpsest/sessions/s2/journal.jsonl',
  '.config/Code/User/profiles/p/globalStorage/state.vscdb',
  '.config/Code/Backups/x/file',
  '.config/VSCodium/User/workspaceStorage/cd34/palimpsest.palimpsest/sessions/s3/journal.jsonl',
  '.vscode-server/data/User/globalStorage/palimpsest.palimpsest/sessions/s4/journal.jsonl',
  'Library/Application Support/Cursor/User/globalStorage/state.vscdb',
];
const ORDINARY = ['project/src/User/profiles/a.ts', 'project/user/history/b.ts', 'notes.txt'];

beforeAll(() => {
  for (const path of [...KEPT, ...ORDINARY]) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), 'needle');
  }
  symlinkSync('.config/Code/User', join(home, 'innocent'));
});

const open = async () => {
  const storage = join(home, OURS);
  const userData = userDataOf(storage) ?? '';
  return openFolder(home, { denied: [storage, userData], ripgrep: async () => rgPath });
};

test.each([...KEPT, 'innocent/settings.json', '.config/Code/User/new.json'])('%s is denied', async (path) => {
  const files = await open();
  await expect(files.resolve(path)).rejects.toThrow(ToolError);
  await expect(files.read(path)).rejects.toThrow(ToolError);
  await expect(files.write(path, new Uint8Array())).rejects.toThrow(ToolError);
  await expect(files.list(path)).rejects.toThrow(ToolError);
});

test('it is neither listed nor searched', async () => {
  const files = await open();
  const found = await files.search({ pattern: 'needle', regex: false }, 100, new AbortController().signal);
  expect(found.matches.map(({ path }) => path)).toEqual(ORDINARY.toSorted());
  expect((await files.list('.config')).map(({ name }) => name)).toEqual(['VSCodium']);
});

test('it is not looked through for changes', async () => {
  const folders = [{ name: 'home', path: home }];
  const files = await openCheckpointFiles({
    files: await open(),
    folders,
    denied: [join(home, '.config/Code')],
    onSave: () => () => undefined,
  });
  expect([...(await files.scan(1_000)).files.keys()].sort()).toEqual(ORDINARY.toSorted());
});

test.each(ORDINARY)('%s is read as before', async (path) => {
  expect(new TextDecoder().decode(await (await open()).read(path))).toBe('needle');
});

test.each([
  ['/h/.config/Code/User/globalStorage/palimpsest.palimpsest', '/h/.config/Code'],
  ['/h/.config/Code/User/workspaceStorage/ab/palimpsest.palimpsest', '/h/.config/Code'],
  ['/h/.config/Code/User/profiles/p/globalStorage/palimpsest.palimpsest', '/h/.config/Code'],
  ['/h/.vscode-server/data/User/globalStorage/palimpsest.palimpsest', '/h/.vscode-server/data'],
  ['/somewhere/else', null],
])('the user data around %s is %s', (storage, folder) => {
  expect(userDataOf(storage)).toBe(folder);
});
