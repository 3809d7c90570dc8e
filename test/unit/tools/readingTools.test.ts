import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../src/core/errors.ts';
import { words } from '../../../src/core/words.ts';
import { createNoFiles } from '../../support/ports/memoryFiles.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { createWorkbench, prepareOnly, useTool } from './useTool.ts';

/** C12: the next result of the same call brings it up to date. */
const OF_CALL = { ephemeral: { keepNewest: 1, of: 'call' } };

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('read_file', () => {
  /** Of what it gives all but the mark of its first line. */
  const read = async (content: string | Uint8Array, input: object = {}) => {
    const workbench = createWorkbench({ 'a.txt': content });
    const { headed, ...outcome } = await useTool(workbench, 'read_file', { path: 'a.txt', ...input });
    return outcome;
  };

  test.each([
    ['a whole file', 'a\nb\n', 'a.txt: lines 1-2 of 2\na\nb'],
    ['without a final line end', 'a\nb', 'a.txt: lines 1-2 of 2, no final line end\na\nb'],
    ['with CRLF, shown as LF', 'a\r\nb\r\n', 'a.txt: lines 1-2 of 2, CRLF\na\nb'],
    ['with mixed line ends', 'a\r\nb\n', 'a.txt: lines 1-2 of 2, mixed LF and CRLF\na\nb'],
    ['with a byte order mark', '\uFEFFa\n', 'a.txt: lines 1-1 of 1\na'],
    ['an empty file', '', 'a.txt: empty file'],
    ['with empty lines at its end', 'a\n\n\n', 'a.txt: lines 1-3 of 3\na\n\n'],
  ])('%s', async (_, content, text) => {
    expect(await read(content)).toEqual({ text });
  });

  test('what is no UTF-8 is shown as far as it goes, and says so', async () => {
    expect((await read(new Uint8Array([0x61, 0xe9, 0x0a]))).text).toBe(
      'a.txt: lines 1-1 of 1, not valid UTF-8: U+FFFD stands for bad bytes, and it cannot be edited\na\uFFFD',
    );
  });

  test('a part, with the way on, and the record of what was left out', async () => {
    expect(await read(lines(9), { offset: 3, limit: 2 })).toEqual({
      text: 'a.txt: lines 3-4 of 9, read on with offset 5\nline 3\nline 4',
    });
  });

  test.each([
    ['head', 'a.txt: lines 2-4 of 9, read on with offset 5\nline 2\nline 3\nline 4'],
    [
      'tail',
      'a.txt: lines 6-8 of 9, lines 2-5 are left out and can be read with offset 2 and limit 4, read on with offset 9\nline 6\nline 7\nline 8',
    ],
    [
      'middle',
      'a.txt: lines 2-3 and 8-8 of 9, lines 4-7 are left out and can be read with offset 4, read on with offset 9\n' +
        'line 2\nline 3\n(lines 4-7 are left out and can be read with offset 4)\nline 8',
    ],
  ] as const)('the limits of the settings, direction %s', { tags: ['N1'] }, async (direction, text) => {
    const ports = createWorkbench({ 'a.txt': lines(9) });
    const input = { path: 'a.txt', offset: 2, limit: 7 };
    expect(await useTool(ports, 'read_file', input, { limits: { maxLines: 3, direction } })).toEqual({
      text,
      headed: true,
      truncation: { by: 'formatter', direction, originalLines: 9, originalBytes: 63 },
    });
  });

  test('where the limits are wider than usual, more comes back', { tags: ['N1'] }, async () => {
    const ports = createWorkbench({ 'a.txt': lines(4500) });
    const { text } = await useTool(ports, 'read_file', { path: 'a.txt' }, { limits: { maxLines: 5000 } });
    expect(text.split('\n')[0]).toBe('a.txt: lines 1-4500 of 4500');
  });

  test('a narrow limit of bytes leaves the line above the text as it is', async () => {
    const ports = createWorkbench({ 'a.txt': lines(500) });
    const { text } = await useTool(ports, 'read_file', { path: 'a.txt' }, { limits: { maxBytes: 24 } });
    expect(text).toBe('a.txt: lines 1-3 of 500, read on with offset 4\nline 1\nline 2\nline 3');
  });

  test('2000 lines at once; paging with the offsets it names gives the whole file', { tags: ['N1'] }, async () => {
    const content = lines(4500);
    const seen: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const { text } = await read(content, { offset });
      const [head = '', ...body] = text.split('\n');
      seen.push(...body);
      const next: string | undefined = /read on with offset (\d+)/.exec(head)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen.map((line) => `${line}\n`).join('')).toBe(content);
  });

  test('50 KB at once, in whole lines', { tags: ['N1'] }, async () => {
    const { text, truncation } = await read(`${'é'.repeat(1000)}\n`.repeat(100));
    expect(text).toMatch(/^a\.txt: lines 1-25 of 100, read on with offset 26\n/);
    expect(new TextEncoder().encode(text.slice(text.indexOf('\n') + 1)).length).toBeLessThanOrEqual(51_200);
    expect(truncation).toMatchObject({ originalLines: 100, originalBytes: 200_100 });
  });

  test('a line that alone is too long is cut, and the reader told', async () => {
    const { text } = await read(`${'x'.repeat(80_000)}\nend\n`);
    expect(text).toMatch(
      /^a\.txt: lines 1-1 of 2, line 1 is 80000 characters long, of which 1-51200 are shown, read on with offset 1 and column 51201\nx+$/,
    );
    expect(text.slice(text.indexOf('\n') + 1)).toHaveLength(51_200);
  });

  test('following what it names gives the whole of long lines, whatever characters they are of', {
    tags: ['N1'],
  }, async () => {
    const long = (character: string, length: number) => Array.from({ length }, () => character).join('');
    const content = ['short', long('é', 60_000), long('😀', 40_000), '', 'x'.repeat(120_000), 'end'].join('\n');
    let seen = '';
    let input: { offset?: number; column?: number } | null = {};
    for (let calls = 0; input !== null; calls++) {
      expect(calls).toBeLessThan(30);
      const { text } = await read(content, input);
      const [head = ''] = text.split('\n');
      const [, offset, column] = /read on with offset (\d+)(?: and column (\d+))?/.exec(head) ?? [];
      seen += text.slice(head.length + 1) + (offset !== undefined && column === undefined ? '\n' : '');
      input = offset === undefined ? null : { offset: Number(offset), ...(column ? { column: Number(column) } : {}) };
    }
    expect(seen === content).toBe(true);
  });

  test.each([
    ['tail', 'can be read with offset 1 and column 1'],
    ['middle', 'can be read with offset 1 and column 25601'],
  ] as const)(
    'with direction %s, what is left of a line is where it says',
    { tags: ['N1'] },
    async (direction, said) => {
      const content = Array.from({ length: 20_000 }, (_, index) => `${index},`).join('');
      const ports = createWorkbench({ 'a.txt': content });
      const get = async (input: object) =>
        (await useTool(ports, 'read_file', { path: 'a.txt', ...input }, { limits: { direction } })).text;
      const first = await get({});
      expect(first.split('\n')[0]).toContain(said);
      const column = Number(/and column (\d+)/.exec(first)?.[1]);
      const next = await get({ offset: 1, column });
      expect(next.slice(next.indexOf('\n') + 1)).toBe(content.slice(column - 1, column - 1 + 51_200));
    },
  );

  test('with direction tail, lines that are left out are where it says', { tags: ['N1'] }, async () => {
    const ports = createWorkbench({ 'a.txt': lines(9) });
    const get = async (input: object) =>
      (await useTool(ports, 'read_file', { path: 'a.txt', ...input }, { limits: { maxLines: 3, direction: 'tail' } }))
        .text;
    const [, offset, limit] = /can be read with offset (\d+) and limit (\d+)/.exec(await get({})) ?? [];
    expect(await get({ offset: Number(offset), limit: Number(limit) })).toContain('\nline 4\nline 5\nline 6');
  });

  test('the rest of a line with the lines after it says where it begins', async () => {
    expect((await read('abcdef\nghi\n', { offset: 1, column: 4 })).text).toBe(
      'a.txt: lines 1-2 of 2, line 1 is shown from character 4 on\ndef\nghi',
    );
  });

  test.each([
    ['binary', new Uint8Array([0x7f, 0x45, 0]), {}, /cannot be read as text: it holds NUL bytes/],
    ['half of UTF-16', new Uint8Array([0xfe, 0xff, 0]), {}, /is not valid UTF-16/],
    ['huge', new Uint8Array(10 * 1024 * 1024 + 1), {}, /has 10485761 bytes, more than .+ Use search_text/],
    ['beyond its end', 'a\n', { offset: 2 }, /a\.txt has 1 lines; offset 2 is beyond its end/],
    ['beyond its line', 'abc\n', { column: 4 }, /Line 1 of a\.txt has 3 characters; column 4 is beyond its end/],
  ])('%s is refused with the reason', async (_, content, input, reason) => {
    const outcome = await read(content, input);
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(reason);
  });

  test.each(['output:', 'output:../../etc/passwd', `output:${'A'.repeat(64)}`, `output:${'a'.repeat(63)}`])(
    '%s names no kept output',
    async (path) => {
      expect((await useTool(createWorkbench(), 'read_file', { path })).text).toMatch(/names no kept output/);
    },
  );

  test('a folder is for list_files', async () => {
    const outcome = await useTool(createWorkbench({ 'src/a': 'x' }), 'read_file', { path: 'src' });
    expect(outcome.text).toBe('read_file: src is a folder. Use list_files.');
  });
});

describe('list_files', { tags: ['C12'] }, () => {
  const files = { 'src/deep/a.ts': '', 'src/b.ts': '', 'README.md': '', 'node_modules/x/y': '', '.git/config': '' };

  test.each([
    [{}, '.git/\nREADME.md\nnode_modules/\nsrc/'],
    [{ depth: 3 }, '.git/\nREADME.md\nnode_modules/\nsrc/\n  b.ts\n  deep/\n    a.ts'],
    [{ path: 'src' }, 'b.ts\ndeep/'],
    [{ path: 'node_modules', depth: 2 }, 'x/\n  y'],
  ])('%j', async (input, text) => {
    expect(await useTool(createWorkbench(files), 'list_files', input)).toEqual({ text, ...OF_CALL });
  });

  test('a folder that is closed to us does not cost the rest of the listing', async () => {
    const ports = createWorkbench(files);
    const list = async (path: string) => {
      if (path === './src/deep') throw new ToolError('src/deep cannot be listed: permission is denied.');
      return ports.files.list(path);
    };
    expect(await useTool({ ...ports, files: { ...ports.files, list } }, 'list_files', { depth: 3 })).toEqual({
      text: '.git/\nREADME.md\nnode_modules/\nsrc/\n  b.ts\n  deep/\n    (src/deep cannot be listed: permission is denied.)',
      ...OF_CALL,
    });
  });

  test('a file is for read_file, and a long listing is cut by name', async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${1000 + index}`, '']));
    const ports = createWorkbench(many);
    expect((await useTool(ports, 'list_files', { path: 'f1000' })).text).toMatch(/is not a folder\. Use read_file/);
    const { text } = await useTool(ports, 'list_files', {});
    expect(text.split('\n').slice(-2)).toEqual([
      'f1999',
      'The list ends after 1000 entries: 1 of the 1001 in the workspace folder are left out, and what would come after them. List a deeper folder, or use find_files with a path and a glob.',
    ]);
  });

  test('a folder that is cut further down is named', async () => {
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`a/b/f${1000 + index}`, '']));
    const { text } = await useTool(createWorkbench({ ...many, 'z.md': '' }), 'list_files', { depth: 3 });
    expect(text).toContain('entries: 202 of the 1200 in a/b are left out, and what would come after them.');
  });
});

describe('search_text', () => {
  const files = { 'src/a.ts': 'needle 1\nother\nneedle 2\n', 'b.md': `needle ${'x'.repeat(400)}\n` };

  test('one line for each match, long ones shortened', async () => {
    expect((await useTool(createWorkbench(files), 'search_text', { pattern: 'needle' })).text.split('\n')).toEqual([
      `b.md:1: needle ${'x'.repeat(293)} … (407 characters)`,
      'src/a.ts:1: needle 1',
      'src/a.ts:3: needle 2',
    ]);
  });

  test('says when there is more, and when there is nothing', async () => {
    const ports = createWorkbench(files);
    expect((await useTool(ports, 'search_text', { pattern: 'needle', path: 'src', limit: 1 })).text).toBe(
      'src/a.ts:1: needle 1\nThere are more than 1 matches; narrow the search with path or glob.',
    );
    expect((await useTool(ports, 'search_text', { pattern: '^x', regex: true, path: 'src' })).text).toBe(
      'Nothing matches /^x/ in src.',
    );
  });
});

describe('run_command', () => {
  const PASSED = { kind: 'made', exitCode: 0 };
  const run = (
    command: string,
    script: object,
    ports = createWorkbench({}, createMemoryShell({ [command]: script })),
  ) => useTool(ports, 'run_command', { command });

  test.each([
    [
      'exit code first',
      { exitCode: 1, output: ['no\n'] },
      { text: 'exit code 1\nno', outcome: { kind: 'failed', exitCode: 1 }, ...OF_CALL },
    ],
    ['no output', { exitCode: 0 }, { text: 'exit code 0\n(no output)', outcome: PASSED, ...OF_CALL }],
    [
      'time is up',
      { exitCode: null, output: ['half'], ended: 'timeout' },
      { text: 'ended after 120 s without finishing\nhalf', isError: true, outcome: { kind: 'interrupted' } },
    ],
    [
      'stopped',
      { exitCode: null, output: ['half'], ended: 'aborted' },
      {
        text: 'The turn was stopped before the command had finished\nhalf',
        isError: true,
        outcome: { kind: 'interrupted' },
      },
    ],
    ['colours', { output: ['\u001B[3', '1mred\u001B[0m'] }, { text: 'exit code 0\nred', outcome: PASSED, ...OF_CALL }],
  ])('%s', async (_, script, outcome) => {
    expect(await run('npm test', script)).toEqual(outcome);
  });

  test('live output is stripped as it comes', async () => {
    const live: string[] = [];
    const shell = createMemoryShell({ go: { output: ['a\u001B[3', '1mb', '\u001B]0;evil', '\u0007c\r', '\nd'] } });
    await useTool(
      createWorkbench({}, shell),
      'run_command',
      { command: 'go' },
      { onOutput: (text) => live.push(text) },
    );
    expect(live).toEqual(['a', 'b', 'c', '\nd']);
  });

  test('a command of several lines is asked for in one line, and shown whole', async () => {
    const call = await prepareOnly(createWorkbench(), 'run_command', { command: 'echo a\nrm -rf b' });
    expect(call.approval).toEqual({
      title: 'echo a⏎rm -rf b',
      detail: {
        kind: 'command',
        command: 'echo a\nrm -rf b',
        cwd: '/workspace',
        danger: words('It deletes: {0}', 'rm -rf b'),
      },
      mayRemember: false,
    });
  });

  test.each([
    ['blank', '  ', /The command is empty/],
    ['half a character', 'echo \uD83D', /half of a surrogate pair/],
  ])('%s is refused', async (_, command, reason) => {
    expect((await run(command, {})).text).toMatch(reason);
  });

  test('without a folder there is nothing to run in', async () => {
    const ports = { ...createWorkbench(), files: createNoFiles() };
    expect((await useTool(ports, 'run_command', { command: 'ls' })).text).toMatch(/No folder is open/);
  });
});
describe('read_file on notebooks', () => {
  const notebook = (cells: readonly object[]) =>
    JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
  const read = async (content: string, input: object = {}) =>
    (await useTool(createWorkbench({ 'a.ipynb': content }), 'read_file', { path: 'a.ipynb', ...input })).text;
  const HEAD =
    'a notebook as the text of its 3 cells; edit_file takes pieces of this text, outputs apart. A line [new code cell] or [new markdown cell] in new_string begins a cell, and one whose line [cell …] is taken out is gone';
  const cells = [
    { cell_type: 'markdown', source: ['# Title\n', 'and text'] },
    {
      cell_type: 'code',
      execution_count: 3,
      source: 'print(1)\nplot()\n',
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['1\n'] },
        { output_type: 'stream', name: 'stderr', text: '\u001b[31mcareful\u001b[0m\n' },
        { output_type: 'display_data', data: { 'image/png': 'A'.repeat(8192), 'text/plain': ['<Figure>'] } },
      ],
    },
    {
      cell_type: 'code',
      execution_count: null,
      source: [],
      outputs: [{ output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: [] }],
    },
  ];

  test('cells are numbered, with kind, source, what they printed, and the names of images', async () => {
    expect(await read(notebook(cells))).toBe(
      [
        `a.ipynb: lines 1-18 of 18, ${HEAD}`,
        '[cell 1: markdown]',
        '# Title',
        'and text',
        '',
        '[cell 2: code, run 3]',
        'print(1)',
        'plot()',
        '[output of cell 2]',
        '1',
        '[output of cell 2, stderr]',
        'careful',
        '[output of cell 2]',
        '<Figure>',
        '[output of cell 2: image/png, 6 KB, not shown]',
        '',
        '[cell 3: code]',
        '[output of cell 3, error]',
        'ValueError: no',
      ]
        .join('\n')
        .replace('1-16 of 16', '1-18 of 18'),
    );
  });

  test('a part of it is read by the lines of that text', async () => {
    expect(await read(notebook(cells), { offset: 5, limit: 2 })).toBe(
      `a.ipynb: lines 5-6 of 18, ${HEAD}, read on with offset 7\n[cell 2: code, run 3]\nprint(1)`,
    );
  });

  test('long outputs are shortened: at the end, and of an error at the beginning', async () => {
    const long = Array.from({ length: 100 }, (_, index) => `row ${index}\n`);
    const printed = await read(
      notebook([{ cell_type: 'code', source: '', outputs: [{ output_type: 'stream', text: long }] }]),
    );
    expect(printed).toContain('row 19\n(shortened; 100 lines in all)');
    expect(printed).not.toContain('row 20');
    const traceback = long.map((line) => line.trimEnd());
    const failed = await read(
      notebook([{ cell_type: 'code', source: '', outputs: [{ output_type: 'error', traceback }] }]),
    );
    expect(failed).toContain('(shortened; 100 lines in all)\nrow 80');
    expect(failed).toContain('row 99');
    const wide = await read(
      notebook([{ cell_type: 'code', source: '', outputs: [{ output_type: 'stream', text: 'x'.repeat(90_000) }] }]),
    );
    expect(wide.length).toBeLessThan(2_500);
  });

  test.each([
    ['what is no JSON', '{ "cells": ['],
    ['an older format', '{"nbformat":3,"worksheets":[]}'],
  ])('%s is read as the text that it is', async (_, content) => {
    expect(await read(content)).toBe(`a.ipynb: lines 1-1 of 1, no final line end\n${content}`);
  });

  test('odd shapes are no fault', async () => {
    const odd = [
      null,
      7,
      {},
      { cell_type: 5, source: { a: 1 }, outputs: 'x' },
      { cell_type: 'raw\nforged', outputs: [null, { data: [] }] },
    ];
    expect(await read(notebook(odd as never))).toContain('[cell 5: raw⏎forged]');
  });
});

describe('find_files', () => {
  test('paths in order, how many more there are, and the mark of what only the newest matters of', {
    tags: ['C12'],
  }, async () => {
    const ports = createWorkbench({ 'b.ts': '', 'src/a.ts': '', 'c.md': '' });
    expect(await useTool(ports, 'find_files', { glob: '*.ts' })).toEqual({ text: 'b.ts\nsrc/a.ts', ...OF_CALL });
    expect(await useTool(ports, 'find_files', { glob: '*.ts', path: 'src' })).toEqual({ text: 'src/a.ts', ...OF_CALL });
    expect((await useTool(ports, 'find_files', { glob: '*.ts', limit: 1 })).text).toBe(
      'b.ts\nThere are 2 files in all; narrow the search with path or glob.',
    );
    expect((await useTool(ports, 'find_files', { glob: '*.css' })).text).toBe('No file matches *.css.');
    expect((await useTool(ports, 'find_files', { glob: 'a\0b' })).isError).toBe(true);
  });
});
