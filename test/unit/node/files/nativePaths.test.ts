import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { FileKeeper } from '../../../../src/core/checkpoints/fileKeeper.ts';
import { previewRestore, restoreFiles } from '../../../../src/core/checkpoints/restoreFiles.ts';
import { ToolError } from '../../../../src/core/errors.ts';
import { pathIn } from '../../../../src/host/mentions/openFiles.ts';
import { openCheckpointFiles } from '../../../../src/node/files/checkpointFiles.ts';
import { placeNative, placePath, type Root } from '../../../../src/node/files/pathGuard.ts';
import { foldingDisk } from '../../../support/ports/foldingDisk.ts';
import { memoryBlobs, memoryJournal } from '../../../support/ports/memoryStore.ts';
import { testCrypto } from '../../../support/ports/nodeCrypto.ts';
import { testClock } from '../../../support/ports/testClock.ts';
import { createWorkbench, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

const windowsRoot = (name: string, path: string): Root => ({ name, path, real: path.replace(/^c/u, 'C') });
const one = [windowsRoot('ws', 'c:\\Users\\Ana\\ws')];
const two = [windowsRoot('web', 'c:\\ws\\web'), windowsRoot('api', 'd:\\api')];

describe('under the rules of Windows', () => {
  test.each([
    ['c:\\Users\\Ana\\ws\\src\\a.ts', 'src/a.ts'],
    ['C:\\Users\\Ana\\ws\\src\\a.ts', 'src/a.ts'],
    ['c:\\users\\ana\\WS\\src\\a.ts', 'src/a.ts'],
    ['C:/Users/Ana/ws/src/a.ts', 'src/a.ts'],
    ['C:\\Users\\Ana\\ws', '.'],
    ['C:\\Users\\Ana\\ws-evil\\a.ts', null],
    ['D:\\Users\\Ana\\ws\\a.ts', null],
    ['\\\\server\\share\\ws\\a.ts', null],
    ['src\\a.ts', null],
  ])('the editor’s %j is %j', (native, shown) => {
    expect(placeNative(native, one, win32)).toBe(shown);
  });

  test('of several folders each has its name in front', () => {
    expect(placeNative('C:\\ws\\WEB\\index.html', two, win32)).toBe('web/index.html');
    expect(placeNative('D:\\api\\main.go', two, win32)).toBe('api/main.go');
  });

  test.each([
    ['src\\a.ts', 'src/a.ts', 'c:\\Users\\Ana\\ws\\src\\a.ts'],
    ['.\\src\\sub/../a.ts', 'src/a.ts', 'c:\\Users\\Ana\\ws\\src\\a.ts'],
    ['C:\\Users\\Ana\\ws\\src\\a.ts', 'src/a.ts', 'C:\\Users\\Ana\\ws\\src\\a.ts'],
  ])('a model’s %j is read as it is meant', (path, shown, absolute) => {
    expect(placePath(path, one, win32)).toMatchObject({ shown, absolute });
  });

  test.each([
    ['..\\x', 'it lies outside of the workspace folder'],
    ['src\\..\\..\\x', 'it lies outside of the workspace folder'],
    ['\\\\server\\share\\x', 'it lies outside of the workspace folder'],
    ['C:\\Windows\\x', 'it lies outside of the workspace folder'],
    ['src\\a.ts::$DATA', 'a colon can name a stream behind a file'],
    ['.git\\config.', 'a name that ends with a dot or a space can mean another file'],
    ['src\\aux.c', '"aux.c" is the name of a device'],
    ['~\\x', '"~" is not expanded here; write it relative to the workspace folder'],
  ])('a model’s %j is refused', (path, reason) => {
    expect(() => placePath(path, one, win32)).toThrow(`is refused: ${reason}.`);
  });

  const devices = [
    'CON',
    'con',
    'nul',
    'NUL.txt',
    'aux.ts',
    'prn',
    'COM1',
    'com9.log',
    'LPT1',
    'lpt²',
    'CONIN$',
    'conout$',
    'x/nul/y',
  ];
  const elsewhere = [{ name: 'ws', path: '/ws', real: '/ws' }];

  test.each(devices)('the device %j is refused, and is an ordinary name elsewhere', (path) => {
    for (const each of [path, `src/${path}`, `src/deep/../${path}`]) {
      expect(() => placePath(each, one, win32)).toThrow('is the name of a device');
      expect(placePath(each, elsewhere, posix).shown).toBe(posix.normalize(each));
    }
  });

  test('a backslash stays an odd character elsewhere', () => {
    const roots = elsewhere;
    expect(() => placePath('src\\a.ts', roots, posix)).toThrow('it holds a backslash');
    expect(placeNative('/ws/src/a.ts', roots, posix)).toBe('src/a.ts');
  });
});

describe('the name of a folder', () => {
  test.each([
    ['Web/a.ts', 'web/a.ts'],
    ['./API/main.go', 'api/main.go'],
    ['WEB', 'web'],
  ])('%j means the folder in any case: %j', (path, shown) => {
    expect(placePath(path, two, win32).shown).toBe(shown);
  });
});

const top = createTemporaryFolder();
const root = join(top, 'ws');
beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src/a.ts'), 'a\n');
});

describe('with several folders', () => {
  const open = () => {
    mkdirSync(join(top, 'api'), { recursive: true });
    return openFolder(root, {
      folders: [
        { name: 'web', path: root },
        { name: 'api', path: join(top, 'api') },
      ],
    });
  };

  test('a wrong name never falls into the first', async () => {
    const files = await open();
    await expect(files.resolve('backend/new.ts')).rejects.toThrow(
      new ToolError(
        'The path "backend/new.ts" is refused: the workspace folders are web, api, and "backend" is none of them. Begin the path with one of these names.',
      ),
    );
    const text = await useTool({ ...createWorkbench(), files }, 'write_file', { path: 'backend/x.ts', content: 'x' });
    expect(text.isError).toBe(true);
    expect(readdirSync(root)).toEqual(['src']);
  });

  test('what is there in the first is still found', async () => {
    const files = await open();
    expect(await files.resolve('src/new.ts')).toMatchObject({ shown: 'web/src/new.ts', exists: false });
    expect(await files.resolve('notes.md')).toMatchObject({ shown: 'web/notes.md' });
  });
});

describe.each([true, false])('a disk that ignores case (it tells how it spells: %s)', (spells) => {
  const open = () => openFolder(root, { disk: foldingDisk(root, spells) });

  test.each([
    ['SRC/A.TS', 'src/a.ts', true],
    ['Src/a.ts', 'src/a.ts', true],
    ['SRC/new.ts', 'src/new.ts', false],
    ['src/a.ts', 'src/a.ts', true],
  ])('%j is the file that is there, told as it is spelled there', async (path, shown, exists) => {
    const facts = await (await open()).resolve(path);
    expect(facts).toMatchObject({ shown, exists, linked: false, real: join(root, shown) });
  });

  test('a guarded name holds in every spelling, and a link stays a link', async () => {
    mkdirSync(join(root, '.vscode'));
    writeFileSync(join(root, '.vscode/settings.json'), '{}');
    symlinkSync('src', join(root, 'Link'));
    const files = await open();
    expect(await files.resolve('.VSCODE/Settings.json')).toMatchObject({
      shown: '.vscode/settings.json',
      guarded: true,
    });
    expect(await files.resolve('link/a.ts')).toMatchObject({ linked: true, real: join(root, 'src/a.ts') });
  });

  test('a file can be spelled anew, and a restore spells it as before', async () => {
    const files = await open();
    const { journal } = await memoryJournal();
    const ports = {
      journal,
      blobs: memoryBlobs(),
      crypto: testCrypto(),
      files: await openCheckpointFiles({
        files,
        folders: [{ name: 'ws', path: root }],
        onSave: () => () => {},
      }),
    };
    const keeper = new FileKeeper({ ...ports, clock: testClock() });
    await keeper.before({ toolCallId: 'c', toolClass: 'write', changes: ['src/a.ts', 'src/A.ts'] });
    const moved = await useTool({ ...createWorkbench(), files }, 'move_file', {
      path: 'src/a.ts',
      new_path: 'src/A.ts',
    });
    await keeper.after('c');
    expect(moved.text).toBe('Moved src/a.ts to src/A.ts.');
    expect(readdirSync(join(root, 'src'))).toEqual(['A.ts']);
    const { steps } = await previewRestore(0, ports);
    expect((await restoreFiles(steps, new Set(), ports)).skipped).toEqual([]);
    expect(readdirSync(join(root, 'src'))).toEqual(['a.ts']);
    expect(readFileSync(join(root, 'src/a.ts'), 'utf8')).toBe('a\n');
  });
});

describe('letters with accents', () => {
  const [composed, parts] = ['caf\u00e9.md', 'cafe\u0301.md'];

  test.each([
    [composed, parts],
    [parts, composed],
  ])('%j names the file %j that is there', async (asked, there) => {
    writeFileSync(join(root, there), 'x\n');
    const files = await openFolder(root);
    expect(await files.resolve(asked)).toMatchObject({ shown: there, exists: true, linked: false });
    await files.write(asked, new TextEncoder().encode('y\n'));
    expect(readdirSync(root)).toEqual([there, 'src'].sort());
  });

  test('where both are there, each names itself', async () => {
    for (const name of [composed, parts]) writeFileSync(join(root, name), name);
    const files = await openFolder(root);
    for (const name of [composed, parts]) expect(new TextDecoder().decode(await files.read(name))).toBe(name);
  });
});

test('a path of the editor’s is mentioned by its name in the workspace', async () => {
  const files = await openFolder(root);
  symlinkSync(root, join(top, 'alias'));
  expect(await pathIn(files, join(root, 'src/a.ts'))).toBe('src/a.ts');
  expect(await pathIn(files, join(top, 'alias/src/a.ts'))).toBe('src/a.ts');
  expect(await pathIn(files, join(top, 'elsewhere.ts'))).toBeNull();
});
