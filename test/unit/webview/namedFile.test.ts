import { expect, test } from 'vitest';
import { fileInCode, fileInComment, fileOfLink, filesInText } from '../../../webview/markdown/namedFile.ts';

test('code that names a file is told from code that does not', () => {
  expect(
    ['src/retry.ts', 'retry.ts:42', './a/b.json', 'docs\\x.md', 'package.json', 'a.b/c.d:3-9'].map(fileInCode),
  ).toEqual([
    { path: 'src/retry.ts' },
    { path: 'retry.ts', line: 42 },
    { path: './a/b.json' },
    { path: 'docs\\x.md' },
    { path: 'package.json' },
    { path: 'a.b/c.d', line: 3 },
  ]);
  for (const code of [
    'console.log',
    'a + b',
    'npm test',
    'foo.bar()',
    'x.y.z',
    '<img src=x.js>',
    '',
    'https://a.b/c.ts',
    '1.5',
  ])
    expect(fileInCode(code), code).toBeNull();
});

test('names with blanks and letters of any script are files; a program with its file is none', () => {
  for (const path of [
    'src/my file.ts',
    'docs/a b c.md',
    'my dir/src/my file.ts',
    'my dir/a.ts',
    'src/my dir/deep er/a.ts',
    '/home/me/my dir/a.ts',
    '../my dir/a.ts',
    './my dir/a.ts',
    'My Dir\\a.ts',
    'C:\\Users\\Jo Doe\\My Notes\\a.md',
    '文件 夹/列表.md',
    'C:\\Users\\me\\my notes.md',
    'src/möbel.ts',
    '文件/列表.md',
    'می‌خواهم.md',
  ])
    expect(fileInCode(path), path).toEqual({ path });
  expect(fileInCode('src/my file.ts:7')).toEqual({ path: 'src/my file.ts', line: 7 });
  for (const code of [
    'node src/a.ts',
    './run a.ts',
    'cat my/a.ts',
    'npx vitest run test/a.ts',
    'git diff src/a.ts',
    'tool ../a.ts',
    'a.ts src/b.ts',
    'src/a.ts src/b.ts',
    'my  dir/a.ts',
    'my dir /a.ts',
    'my dir/a.unknown',
    'x = y/a.ts',
    '/usr/bin/node a.js',
    'src/a.ts -x b.ts',
    'a b.ts',
    'src/my  file.ts',
  ])
    expect(fileInCode(code), code).toBeNull();
});

test('an address with the scheme file: in code is the file', () => {
  expect(['file:///home/me/my dir/a.ts:7', 'file:///home/me/my%20dir/a.ts'].map(fileInCode)).toEqual([
    { path: '/home/me/my dir/a.ts', line: 7 },
    { path: '/home/me/my dir/a.ts' },
  ]);
  expect(fileInCode('file://server/share/a.ts')).toBeNull();
});

test('a link with the scheme file: names a path of this machine', () => {
  expect(
    [
      'file:///home/me/my%20file.ts#L3',
      'file://localhost/a/b.ts',
      'file:/a/b.ts',
      'file:///C:/a/b.ts:9',
      'FILE:///c%3A/a.ts',
    ].map(fileOfLink),
  ).toEqual([
    { path: '/home/me/my file.ts', line: 3 },
    { path: '/a/b.ts' },
    { path: '/a/b.ts' },
    { path: 'C:/a/b.ts', line: 9 },
    { path: 'c:/a.ts' },
  ]);
  for (const href of ['file://server/share/a.ts', 'file:////server/share/a.ts', 'file:a.ts', 'file:///'])
    expect(fileOfLink(href), href).toBeNull();
});

test('code names a file also by a whole path of Windows', () => {
  for (const path of [
    'C:\\ws\\a.ts',
    'C:/ws/a.ts',
    '/c/ws/a.ts',
    '/c:/ws/a.ts',
    '/mnt/c/ws/a.ts',
    '\\\\server\\share\\a.ts',
    '\\\\?\\C:\\ws\\a.ts',
    '\\\\?\\UNC\\server\\share\\a.ts',
    '//?/C:/ws/a.ts',
  ])
    expect(fileInCode(`${path}:7`), path).toEqual({ path, line: 7 });
  expect(fileInCode('file:///c:/ws/my%20a.ts#L3')).toEqual({ path: 'c:/ws/my a.ts', line: 3 });
  for (const code of ['//server/a.js', 'file:a.ts', '\\\\.\\PhysicalDrive0']) expect(fileInCode(code), code).toBeNull();
});

test('a link without a scheme names a file', () => {
  expect(['src/a.ts#L12', 'src/my%20file.ts', '/abs/x.md:7', '100%.md'].map(fileOfLink)).toEqual([
    { path: 'src/a.ts', line: 12 },
    { path: 'src/my file.ts' },
    { path: '/abs/x.md', line: 7 },
    { path: '100%.md' },
  ]);
  for (const href of [
    'https://a.b/c.ts',
    'command:x',
    'javascript:alert(1)',
    '//host/x',
    '#part',
    'vscode://file/x',
    '',
  ])
    expect(fileOfLink(href), href).toBeNull();
});

test('files are found behind a fence, in a sentence and in a first line that says nothing else', () => {
  expect(
    ['ts title="src/a.ts"', 'ts:src/a.ts', '12:20:src/a.ts', 'src/a.ts', 'ts {file=src/a.ts}', 'ts'].map(filesInText),
  ).toEqual([...Array(5).fill(['src/a.ts']), []]);
  expect(filesInText('In **src/a.ts**, as `b/c.json` says (see d.md):')).toEqual(['src/a.ts', 'b/c.json', 'd.md']);
  expect(
    ['// src/a.ts\nlet a;', '# File: b.py', '<!-- c.html -->', '/* d.css */', '// see a.ts for more', 'src/a.ts'].map(
      fileInComment,
    ),
  ).toEqual(['src/a.ts', 'b.py', 'c.html', 'd.css', null, null]);
});
