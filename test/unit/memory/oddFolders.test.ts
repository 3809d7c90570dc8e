/** Memory files are found whatever the open folder and the folders in it are called. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMemoryFiles } from '../../../src/core/instructions/memoryFiles.ts';
import { nameFolders } from '../../../src/node/files/nameFolders.ts';
import { createTemporaryFolder, openFolder } from '../node/files/temporaryFolder.ts';

const top = createTemporaryFolder();
const NAMES = [
  '\u2699\uFE0F app',
  'a b',
  'backup~1',
  'dot.',
  ' blank',
  '\u0645\u06CC\u200C\u062E',
  'Foo::Bar',
  'a\\b',
  'x\u202Ey',
  'break\n',
];

describe.skipIf(process.platform === 'win32').each(NAMES)('in %j', (name) => {
  const make = (...way: string[]) => {
    const folder = join(top, ...way);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'AGENTS.md'), `rules of ${JSON.stringify(way)}`);
    return folder;
  };
  const read = async (files: Awaited<ReturnType<typeof openFolder>>, touched: readonly string[]) => {
    const skipped: string[] = [];
    const items = await readMemoryFiles(files, null, touched, 10_000, (origin) => void skipped.push(origin));
    return { origins: items.map(({ origin }) => origin), skipped };
  };

  test('as the open folder, alone and beside another', async () => {
    const path = make('open', name);
    expect(await read(await openFolder(path), [])).toEqual({ origins: ['AGENTS.md'], skipped: [] });
    const folders = nameFolders([
      { name: 'other', path: make('other') },
      { name, path },
    ]);
    const files = await openFolder(path, { folders });
    expect(await read(files, [])).toEqual({
      origins: folders.map((each) => `${each.name}/AGENTS.md`),
      skipped: [],
    });
  });

  test('as a folder with a file that was touched', async () => {
    make('above', name);
    const files = await openFolder(join(top, 'above'));
    const { shown } = await files.resolve(`${name}/AGENTS.md`);
    expect(await read(files, [shown])).toEqual({ origins: [`${name}/AGENTS.md`], skipped: [] });
  });
});
