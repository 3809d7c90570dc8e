import { describe, expect, test } from 'vitest';
import { editFile } from '../../../src/core/tools/builtIn/editFile.ts';
import { declareTool, type Tool } from '../../../src/core/tools/tool.ts';
import type { CodeProblem, Language, Severity } from '../../../src/core/workspace/language.ts';
import { createMemoryLanguage, type KnownCode } from '../../support/ports/memoryLanguage.ts';
import { createWorkbench, prepareOnly, useTool } from './useTool.ts';

const PATH = 'src/a.ts';

/** The file after the edit, or the reason why not. */
async function edit(content: string | Uint8Array, old_string: string, new_string: string, more: object = {}) {
  const ports = createWorkbench({ [PATH]: content });
  const outcome = await useTool(ports, 'edit_file', { path: PATH, old_string, new_string, ...more });
  const after = ports.files.textOf(PATH);
  if (!outcome.isError) return after;
  expect(after).toBe(
    typeof content === 'string' ? content : new TextDecoder('utf-8', { ignoreBOM: true }).decode(content),
  );
  return outcome.text;
}

describe('exact replacement', () => {
  test.each([
    ['in one line', 'let a = 1;\nlet b = 2;\n', 'b = 2', 'b = 3', 'let a = 1;\nlet b = 3;\n'],
    ['over several lines', 'a\nb\nc\n', 'a\nb', 'x', 'x\nc\n'],
    ['deletes', 'a\nb\nc\n', 'b\n', '', 'a\nc\n'],
    ['keeps a missing final line end', 'a\nb', 'b', 'c', 'a\nc'],
    ['keeps a final line end', 'a\nb\n', 'b', 'c', 'a\nc\n'],
    ['keeps CRLF where LF was shown', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc\r\n'],
    ['keeps CRLF in a replacement of one line by two', 'a\r\nb\r\n', 'b', 'x\ny', 'a\r\nx\r\ny\r\n'],
    [
      'keeps mixed line ends outside, and those of the piece inside',
      'a\r\nb\nc\r\nd\n',
      'b\nc',
      'x\ny',
      'a\r\nx\ny\r\nd\n',
    ],
    ['keeps a lone LF among CRLF', 'a\r\nb\nc\r\n', 'c', 'd', 'a\r\nb\nd\r\n'],
    ['takes CRLF for LF from the model too', 'a\nb\n', 'a\r\nb', 'x\r\ny', 'x\ny\n'],
    ['keeps a byte order mark', '\uFEFFa\nb\n', 'a', 'x', '\uFEFFx\nb\n'],
    ['takes dollar signs literally', 'cost\n', 'cost', "$& $1 $$ $'", "$& $1 $$ $'\n"],
    ['takes expressions literally', 'a.b(c)\n', 'a.b(c)', '[x]', '[x]\n'],
    ['beyond the BMP', '😀 a 😀\n', 'a 😀', '🎉', '😀 🎉\n'],
    ['at the very end', 'a\n', 'a\n', 'a\nb\n', 'a\nb\n'],
    ['an only CR stays', 'a\rb\nc\n', 'c', 'd', 'a\rb\nd\n'],
  ])('%s', async (_, before, search, replacement, after) => {
    expect(await edit(before, search, replacement)).toBe(after);
  });

  test('replace_all takes every place, from the beginning, without overlap', async () => {
    expect(await edit('aaa b a\r\n', 'a', 'aa', { replace_all: true })).toBe('aaaaaa b aa\r\n');
    expect(await edit('aaaa', 'aa', 'b', { replace_all: true })).toBe('bb');
  });

  test('a long file comes out whole', async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index}`);
    const after = lines.with(29_999, 'the end').join('\n');
    expect(await edit(lines.join('\n'), 'line 29999', 'the end')).toBe(after);
  });

  test('what was shown with our mark in it is found again', { tags: ['K10'] }, async () => {
    expect(await edit('x [palimpsest:1 y]\n', '[\\palimpsest:1 y]', '[\\palimpsest:2 y]')).toBe('x [palimpsest:2 y]\n');
  });
});

describe('an edit that does not fit is refused with the reason', () => {
  test.each([
    ['empty old_string', 'a\n', '', 'b', /old_string is empty, so it is not clear where to change\. Use write_file/],
    ['nothing to change', 'a\n', 'a', 'a', /old_string and new_string are the same/],
    ['the same but for line ends', 'a\r\nb\r\n', 'a\nb', 'a\r\nb', /would not change/],
    [
      'not found, nothing like it',
      'alpha\n',
      'zebra crossing',
      'x',
      /not found in src\/a\.ts, nor is any line like it/,
    ],
    [
      'other white space',
      'if (a) {\n\treturn b;\n}\n',
      '  return b;',
      'return c;',
      /not found in src\/a\.ts\. Nearest lines:\nline 2 \(only white space differs\): \treturn b;$/,
    ],
    [
      'a near miss',
      'const retries = 3;\nconst other = 1;\nconst retry = 4;\n',
      'const retries = 5;',
      'x',
      /Nearest lines:\nline 1: const retries = 3;\nline 3: const retry = 4;/,
    ],
    ['found twice', 'x = 1\ny\nx = 1\n', 'x = 1', 'x = 2', /found 2 times in src\/a\.ts \(lines 1, 3\)\. Put more/],
    ['found overlapping', 'aaa\n', 'aa', 'b', /found 2 times/],
    [
      'found very often',
      'x\n'.repeat(14),
      'x',
      'y',
      /found 14 times .+\(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 4 more\)/,
    ],
    ['half a character', 'a\n', 'a', '\uD83D', /half of a surrogate pair/],
    ['NUL', 'a\n', 'a', 'b\0', /NUL/],
    ['binary', new Uint8Array([1, 0, 2]), 'a', 'b', /cannot be changed as text: it holds NUL bytes/],
    ['half of UTF-16', new Uint8Array([0xff, 0xfe, 0x61]), 'a', 'b', /is not valid UTF-16/],
    ['not UTF-8', new Uint8Array([0x61, 0xe9, 0x0a]), 'a', 'b', /not valid UTF-8; changing it as text would damage it/],
  ])('%s', async (_, before, search, replacement, reason) => {
    expect(await edit(before, search, replacement)).toMatch(reason);
  });

  test('a file that is not there', async () => {
    const outcome = await useTool(createWorkbench(), 'edit_file', { path: 'b.ts', old_string: 'a', new_string: 'b' });
    expect(outcome.text).toBe('edit_file: b.ts does not exist. Use write_file to create it.');
  });

  test.each([
    ['changed', (put: (text: string) => void) => put('a\nnew\n')],
    ['changed outside of the piece', (put: (text: string) => void) => put('a\nb\nc')],
  ])('a file %s while a person was thinking', async (_, change) => {
    const ports = createWorkbench({ [PATH]: 'a\nb\n' });
    const input = { path: PATH, old_string: 'a', new_string: 'x' };
    const meanwhile = () => change((text) => ports.files.put(PATH, text));
    const outcome = await useTool(ports, 'edit_file', input, { meanwhile });
    expect(outcome.text).toMatch(/src\/a\.ts changed since this was prepared; nothing was written/);
    expect(ports.files.textOf(PATH)).not.toContain('x');
  });

  test('a file deleted while a person was thinking', async () => {
    const ports = createWorkbench({ [PATH]: 'a\n' });
    const input = { path: PATH, old_string: 'a', new_string: 'x' };
    const outcome = await useTool(ports, 'edit_file', input, { meanwhile: () => ports.files.lose(PATH) });
    expect(outcome.text).toMatch(/changed since/);
    expect(ports.files.textOf(PATH)).toBeNull();
  });
});

describe('several edits at once', () => {
  const several = async (content: string, ...edits: readonly object[]) => {
    const ports = createWorkbench({ [PATH]: content });
    const { text, isError } = await useTool(ports, 'edit_file', { path: PATH, edits });
    return { text, isError, after: ports.files.textOf(PATH) };
  };
  const swap = (old_string: string, new_string: string, more: object = {}) => ({ old_string, new_string, ...more });

  test('all are made, in any order, each for the file as it was', async () => {
    expect(await several('a\r\nb\r\nc\r\n', swap('c', 'a'), swap('a', 'b\nb'), swap('b', 'c'))).toEqual({
      text: 'Changed src/a.ts in 3 places.',
      isError: undefined,
      after: 'b\r\nb\r\nc\r\na\r\n',
    });
  });

  test('one of them may take every place', async () => {
    const { text, after } = await several(
      'x = 1;\nx += x;\ny\n',
      swap('x', 'z', { replace_all: true }),
      swap('y', 'w'),
    );
    expect([text, after]).toEqual(['Changed src/a.ts in 4 places.', 'z = 1;\nz += z;\nw\n']);
  });

  test('places that touch do not overlap', async () => {
    expect((await several('ab', swap('b', 'c'), swap('a', 'b'))).after).toBe('bc');
  });

  test('none is made when one does not fit, and every fault is told', async () => {
    const { text, isError, after } = await several(
      'one\ntwo\ntwo\n',
      swap('one', '1'),
      swap('two', '2'),
      swap('zebra crossing', '3'),
    );
    expect({ isError, after }).toEqual({ isError: true, after: 'one\ntwo\ntwo\n' });
    expect(text).toMatch(
      /^edit_file: Edit 2: old_string is found 2 times .+\nEdit 3: old_string is not found .+\nNone of the 3 edits was made\.$/,
    );
  });

  test('many faults are counted', async () => {
    const { text } = await several('a\n', ...Array.from({ length: 9 }, (_, at) => swap(`zebra ${at}`, 'x')));
    expect(text).toMatch(/Edit 5: .+\n4 more edits do not fit\.\nNone of the 9/);
    expect(text).not.toContain('Edit 6');
  });

  test('edits of the same text are refused', async () => {
    const { text, after } = await several('let abc;\n', swap('let', 'var'), swap('abc', 'x'), swap('let a', 'y'));
    expect(text).toBe('edit_file: Edits 1 and 3 change the same text. Make one edit of them. Nothing was changed.');
    expect(after).toBe('let abc;\n');
  });

  test.each([
    ['empty', [], /edits: /],
    ['too many', Array.from({ length: 51 }, () => swap('a', 'b')), /edits: /],
    ['beside a single one', null, /old_string/],
  ])('a list that is %s is refused', async (_, edits, reason) => {
    const input = edits ? { path: PATH, edits } : { path: PATH, edits: [swap('a', 'b')], ...swap('a', 'b') };
    const outcome = await useTool(createWorkbench({ [PATH]: 'a' }), 'edit_file', input);
    expect(outcome.text).toMatch(reason);
  });

  test('the model is told of the list only, with no choice at the top', () => {
    const { properties, required } = declareTool(editFile as Tool).parameters as {
      readonly properties: object;
      readonly required: readonly string[];
    };
    expect([Object.keys(properties), required]).toEqual([
      ['path', 'edits'],
      ['path', 'edits'],
    ]);
  });

  test('it says when white space at line ends was left out of account', async () => {
    const { text, after } = await several('if (a) {  \n\tb();\n}\n', swap('if (a) {\n\tb();', 'c();'));
    expect(after).toBe('c();\n}\n');
    expect(text).toBe(
      'Changed src/a.ts in 1 place. White space at line ends differed from old_string and was left out of account.',
    );
  });
});

describe('problems that an edit brought', () => {
  const problem = (line: number, message: string, severity: Severity = 'error'): CodeProblem => ({
    path: PATH,
    line,
    column: 1,
    severity,
    message,
    source: 'ts 2304',
  });
  const tell = async (code: KnownCode) => {
    const ports = { ...createWorkbench({ [PATH]: 'a\n' }), language: createMemoryLanguage(code) };
    const { text } = await useTool(ports, 'edit_file', { path: PATH, old_string: 'a', new_string: 'b' });
    expect(ports.files.textOf(PATH)).toBe('b\n');
    return text;
  };

  test('are told worst first; one that only moved is none, nor is a remark', async () => {
    const text = await tell({
      problems: [problem(1, 'old')],
      brought: [problem(2, 'warned', 'warning'), problem(3, 'new'), problem(4, 'said', 'information')],
    });
    expect(text).toBe(
      'Changed src/a.ts in 1 place.\nProblems that the editor did not show before:\n' +
        'src/a.ts:3:1: error: new (ts 2304)\nsrc/a.ts:2:1: warning: warned (ts 2304)',
    );
  });

  test('the same problem a second time is a new one', async () => {
    expect(await tell({ problems: [problem(1, 'twice')], brought: [problem(9, 'twice')] })).toContain('src/a.ts:9:1');
  });

  test('are told of what the person made of the edit, too', async () => {
    const ports = {
      ...createWorkbench({ [PATH]: 'a\n' }),
      language: createMemoryLanguage({ brought: [problem(1, 'new')] }),
    };
    const prepared = await prepareOnly(ports, 'edit_file', { path: PATH, old_string: 'a', new_string: 'b' });
    const amended = prepared.amend?.('c\n');
    const outcome = await amended?.run({ onOutput: () => {}, signal: new AbortController().signal });
    expect(outcome?.text).toMatch(/\+c\n.*Problems that the editor did not show before:\nsrc\/a\.ts:1:1: error: new/su);
    expect(ports.files.textOf(PATH)).toBe('c\n');
  });

  test('many are counted', async () => {
    const text = await tell({ brought: Array.from({ length: 14 }, (_, at) => problem(at + 1, `no ${at}`)) });
    expect(text).toMatch(/src\/a\.ts:10:1: .+\nand 4 more$/);
  });

  test.each<[string, KnownCode]>([
    ['nothing is wrong', {}],
    ['no extension knows the file', { brought: null }],
  ])('nothing is said where %s', async (_, code) => {
    expect(await tell(code)).toBe('Changed src/a.ts in 1 place.');
  });

  test.each(['before', 'after'] as const)(
    'an extension that fails %s the change does not keep it from being made',
    async (when) => {
      const ports = createWorkbench({ [PATH]: 'a\n' });
      const failing: Language = {
        ...createMemoryLanguage(),
        problemsAround: async (_path, change) => {
          if (when === 'after') await change();
          throw new Error('the extension broke');
        },
      };
      const edit = { path: PATH, old_string: 'a', new_string: 'b' };
      const { text } = await useTool({ ...ports, language: failing }, 'edit_file', edit);
      expect([text, ports.files.textOf(PATH)]).toEqual(['Changed src/a.ts in 1 place.', 'b\n']);
    },
  );

  test('a file that changed while its problems were looked at is not overwritten', async () => {
    const ports = createWorkbench({ [PATH]: 'a\n' });
    const language = createMemoryLanguage();
    const slow: Language = {
      ...language,
      problemsAround: (path, change, signal) => {
        ports.files.put(PATH, 'a\ntheirs\n');
        return language.problemsAround(path, change, signal);
      },
    };
    const { text } = await useTool({ ...ports, language: slow }, 'edit_file', {
      path: PATH,
      old_string: 'a',
      new_string: 'b',
    });
    expect(text).toMatch(/changed since this was prepared/);
    expect(ports.files.textOf(PATH)).toBe('a\ntheirs\n');
  });
});

describe('write_file', () => {
  test('creates, and says so', async () => {
    const ports = createWorkbench();
    const outcome = await useTool(ports, 'write_file', { path: 'x/y.txt', content: 'hé\n' });
    expect(outcome).toEqual({
      text: 'Created x/y.txt (4 bytes).',
      change: { path: 'x/y.txt', added: 1, removed: 0, creates: true, diff: '@@ -0,0 +1,1 @@\n+hé\n' },
    });
    expect(ports.files.textOf('x/y.txt')).toBe('hé\n');
  });

  test('replaces as a whole, keeping the byte order mark and CRLF', async () => {
    const ports = createWorkbench({ 'a.txt': '\uFEFFold\r\n' });
    expect((await useTool(ports, 'write_file', { path: 'a.txt', content: 'new\n' })).text).toBe(
      'Replaced a.txt (8 bytes, CRLF).',
    );
    expect(ports.files.textOf('a.txt')).toBe('\uFEFFnew\r\n');
  });

  test.each([
    ['the same content', 'a.txt', 'a', /already has exactly this content/],
    ['half a character', 'b.txt', '\uDC00', /half of a surrogate pair/],
    ['NUL', 'b.txt', '\0', /NUL/],
    ['a folder', 'dir', 'x', /dir is not a regular file/],
    ['over a binary file', 'bin', 'x', /bin cannot be changed as text/],
  ])('refuses %s', async (_, path, content, reason) => {
    const ports = createWorkbench({ 'a.txt': 'a', 'dir/c': 'c', bin: new Uint8Array([0]) });
    expect((await useTool(ports, 'write_file', { path, content })).text).toMatch(reason);
  });

  test('a file that appeared while a person was thinking is not overwritten', async () => {
    const ports = createWorkbench();
    const meanwhile = () => ports.files.put('a.txt', 'theirs');
    const outcome = await useTool(ports, 'write_file', { path: 'a.txt', content: 'ours' }, { meanwhile });
    expect(outcome.isError).toBe(true);
    expect(ports.files.textOf('a.txt')).toBe('theirs');
  });
});

describe('what a person is asked', () => {
  test('the whole text before and after, and the file to keep an image of', async () => {
    const ports = createWorkbench({ [PATH]: 'a\nb\n' });
    const call = await prepareOnly(ports, 'edit_file', { path: PATH, old_string: 'b', new_string: 'c' });
    expect({ title: call.title, approval: call.approval, changes: call.changes }).toEqual({
      title: PATH,
      approval: {
        title: PATH,
        detail: { kind: 'edit', path: PATH, before: 'a\nb\n', after: 'a\nc\n' },
        mayRemember: true,
      },
      changes: [PATH],
    });
    expect(ports.files.textOf(PATH)).toBe('a\nb\n');
  });

  test.each(['.vscode/settings.json', '.GIT/config', 'sub/.Husky/pre-commit', 'AGENTS.md', 'x.code-workspace'])(
    'a guarded name can be allowed once only: %s',
    async (path) => {
      const call = await prepareOnly(createWorkbench(), 'write_file', { path, content: 'x' });
      expect(call.approval?.mayRemember).toBe(false);
    },
  );
});

describe('placeholders for code that is left out', () => {
  const PLACEHOLDERS = [
    '// ... rest of the code unchanged ...',
    '// ... existing code ...',
    '  # ... existing code ...',
    '// …existing code…',
    '// ...',
    '/* ... */',
    '{/* ... */}',
    '{/* ... existing components ... */}',
    '<!-- ... -->',
    '<!-- ... rest of the file remains the same ... -->',
    '# ...',
    '-- ... other columns ...',
    '// [... rest of the implementation ...]',
    '// (rest of file unchanged)',
    '// rest of the code remains unchanged',
    '// rest of the class',
    '// Rest of the code stays the same.',
    '/* other methods remain unchanged */',
    '// existing imports unchanged',
    '// ... keep the existing tests here ...',
    '// ... (rest of the function body is the same as before)',
    '# ... unchanged ...',
    '... rest of the code ...',
    '[... existing code ...]',
    '// ... remaining methods omitted for brevity',
    '// 其余代码保持不变',
    '// ... 其余代码 ...',
    '# 此处省略',
  ];
  const ORDINARY = [
    '...',
    '    ...',
    '…',
    '// Wait a moment...',
    '# TODO: handle the remaining cases...',
    '// Process the remaining files...',
    '// previous implementation was slow',
    '// The rest of the code relies on this order.',
    '// Skip the rest of the line',
    '# other functions may call this',
    '// same file as above, see #12',
    '// 省略参数时使用默认值',
    '// 其他代码可以调用它',
    'foo(...args);',
    '...rest,',
    '...existing,',
    '  ...other.fields,',
    '// Existing users keep their settings.',
    '// unchanged since 1.2',
    'print("# ... existing code ...")',
    '# Unchanged files are skipped',
    '## The rest of the API',
    '* ... and the rest of the code *',
    '#...........',
    '/*',
    '//',
  ];

  test.each(PLACEHOLDERS)('%s is refused in both tools, with what to do', async (line) => {
    const content = `first\n${line}\nlast\n`;
    const ports = createWorkbench({ [PATH]: 'a\nb\nc\n' });
    const written = await useTool(ports, 'write_file', { path: PATH, content });
    expect(written).toMatchObject({ isError: true, text: expect.stringContaining(`“${line.trim()}”`) });
    expect(written.text).toContain('write all of it, or change a part with edit_file');
    const edited = await useTool(ports, 'edit_file', { path: PATH, old_string: 'b', new_string: content });
    expect(edited).toMatchObject({ isError: true, text: expect.stringContaining(`“${line.trim()}”`) });
    expect(edited.text).toContain('leave out of both strings what stays');
    expect(await useTool(ports, 'write_file', { path: 'src/new.ts', content })).toMatchObject({ isError: true });
    expect(ports.files.textOf(PATH)).toBe('a\nb\nc\n');
  });

  test.each(PLACEHOLDERS)('%s may stay where the file has it', async (line) => {
    expect(await edit(`x\n  ${line}\nz\n`, `x\n  ${line}`, `y\n${line}`)).toBe(`y\n${line}\nz\n`);
  });

  test.each(ORDINARY)('%j is written', async (line) => {
    expect(await edit('a\nb\n', 'b', line)).toBe(`a\n${line}\n`);
  });

  test('in a document, comments of code are examples, and its own comments are not', async () => {
    const ports = createWorkbench({ 'README.md': '# Title\n\nText.\n' });
    const write = (path: string, content: string) => useTool(ports, 'write_file', { path, content });
    expect(await write('README.md', '# Title\n\n```js\n// ...\n# ... existing code ...\n```\n')).not.toHaveProperty(
      'isError',
    );
    expect(await write('README.md', '# Title\n\n<!-- ... rest of the document unchanged ... -->\n')).toMatchObject({
      isError: true,
    });
    expect(await write('README.md', '# Title\n\n... rest of the document unchanged ...\n')).toMatchObject({
      isError: true,
    });
    expect(await write('new.md', 'Write `... existing code ...`:\n\n... existing code ...\n')).not.toHaveProperty(
      'isError',
    );
  });

  test('each edit of several is named, and a long hostile text costs no time', async () => {
    const ports = createWorkbench({ [PATH]: 'a\nb\nc\n' });
    const edits = [
      { old_string: 'a', new_string: 'x' },
      { old_string: 'b', new_string: '// ...' },
    ];
    expect((await useTool(ports, 'edit_file', { path: PATH, edits })).text).toContain(
      'Edit 2: new_string holds “// ...”',
    );
    const content = `//${' '.repeat(1_000_000)}x\n${'// the the the rest of the the the code\n'.repeat(50_000)}`;
    expect(await useTool(ports, 'write_file', { path: PATH, content })).not.toHaveProperty('isError');
  });
});
