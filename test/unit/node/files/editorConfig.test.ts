import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseEditorConfig, readEditorConfig } from '../../../../src/node/files/editorConfig.ts';
import { createStandInText } from '../../../support/ports/standInText.ts';
import { createWorkbench, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

describe('a pattern', () => {
  test.each([
    ['*', 'a.ts', true],
    ['*', 'deep/down/a.ts', true],
    ['*.ts', 'src/a.ts', true],
    ['*.ts', 'src/a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**.ts', 'src/deep/a.ts', true],
    ['/a.ts', 'a.ts', true],
    ['/a.ts', 'src/a.ts', false],
    ['*.{js,ts}', 'a.ts', true],
    ['*.{js,ts}', 'a.py', false],
    ['{package.json,.travis.yml}', 'x/package.json', true],
    ['Makefile', 'sub/Makefile', true],
    ['file?.txt', 'file1.txt', true],
    ['[ab].txt', 'a.txt', true],
    ['[!ab].txt', 'a.txt', false],
    ['[!ab].txt', 'c.txt', true],
    ['v{1..12}.md', 'v9.md', true],
    ['v{1..12}.md', 'v13.md', false],
    ['{single}.b', '{single}.b', true],
    ['a\\*.txt', 'a*.txt', true],
    ['a\\*.txt', 'ab.txt', false],
    ['a+b(c).txt', 'a+b(c).txt', true],
    ['[unclosed', '[unclosed', true],
    ['*'.repeat(2000), 'a', false],
  ])('%j for %j: %j', (glob, path, matches) => {
    const { sections } = parseEditorConfig(`[${glob}]\nend_of_line = crlf\n`);
    expect(sections[0]?.matches(path)).toBe(matches);
  });

  test('that goes back and forth costs no time', { tags: ['long'] }, () => {
    const { sections } = parseEditorConfig(`[${'*a'.repeat(20)}b]\nx = y\n`);
    expect(sections[0]?.matches('a'.repeat(30))).toBe(false);
  });
});

const top = createTemporaryFolder();
const root = join(top, 'ws');
beforeAll(() => {
  mkdirSync(join(root, 'web/deep'), { recursive: true });
  mkdirSync(join(root, 'own'), { recursive: true });
  writeFileSync(join(top, '.editorconfig'), '[*]\ncharset = latin1\n');
  writeFileSync(
    join(root, '.editorconfig'),
    '\uFEFF; first\r\n[*]\r\nend_of_line = LF ; all\r\ncharset=utf-8\r\n\r\n[*.bat]\r\nend_of_line: crlf\r\n',
  );
  writeFileSync(join(root, 'web/.editorconfig'), '[*.html]\nend_of_line = crlf\ncharset = utf-8-bom\n');
  writeFileSync(join(root, 'own/.editorconfig'), 'root = true\n[*]\nend_of_line = cr\ncharset = utf-16le\n');
});

test.each([
  ['a.ts', { encoding: 'utf8', bom: false, lineEnd: '\n' }],
  ['run.bat', { encoding: 'utf8', bom: false, lineEnd: '\r\n' }],
  ['web/deep/run.bat', { encoding: 'utf8', bom: false, lineEnd: '\r\n' }],
  ['web/deep/a.html', { encoding: 'utf8', bom: true, lineEnd: '\r\n' }],
  ['own/a.ts', { encoding: 'utf16le', bom: true, lineEnd: '\r' }],
  ['new/folder/a.ts', { encoding: 'utf8', bom: false, lineEnd: '\n' }],
])('the nearest file says how %s is written, and none above the folder', async (path, style) => {
  expect(await readEditorConfig(join(root, path), root)).toEqual(style);
});

describe('a new file', () => {
  const create = async (content: string, style: Parameters<typeof createStandInText>[1], set = 'utf8') => {
    const files = await openFolder(root, { text: createStandInText(set, style) });
    const path = `new-${content.length}-${set}.txt`;
    const { text } = await useTool({ ...createWorkbench(), files }, 'write_file', { path, content });
    return { text, bytes: readFileSync(join(root, path)).toString('latin1') };
  };

  test('has the line ends and the encoding that are set for it', async () => {
    expect(await create('a\nb\r\n', { lineEnd: '\r\n' })).toEqual({
      text: 'Created new-5-utf8.txt (6 bytes, CRLF).',
      bytes: 'a\r\nb\r\n',
    });
    expect(await create('é\n', {}, 'iso88591')).toEqual({
      text: 'Created new-2-iso88591.txt (2 bytes, in iso88591).',
      bytes: '\xe9\n',
    });
    expect((await create('a\n\n', { encoding: 'utf16le', bom: true })).bytes).toBe('\xff\xfea\0\n\0\n\0');
  });

  test('that begins with a program’s name keeps LF, or it would not start', async () => {
    expect((await create('#!/bin/sh\nls\n', { lineEnd: '\r\n' })).bytes).toBe('#!/bin/sh\nls\n');
  });
});
