/** Whole paths as shells and programs print them: each for the file that it is, in every tool, and none outside of the folders. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { locateMention } from '../../../../src/core/mentions/locateMention.ts';
import { findMentions } from '../../../../src/core/mentions/mention.ts';
import { decideCommand, knowCommand } from '../../../../src/core/tools/commands/knowCommand.ts';
import { placePath, type Root } from '../../../../src/node/files/pathGuard.ts';
import { createWorkbench, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

const rootAt = (path: string, name = 'ws'): Root => ({ name, path, real: path });

describe('on Windows', () => {
  const roots = [rootAt('c:\\Users\\Ana\\ws')];

  test.each([
    'C:\\Users\\Ana\\ws\\src\\a.ts',
    'c:/users/ana/ws/src/a.ts',
    '/c/Users/Ana/ws/src/a.ts',
    '/C/Users/Ana/ws/src/a.ts',
    '/c:/Users/Ana/ws/src/a.ts',
    '/cygdrive/c/Users/Ana/ws/src/a.ts',
    '/proc/cygdrive/c/Users/Ana/ws/src/a.ts',
    '/mnt/c/Users/Ana/ws/src/a.ts',
    '\\Users\\Ana\\ws\\src\\a.ts',
    '\\\\?\\C:\\Users\\Ana\\ws\\src\\a.ts',
    '//?/C:/Users/Ana/ws/src/a.ts',
    'file:///c:/Users/Ana/ws/src/a.ts',
    'file:///C%3A/Users/Ana/ws/src/a.ts',
    'file:/c:/Users/Ana/ws/src/a.ts',
    'FILE://localhost/c:/Users/Ana/ws/src/a.ts',
    '/c/Users/Ana/ws/lib/../src/./a.ts',
  ])('%j is a file of the folder', (path) => {
    expect(placePath(path, roots, win32).shown).toBe('src/a.ts');
  });

  test.each([
    '\\\\server\\share\\ws\\a.ts',
    '//server/share/ws/a.ts',
    '\\\\?\\UNC\\server\\share\\ws\\a.ts',
    '//?/unc/server/share/ws/a.ts',
    'file://server/share/ws/a.ts',
  ])('%j is a file of a folder in the network', (path) => {
    expect(placePath(path, [rootAt('\\\\server\\share\\ws')], win32).shown).toBe('a.ts');
  });

  test.each([
    ['wsl$', 'wsl.localhost'],
    ['wsl.localhost', 'wsl$'],
    ['wsl$', 'wsl$'],
    ['wsl.localhost', 'WSL.LOCALHOST'],
  ])('a Linux beside Windows has two names: %s where %s is open', (written, open) => {
    const roots = [rootAt(`\\\\${open}\\Ubuntu\\home\\ana\\ws`)];
    for (const begin of [`\\\\${written}\\`, `//${written}/`, `\\\\?\\UNC\\${written}\\`, `file://${written}/`]) {
      expect(placePath(`${begin}Ubuntu/home/ana/ws/src/a.ts`, roots, win32).shown, begin).toBe('src/a.ts');
      expect(() => placePath(`${begin}Debian/home/ana/ws/src/a.ts`, roots, win32), begin).toThrow('outside');
      expect(() => placePath(`${begin}Ubuntu/home/ana/ws/../a.ts`, roots, win32), begin).toThrow('outside');
    }
  });

  test('a path without a drive is one of the folder’s drive, also in a Linux beside Windows', () => {
    expect(placePath('/home/ana/ws/a.ts', [rootAt('\\\\wsl.localhost\\Ubuntu\\home\\ana\\ws')], win32).shown).toBe(
      'a.ts',
    );
    expect(placePath('/c/x/a.ts', [rootAt('c:\\c\\x', 'first'), rootAt('c:\\x', 'second')], win32).shown).toBe(
      'second/a.ts',
    );
  });

  test.each([
    '\\\\.\\C:\\Users\\Ana\\ws\\a.ts',
    '//./C:/Users/Ana/ws/a.ts',
    '\\\\.\\PhysicalDrive0',
    '\\\\?\\GLOBALROOT\\Device\\HarddiskVolume1\\Users\\Ana\\ws\\a.ts',
    '\\\\?\\Volume{0}\\Users\\Ana\\ws\\a.ts',
    '\\\\?\\UNC\\.\\C:\\Users\\Ana\\ws\\a.ts',
    '\\\\?\\UNC\\?\\C:\\Users\\Ana\\ws\\a.ts',
    '\\??\\C:\\Users\\Ana\\ws\\a.ts',
    '\\\\localhost\\C$\\Users\\Ana\\ws\\a.ts',
    '\\\\?\\D:\\Users\\Ana\\ws\\a.ts',
    '\\\\?\\C:\\Windows\\a.ts',
    '/d/Users/Ana/ws/a.ts',
    '/c/Users/Ana/ws2/a.ts',
    '/c/Users/Ana/ws/../a.ts',
    '/mnt/c/Users/Ana',
    '/cygdrive/c',
    '/etc/passwd',
    '/home/Ana/ws/a.ts',
    '//c/Users/Ana/ws/a.ts',
    'file://./C:/Users/Ana/ws/a.ts',
    'file://server/c:/Users/Ana/ws/a.ts',
    'file:///c:/Users/Ana/ws/..%2f..%2fa.ts',
    'file:///c:/Users/Ana/ws/%00a.ts',
    'file:c:/Users/Ana/ws/a.ts',
    'file:///d:/x',
    'file:////c:/Users/Ana/ws/a.ts',
    '//c:/Users/Ana/ws/a.ts',
    '\\\\?\\UNC\\C:\\Users\\Ana\\ws\\a.ts',
  ])('%j is refused', (path) => {
    expect(() => placePath(path, roots, win32)).toThrow('it lies outside of the workspace folder');
  });

  test.each([
    ['/c/Users/Ana/ws/nul', 'the name of a device'],
    ['/c/Users/Ana/ws/Aux .txt', 'the name of a device'],
    ['\\\\?\\C:\\Users\\Ana\\ws\\a.ts.', 'ends with a dot'],
    ['\\\\?\\C:\\Users\\Ana\\ws\\a.ts:x', 'a stream behind a file'],
    ['file:///c:/Users/Ana/ws/a%3Ax', 'a stream behind a file'],
    ['/c/Users/Ana/ws/GIT~1/config', 'the short name of another file'],
    ['file:///c:/Users/Ana/ws/a%E2%80%8Bb.md', 'a character that cannot be seen'],
  ])('%j means another file', (path, reason) => {
    expect(() => placePath(path, roots, win32)).toThrow(reason);
  });
});

describe('in a Linux beside Windows', () => {
  test.each([
    ['/mnt/c/Users/Ana/ws', '/mnt/c/Users/Ana/ws/src/a.ts'],
    ['/mnt/c/Users/Ana/ws', 'C:\\Users\\Ana\\ws\\src\\a.ts'],
    ['/mnt/c/Users/Ana/ws', 'c:/Users/Ana/ws/src/a.ts'],
    ['/mnt/c/Users/Ana/ws', '\\\\?\\C:\\Users\\Ana\\ws\\src\\a.ts'],
    ['/mnt/c/Users/Ana/ws', '//?/C:/Users/Ana/ws/src/a.ts'],
    ['/mnt/c/Users/Ana/ws', 'file:///c:/Users/Ana/ws/src/a.ts'],
    ['/mnt/c/Users/Ana/ws', '/c/Users/Ana/ws/src/a.ts'],
    ['/mnt/c/Users/Ana/ws', '/cygdrive/c/Users/Ana/ws/src/a.ts'],
    ['/c/Users/Ana/ws', 'C:\\Users\\Ana\\ws\\src\\a.ts'],
    ['/home/ana/ws', 'file:///home/ana/ws/src/a.ts'],
    ['/home/ana/ws', '/home/ana/ws/src/a.ts'],
  ])('of %j, %j is a file', (root, path) => {
    expect(placePath(path, [rootAt(root)], posix).shown).toBe('src/a.ts');
  });

  test.each([
    'D:\\Users\\Ana\\ws\\a.ts',
    'C:\\Users\\Ana\\a.ts',
    'C:\\Users\\Ana\\ws\\..\\a.ts',
    '\\\\.\\C:\\Users\\Ana\\ws\\a.ts',
    '\\\\?\\UNC\\mnt\\c\\Users\\Ana\\ws\\a.ts',
    '\\\\mnt\\c\\Users\\Ana\\ws\\a.ts',
    '\\mnt\\c\\Users\\Ana\\ws\\a.ts',
    'file://mnt/c/Users/Ana/ws/a.ts',
    'file:///etc/passwd',
    '/mnt/d/Users/Ana/ws/a.ts',
  ])('%j is refused', (path) => {
    expect(() => placePath(path, [rootAt('/mnt/c/Users/Ana/ws')], posix)).toThrow(
      'it lies outside of the workspace folder',
    );
  });
});

const top = createTemporaryFolder();
const folder = join(top, 'ws');
beforeEach(() => {
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src/my 100%.ts'), 'needle\n');
});

const slashed = folder.replaceAll('\\', '/');
const drive = slashed[0]?.toLowerCase() ?? '';
/** The forms of the open folder that this system knows. */
const FORMS =
  process.platform === 'win32'
    ? [
        folder,
        slashed,
        `/${drive}${slashed.slice(2)}`,
        `/mnt/${drive}${slashed.slice(2)}`,
        `\\\\?\\${folder}`,
        `file:///${slashed}`,
      ]
    : [folder, `file://${folder}`];

describe.each(FORMS)('the folder as %j', (form) => {
  const name = /^file:/.test(form) ? 'my%20100%25.ts' : 'my 100%.ts';

  test('in every tool', async () => {
    const files = await openFolder(folder);
    const ports = { ...createWorkbench(), files };
    const use = async (tool: string, input: object) => (await useTool(ports, tool, input)).text;
    expect(await use('read_file', { path: `${form}/src/${name}` })).toContain('needle');
    expect(await use('edit_file', { path: `${form}/src/${name}`, old_text: 'needle', new_text: 'pin' })).toContain(
      'src/my 100%.ts',
    );
    expect(await use('write_file', { path: `${form}/src/b.ts`, content: 'b\n' })).toContain('src/b.ts');
    expect(await use('list_files', { path: form, depth: 2 })).toBe('src/\n  b.ts\n  my 100%.ts');
    expect(await use('move_file', { path: `${form}/src/b.ts`, new_path: `${form}/c.ts` })).toBe(
      'Moved src/b.ts to c.ts.',
    );
    expect(await use('delete_file', { path: `${form}/c.ts` })).toContain('c.ts');
    expect(await use('read_file', { path: `${form}/../x` })).toContain(
      'is refused: it lies outside of the workspace folder',
    );
  });

  test('in a mention, with lines', async () => {
    const files = await openFolder(folder);
    const [mention] = findMentions(`See @"${`${form}/src/${name}`.replace(/["\\]/g, '\\$&')}:1"`);
    if (!mention) throw new Error('no mention');
    expect(await locateMention(mention, { files } as never, {} as never)).toMatchObject({
      thing: { kind: 'place', facts: { shown: 'src/my 100%.ts' } },
    });
  });
});

test('a command in Git Bash reads what it names as that shell does', async () => {
  const seen: string[] = [];
  const open = {
    real: 'C:\\ws',
    shown: '.',
    exists: true,
    linked: false,
    type: 'folder',
    size: 0,
    unsaved: false,
    guarded: false,
  };
  const files = {
    root: 'C:\\ws',
    resolve: async (path: string) => {
      seen.push(path);
      return open as never;
    },
  };
  const disk = {
    isForeign: async () => false,
    secretUnder: async () => null,
    expand: async () => null,
    repository: async () => null,
  };
  const know = async (command: string) =>
    decideCommand(
      await knowCommand(
        { command, folder: 'C:\\ws', background: false, posix: true },
        {
          files,
          rules: { allows: () => false, allowsReading: true } as never,
          isGranted: () => false,
          disk: disk as never,
        },
      ),
    ).kind;
  expect(await know('cat /c/ws/a.ts')).toBe('allow');
  expect(await know('cd /c/ws && cat C:/ws/b.ts c.ts')).toBe('allow');
  expect(await know('cat /mnt/c/ws/a.ts')).toBe('ask');
  expect(await know('cat /tmp/a.ts')).toBe('ask');
  expect(seen).toEqual(expect.arrayContaining(['C:/ws/a.ts', 'C:/ws/b.ts', 'C:\\ws/c.ts']));
});
