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
