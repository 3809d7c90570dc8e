import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { beforeAll, describe, expect, test } from 'vitest';
import { ToolError } from '../../../../src/core/errors.ts';
import { findRipgrep } from '../../../../src/node/files/findRipgrep.ts';
import { createWorkbench, useTool, type Workbench } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

const top = createTemporaryFolder();
const root = join(top, 'ws');
const put = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), content);
};

beforeAll(() => {
  put('ws/.gitignore', 'dist/\n*.log\n!keep.log\n');
  put('ws/src/a.ts', 'const Needle = 1;\nother\nneedle again\r\n');
  put('ws/src/b.md', 'a needle in Markdown\n');
  put('ws/.github/ci.yml', 'needle: hidden\n');
  put('ws/.git/config', 'needle\n');
  put('ws/dist/out.js', 'needle\n');
  put('ws/x.log', 'needle\n');
  put('ws/keep.log', 'needle\n');
  put('ws/sessions/1.jsonl', 'needle\n');
  put('ws/binary', new Uint8Array([0, ...new TextEncoder().encode('needle\n')]));
  put('ws/odd (name) [x].txt', 'a.b*c needle\n');
  put('outside/secret.txt', 'needle outside\n');
  symlinkSync(join(top, 'outside'), join(root, 'link'));
  symlinkSync(join(top, 'outside/secret.txt'), join(root, 'secret.txt'));
  // ripgrep reads .gitignore files inside of a repository only.
  put('ws/.git/HEAD', 'ref: refs/heads/main\n');
});

const signal = new AbortController().signal;
const open = () => openFolder(root, { denied: [join(root, 'sessions')], ripgrep: async () => rgPath });

const find = async (query: { pattern: string; regex?: boolean; path?: string; glob?: string }, limit = 50) => {
  const { matches, more } = await (await open()).search({ regex: false, ...query }, limit, signal);
  return { found: matches.map(({ path, line, text }) => `${path}:${line}:${text}`), more };
};

describe('search', () => {
  test('lower case ignores case; order is by path; ignored, binary, linked and version control files are left out', async () => {
    expect(await find({ pattern: 'needle' })).toEqual({
      found: [
        '.github/ci.yml:1:needle: hidden',
        'keep.log:1:needle',
        'odd (name) [x].txt:1:a.b*c needle',
        'src/a.ts:1:const Needle = 1;',
        'src/a.ts:3:needle again',
        'src/b.md:1:a needle in Markdown',
      ],
      more: false,
    });
  });

  test('a capital letter makes case count', async () => {
    expect((await find({ pattern: 'Needle' })).found).toEqual(['src/a.ts:1:const Needle = 1;']);
  });

  test('plain text is plain', async () => {
    expect((await find({ pattern: 'a.b*c' })).found).toEqual(['odd (name) [x].txt:1:a.b*c needle']);
    expect((await find({ pattern: '(x)' })).found).toEqual([]);
  });

  test.each(['--version', '-e', '--pre=touch planted', '--files'])(
    '%s is a pattern, not an option',
    async (pattern) => {
      expect(await find({ pattern })).toEqual({ found: [], more: false });
    },
  );

  test.each([
    [{ path: 'src' }, ['src/a.ts:1', 'src/a.ts:3', 'src/b.md:1']],
    [{ path: 'src/b.md' }, ['src/b.md:1']],
    [{ glob: '*.md' }, ['src/b.md:1']],
    [{ glob: 'src/**' }, ['src/a.ts:1', 'src/a.ts:3', 'src/b.md:1']],
    [{ glob: '*.{md,yml}' }, ['.github/ci.yml:1', 'src/b.md:1']],
    [{ path: 'src', glob: '!*.ts' }, ['src/b.md:1']],
  ])('%j', async (where, places) => {
    const { found } = await find({ pattern: 'needle', ...where });
    expect(found.map((line) => line.split(':').slice(0, 2).join(':'))).toEqual(places);
  });

  test.each(['*.log', '**/*', 'dist/**', '*'])('a glob brings back nothing that is ignored: %s', async (glob) => {
    const { found } = await find({ pattern: 'needle', glob });
    expect(found.filter((line) => /^(x\.log|dist)/.test(line))).toEqual([]);
    if (glob === '*.log') expect(found).toEqual(['keep.log:1:needle']);
  });

  test('an ignored place is searched where it is named', async () => {
    expect((await find({ pattern: 'needle', path: 'dist', glob: '*.js' })).found).toEqual(['dist/out.js:1:needle']);
    expect((await find({ pattern: 'needle', path: 'x.log' })).found).toEqual(['x.log:1:needle']);
  });

  test('version control cannot be asked for by glob', async () => {
    expect(await find({ pattern: 'needle', glob: '**/config' })).toEqual({ found: [], more: false });
  });

  test('the limit is kept, and that there is more is told', async () => {
    const { found, more } = await find({ pattern: 'needle' }, 2);
    expect({ count: found.length, more }).toEqual({ count: 2, more: true });
    expect((await find({ pattern: 'needle' }, 6)).more).toBe(false);
  });

  test('stops when it is asked to', async () => {
    const files = await open();
    await expect(files.search({ pattern: 'needle', regex: false }, 5, AbortSignal.abort())).rejects.toThrow(/abort/i);
  });

  test('a place that is not there, or outside', async () => {
    await expect(find({ pattern: 'x', path: 'gone' })).rejects.toThrow('gone does not exist');
    await expect(find({ pattern: 'x', path: 'link' })).rejects.toThrow('leads outside');
  });
});

describe('finding files', () => {
  const find = async (glob: string, path?: string, limit = 50) =>
    (await open()).find({ glob, ...(path === undefined ? {} : { path }) }, limit, signal);

  test.each([
    ['*.ts', ['src/a.ts']],
    ['*.{md,yml}', ['.github/ci.yml', 'src/b.md']],
    ['src/**', ['src/a.ts', 'src/b.md']],
    ['*.log', ['keep.log']],
    ['**', ['.github/ci.yml', '.gitignore', 'binary', 'keep.log', 'odd (name) [x].txt', 'src/a.ts', 'src/b.md']],
    ['**/config', []],
    ['secret.txt', []],
    ['*.jsonl', []],
    ['dist/**', []],
    ['--version', []],
  ])(
    '%s: by path in order; ignored, linked, hidden from tools and version control are left out',
    async (glob, paths) => {
      expect(await find(glob)).toEqual({ paths, total: paths.length });
    },
  );

  test('in a folder, an ignored one too where it is named; never outside', async () => {
    expect(await find('*.ts', 'src')).toEqual({ paths: ['src/a.ts'], total: 1 });
    expect(await find('*.js', 'dist')).toEqual({ paths: ['dist/out.js'], total: 1 });
    await expect(find('*', 'link')).rejects.toThrow('leads outside');
    await expect(find('*', 'gone')).rejects.toThrow('gone does not exist');
  });

  test('the limit is kept, and how many there are is told', async () => {
    expect(await find('**', undefined, 2)).toEqual({ paths: ['.github/ci.yml', '.gitignore'], total: 7 });
  });

  test('names with line ends are one name', async () => {
    put('names/a\nb.txt', 'x');
    const files = await openFolder(join(top, 'names'), { ripgrep: async () => rgPath });
    expect(await files.find({ glob: '*.txt' }, 5, signal)).toEqual({ paths: ['a\nb.txt'], total: 1 });
    expect((await useTool({ ...createWorkbench(), files } as Workbench, 'find_files', { glob: '*' })).text).toBe(
      'a⏎b.txt',
    );
  });

  test('a wrong glob, none without ripgrep, and a stop', async () => {
    await expect(find('{a')).rejects.toThrow(/unclosed|alternate/i);
    const files = await openFolder(root);
    await expect(files.find({ glob: '*' }, 5, signal)).rejects.toThrow('ripgrep');
    await expect((await open()).find({ glob: '*' }, 5, AbortSignal.abort())).rejects.toThrow(/abort/i);
  });
});

describe('regular expressions', () => {
  test('none without ripgrep, and that is told', async () => {
    const files = await openFolder(root);
    await expect(files.search({ pattern: 'x', regex: false }, 5, signal)).rejects.toThrow('ripgrep');
  });

  test.each([
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ])('the beginning and the end of a line, in a file with %s', async (name, end) => {
    const path = `ends/${name}.txt`;
    put(`ws/${path}`, ['first word', 'second word', '', 'third', 'last word'].join(end));
    const lines = async (pattern: string) =>
      (await find({ pattern, regex: true, path })).found.map((each) => each.split(':')[1]);
    expect(await lines('^second')).toEqual(['2']);
    expect(await lines('word$')).toEqual(['1', '2', '5']);
    expect(await lines('^third$')).toEqual(['4']);
    expect(await lines('^$')).toEqual(['3']);
    expect(await lines('first.*second')).toEqual([]);
    expect(await lines('third[^x]*$')).toEqual(['4']);
  });

  test('a pattern may name CR, to find lines that end with it', async () => {
    put('ws/named/crlf.txt', 'one\r\ntwo\n');
    expect((await find({ pattern: '\\r$', regex: true, path: 'named' })).found).toEqual(['named/crlf.txt:1:one']);
  });

  test.each([
    ['needle\nother', false],
    ['needle\\nother', true],
    ['needle\\r?\\n', true],
  ])('a pattern of several lines is refused in words: %j', async (pattern, regex) => {
    await expect(find({ pattern, regex })).rejects.toThrow(
      /^The pattern has a line break, and lines are searched one by one\. Search for what one of the lines holds/,
    );
  });

  test('no pattern can run for ever', async () => {
    put('long/a.txt', `${'a'.repeat(100_000)}!`);
    const files = await openFolder(join(top, 'long'), { ripgrep: async () => rgPath });
    const { matches } = await files.search({ pattern: '^(a+)+$', regex: true }, 5, signal);
    expect(matches).toEqual([]);
  });

  test('a ripgrep that is not there any more is told', async () => {
    const files = await openFolder(root, { ripgrep: async () => join(top, 'gone') });
    await expect(files.search({ pattern: 'x', regex: true }, 5, signal)).rejects.toThrow('The search could not start');
  });

  test('a wrong one is told as the engine says', async () => {
    const files = await openFolder(root, { ripgrep: async () => rgPath });
    await expect(files.search({ pattern: '(a', regex: true }, 5, signal)).rejects.toThrow(/unclosed group/);
    const { matches } = await files.search({ pattern: '^const \\w+', regex: true }, 5, signal);
    expect(matches).toEqual([{ path: 'src/a.ts', line: 1, text: 'const Needle = 1;' }]);
  });
});

describe('what keeps a search from being whole', () => {
  /** A ripgrep of our own making, run by a shell without an environment. */
  const script = (name: string, lines: string) => {
    put(name, `#!/bin/sh\n${lines}\n`);
    chmodSync(join(top, name), 0o755);
    return async () => join(top, name);
  };

  test('a folder exchanged for a link while ripgrep runs gives nothing from outside', async () => {
    put('swapped/src/a.ts', 'needle inside\n');
    put('elsewhere/a.ts', 'needle outside\n');
    put('elsewhere/named.ts', 'needle outside\n');
    const folder = join(top, 'swapped');
    const ripgrep = script(
      'swap.sh',
      `cd ${folder}; mv src kept; ln -s ../elsewhere src; ${rgPath} "$@"; rm src; mv kept src`,
    );
    const files = await openFolder(folder, { ripgrep });
    expect(await files.search({ pattern: 'needle', regex: false, path: 'src' }, 5, signal)).toEqual({
      matches: [],
      more: false,
      notes: ['2 matches were left out: their files changed meanwhile.'],
    });
  });

  test('a search that does not end is ended, and that is told', async () => {
    put('slow/a.ts', 'needle\n');
    const ripgrep = script('slow.sh', `${rgPath} "$@"; exec sleep 600`);
    const files = await openFolder(join(top, 'slow'), { ripgrep, searchMs: 1000 });
    expect(await files.search({ pattern: 'needle', regex: false }, 5, signal)).toMatchObject({
      more: false,
      notes: ['The search was ended after 1 s; narrow it with path or glob.'],
    });
  });

  test('a pipe is refused, as a place and on the way', async () => {
    mkdirSync(join(top, 'piped'));
    execFileSync('mkfifo', [join(top, 'piped/pipe')]);
    const files = await openFolder(join(top, 'piped'), { ripgrep: async () => rgPath });
    const query = { pattern: 'needle', regex: false };
    await expect(files.search({ ...query, path: 'pipe' }, 5, signal)).rejects.toThrow('neither a file nor a folder');
    expect(await files.search(query, 5, signal)).toEqual({ matches: [], more: false });
  });

  test('lines of UTF-16 and of no known encoding are found in their files', async () => {
    put('coded/a.txt', Buffer.from('\uFEFFfirst\r\nneedle ä\r\n', 'utf16le'));
    put('coded/b.txt', Buffer.from('needle \u00e4\n', 'latin1'));
    put('coded/c.txt', '\uFEFFneedle\n');
    const files = await openFolder(join(top, 'coded'), { ripgrep: async () => rgPath });
    const { matches } = await files.search({ pattern: 'needle', regex: false }, 5, signal);
    expect(matches.map(({ path, line, text }) => `${path}:${line}:${text}`)).toEqual([
      'a.txt:2:needle ä',
      'b.txt:1:needle \uFFFD',
      'c.txt:1:needle',
    ]);
  });

  test.each([
    ['a long pattern', { pattern: 'x'.repeat(200_000) }],
    ['a pattern with NUL', { pattern: 'a\0b' }],
    ['a long glob', { pattern: 'x', glob: 'x'.repeat(200_000) }],
    ['a glob with NUL', { pattern: 'x', glob: 'a\0b' }],
    ['a path beyond the limit', { pattern: 'x', path: 'a/'.repeat(2040) }],
  ])('%s is an error of the search, not of the program', async (_, query) => {
    const files = await open();
    await expect(files.search({ regex: false, ...query }, 5, signal)).rejects.toThrow(ToolError);
    const outcome = await useTool({ ...createWorkbench(), files } as Workbench, 'search_text', query);
    expect(outcome).toMatchObject({ isError: true });
  });
});

describe('what is not looked at is said', () => {
  const text = async (name: string, input: object, folder = 'said') => {
    const files = await openFolder(join(top, folder), {
      ripgrep: async () => rgPath,
      denied: [join(top, folder, 'own')],
    });
    return (await useTool({ ...createWorkbench(), files } as Workbench, name, input)).text;
  };

  beforeAll(() => {
    put('said/.git/HEAD', 'ref: refs/heads/main\n');
    put('said/.gitignore', 'build/*\n*.log\n**/cache/**\n');
    put('said/build/a.js', 'needle\n');
    put('said/build/own.js', 'other\n');
    put('said/src/cache/b.js', 'needle\n');
    put('said/logs/a.log', 'needle\n');
    put('said/logs/b.log', 'needle\n');
    put('said/logs/keep.md', 'other\n');
    put('said/own/a.log', 'needle\n');
  });

  test.each(['build', 'build/', './build', 'src/cache'])('a folder of ignored files is searched: %s', async (path) => {
    const file = path === 'src/cache' ? 'src/cache/b.js' : 'build/a.js';
    const said = 'Ignore files leave out all that is there. It was looked at because it was named.';
    expect(await text('search_text', { pattern: 'needle', path })).toBe(`${file}:1: needle\n${said}`);
    expect(await text('find_files', { glob: file.slice(-4), path })).toBe(`${file}\n${said}`);
    expect(await text('search_text', { pattern: 'nothing', path })).toContain(said);
  });

  test('ignored files among others are counted', async () => {
    const said = 'Ignore files leave out 2 files there. Name a file or a folder of them to look at it.';
    expect(await text('search_text', { pattern: 'needle', path: 'logs' })).toBe(
      `Nothing matches "needle" in logs.\n${said}`,
    );
    expect(await text('find_files', { glob: '*.log', path: 'logs' })).toBe(`No file matches *.log in logs.\n${said}`);
    expect(await text('find_files', { glob: 'b.log', path: 'logs' })).toContain('leave out 1 file there');
    expect(await text('find_files', { glob: '*.ts', path: 'logs' })).toBe('No file matches *.ts in logs.');
  });

  test('files over 10 MB are named, and searched where they are', async () => {
    put('large/big.txt', Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(11_000_000, 'z')]));
    put('large/small.txt', 'needle\n');
    const said = 'Not searched, as they are over 10 MB: big.txt.';
    expect(await text('search_text', { pattern: 'needle' }, 'large')).toBe(`small.txt:1: needle\n${said}`);
    expect(await text('search_text', { pattern: 'nothing', glob: '*.txt' }, 'large')).toContain(said);
    expect(await text('search_text', { pattern: 'nothing', glob: 's*' }, 'large')).not.toContain('MB');
    expect(await text('search_text', { pattern: 'needle', path: 'big.txt' }, 'large')).toBe('big.txt:1: needle');
  });

  test('text before a NUL is found, and what matches behind it is said', async () => {
    const far = 'x\n'.repeat(100_000);
    put('nul/near.txt', 'needle 1\nneedle 2\0 needle 3\nneedle 4\n');
    put('nul/far.txt', `needle 1\n${far}\0\nneedle 2\n`);
    put('nul/before.txt', 'needle\n\0\n');
    put('nul/picture.bin', Buffer.from([0, 1, 2, 3]));
    expect(await text('search_text', { pattern: 'needle' }, 'nul')).toBe(
      [
        'before.txt:1: needle',
        'far.txt:1: needle 1',
        'near.txt:1: needle 1',
        'near.txt:2: needle 2',
        'Matches behind a NUL character, which text has none of, are not shown: far.txt, near.txt.',
      ].join('\n'),
    );
  });

  test('a match in the line of a NUL is told for what it is, wherever ripgrep takes that line to end', async () => {
    const far = 'x\n'.repeat(100_000);
    put('line/behind.txt', `needle 1\n${far}\0needle 2\n`);
    put('line/before.txt', `${far}needle 1\0needle 2\n`);
    expect(await text('search_text', { pattern: 'needle', path: 'behind.txt' }, 'line')).toBe(
      'behind.txt:1: needle 1\nMatches behind a NUL character, which text has none of, are not shown: behind.txt.',
    );
    expect(await text('search_text', { pattern: 'needle', path: 'before.txt' }, 'line')).toContain(
      'before.txt:100001: needle 1',
    );
  });

  test('a match deep in a long line is shown', async () => {
    put('deep/a.txt', `${'漢'.repeat(5000)}needle${'b'.repeat(5000)}\n`);
    put('deep/cr.txt', `one\r${'a'.repeat(1000)}needle\rthree`);
    const lines = (await text('search_text', { pattern: 'needle' }, 'deep')).split('\n');
    expect(lines).toEqual([
      `a.txt:1: … ${'漢'.repeat(100)}needle${'b'.repeat(194)} … (10006 characters, from character 4901)`,
      `cr.txt:2: … ${'a'.repeat(294)}needle … (1006 characters, from character 707)`,
    ]);
  });
});

describe('where ripgrep is looked for', () => {
  const plant = (path: string) => {
    put(path, '#!/bin/sh\n');
    chmodSync(join(top, path), 0o755);
    return join(top, path);
  };
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const look = (appRoot: string, path: string) =>
    findRipgrep({ appRoot: join(top, appRoot), path, workspaceFolders: [root] });

  test.each([
    `node_modules/@vscode/ripgrep-universal/bin/${process.platform}-${process.arch}/${name}`,
    `node_modules.asar.unpacked/@vscode/ripgrep-universal/bin/${process.platform}-${process.arch}/${name}`,
    `node_modules/@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`,
    `node_modules.asar.unpacked/@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`,
    `node_modules/@vscode/ripgrep/bin/${name}`,
    `node_modules.asar.unpacked/@vscode/ripgrep/bin/${name}`,
  ])('%s', async (place) => {
    const app = `app-${place.length}`;
    expect(await look(app, '')).toBeNull();
    const planted = plant(`${app}/${place}`);
    expect(await look(app, '')).toBe(planted);
  });

  test('PATH, but never inside of the workspace, by link or relative', async () => {
    plant(`ws/bin/${name}`);
    mkdirSync(join(top, 'linked'));
    symlinkSync(join(root, 'bin', name), join(top, 'linked', name));
    const path = ['', '.', 'bin', join(root, 'bin'), join(top, 'linked')].join(delimiter);
    expect(await look('none', path)).toBeNull();
    const theirs = plant(`usr/bin/${name}`);
    expect(await look('none', path + delimiter + join(top, 'usr/bin'))).toBe(theirs);
    expect(existsSync(join(root, 'planted'))).toBe(false);
  });
});
