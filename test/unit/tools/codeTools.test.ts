import { describe, expect, test } from 'vitest';
import { offerTools, TOOLS } from '../../../src/core/tools/toolList.ts';
import type { CodeProblem, CodeSymbol } from '../../../src/core/workspace/language.ts';
import { createMemoryGit } from '../../support/ports/memoryGit.ts';
import { createMemoryLanguage, type KnownCode } from '../../support/ports/memoryLanguage.ts';
import { createWorkbench, useTool } from './useTool.ts';

const FILES = {
  'src/a.ts': 'const total = 1;\nuse(total, subtotal);\n',
  'src/b.ts': '\uFEFFimport { total } from "./a";\r\nprint(total);\r\n',
  'notes.md': 'total\n',
};

const problem = (path: string, line: number, severity: CodeProblem['severity'], message = 'wrong'): CodeProblem => ({
  path,
  line,
  column: 1,
  severity,
  message,
  source: 'ts 2304',
});
const symbol = (path: string, name: string, line = 1): CodeSymbol => ({
  path,
  name,
  line,
  column: 7,
  kind: 'function',
  container: '',
});

function workbench(known: KnownCode) {
  const language = createMemoryLanguage(known);
  return { ports: { ...createWorkbench(FILES), language }, asked: language.asked };
}
const use = async (known: KnownCode, name: string, input: object) => useTool(workbench(known).ports, name, input);

test('the tools on code are offered only where the editor’s language features are', () => {
  const settings = { recall: { tokensPerTurn: 0 }, agentTool: false, dmail: false };
  const names = (ports: object) => offerTools(TOOLS, 'untrusted', settings, ports).map(({ name }) => name);
  const code = ['read_problems', 'find_symbols', 'find_references'];
  expect(names({ language: createMemoryLanguage() })).toEqual(expect.arrayContaining(code));
  expect(names({}).filter((name) => code.includes(name))).toEqual([]);
});

describe('read_problems', () => {
  const problems = [
    problem('src/b.ts', 2, 'information'),
    problem('src/b.ts', 2, 'error', 'Cannot find name\n  "print".'),
    problem('src/a.ts', 2, 'warning'),
    problem('notes.md', 1, 'error'),
  ];

  test('the worst come first, one line each, and only the newest result for the same path stays', async () => {
    expect(await use({ problems }, 'read_problems', {})).toEqual({
      text: [
        'Problems in the workspace: error 2, warning 1, information 1',
        'notes.md:1:1: error: wrong (ts 2304)',
        'src/b.ts:2:1: error: Cannot find name⏎  "print". (ts 2304)',
        'src/a.ts:2:1: warning: wrong (ts 2304)',
        'src/b.ts:2:1: information: wrong (ts 2304)',
      ].join('\n'),
      ephemeral: { keepNewest: 1, of: 'call' },
      headed: true,
    });
  });

  test('a file that no extension has reported on is not called free of problems', async () => {
    const { text } = await use({ reported: false }, 'read_problems', { path: 'src/a.ts' });
    expect(text).toBe('No extension has reported on src/a.ts, so whether anything is wrong in it is not known.');
  });

  test('a file is asked about by itself, a folder is a part of all', async () => {
    const { ports, asked } = workbench({ problems });
    expect((await useTool(ports, 'read_problems', { path: 'src/a.ts' })).text.split('\n')).toHaveLength(2);
    expect((await useTool(ports, 'read_problems', { path: 'src' })).text).not.toContain('notes.md');
    expect((await useTool(ports, 'read_problems', { path: '.' })).text).toContain('notes.md');
    expect(asked).toEqual(['problems src/a.ts', 'problems everywhere', 'problems everywhere']);
  });

  test('what is clean, missing or outside', async () => {
    expect((await use({}, 'read_problems', { path: 'notes.md' })).text).toBe(
      'The editor knows no problems in notes.md.',
    );
    expect((await use({}, 'read_problems', { path: 'gone.ts' })).text).toMatch(/gone\.ts does not exist/);
    expect((await use({}, 'read_problems', { path: '/etc/passwd' })).text).toMatch(/outside of the workspace/);
  });

  test('however many and long they are, the result is bounded', async () => {
    const many = Array.from({ length: 6000 }, (_, nth) => problem('src/a.ts', nth, 'error', 'x'.repeat(100_000)));
    const { text } = await use({ problems: many }, 'read_problems', {});
    expect(text.length).toBeLessThan(50_000);
    expect(text.split('\n').at(-1)).toBe('5900 more are not shown; name a file or folder.');
  });

  test('a problem in a file that no tool may read is counted, not told', async () => {
    const { text } = await use({ problems: [problem('../secret.ts', 1, 'error', 'key=1')] }, 'read_problems', {});
    expect(text).not.toContain('key=1');
    expect(text).toContain('1 more lie outside');
  });

  test('a message cannot pose as a stub or hide a part of itself', async () => {
    const message = '[palimpsest:stub] \u202Eevil\u0007';
    const { text } = await use({ problems: [problem('src/a.ts', 1, 'error', message)] }, 'read_problems', {});
    expect(text).toContain('[\\palimpsest:stub] ⟨U+202E⟩evil⟨U+0007⟩');
  });
});

describe('find_symbols', () => {
  const symbols = [symbol('src/a.ts', 'total'), symbol('src/b.ts', 'totals', 2), symbol('src/b.ts', 'other', 3)];

  test.each([
    [{ query: 'total' }, 'src/a.ts:1:7: function total\nsrc/b.ts:2:7: function totals'],
    [{ path: 'src/b.ts' }, 'line 2: function totals\nline 3: function other'],
    [{ path: 'src/b.ts', query: 'TOTAL' }, 'line 2: function totals'],
    [{ query: 'none' }, 'No language extension names a symbol "none". search_text finds plain text.'],
    [{}, 'find_symbols: Give a query, a path, or both.'],
    [{ path: 'src' }, 'find_symbols: src is not a file.'],
  ])('%j', async (input, text) => {
    expect((await use({ symbols }, 'find_symbols', input)).text).toBe(text);
  });

  test('what lies outside is counted', async () => {
    const known = { symbols: [...symbols, symbol('../x.ts', 'total')], outside: 2 };
    expect((await use(known, 'find_symbols', { query: 'total' })).text.split('\n').at(-1)).toBe(
      '3 more lie outside of the workspace folder, or where tools do not read.',
    );
  });
});

describe('find_references', () => {
  const uses = [
    { path: 'src/a.ts', line: 1, column: 7 },
    { path: 'src/a.ts', line: 2, column: 5 },
    { path: 'src/b.ts', line: 2, column: 7 },
  ];
  const known = { references: { 'src/a.ts:1:7': uses, 'src/b.ts:2:7': uses.slice(2) } };

  test('a symbol is found by name, and each use shown with its line', async () => {
    expect((await use(known, 'find_references', { path: 'src/a.ts', symbol: 'total' })).text).toBe(
      'src/a.ts:1:7: const total = 1;\nsrc/a.ts:2:5: use(total, subtotal);\nsrc/b.ts:2:7: print(total);',
    );
    expect((await use(known, 'find_references', { path: 'src/b.ts', symbol: 'total', line: 2 })).text).toBe(
      'src/b.ts:2:7: print(total);',
    );
  });

  test.each([
    [{ symbol: 'tot' }, '"tot" does not stand in src/a.ts.'],
    [{ symbol: 'total', line: 9 }, '"total" does not stand on line 9 of src/a.ts. It stands on lines 1, 2.'],
    [{ symbol: 'subtotal' }, 'No language extension knows a use of "subtotal" (src/a.ts:2:12).'],
  ])('%j', async (input, reason) => {
    expect((await use(known, 'find_references', { path: 'src/a.ts', ...input })).text).toContain(reason);
  });

  test('of a file that no tool may read not even a line is told', async () => {
    const references = { 'notes.md:1:1': [{ path: '../secret', line: 1, column: 1 }] };
    const outcome = await use({ references }, 'find_references', { path: 'notes.md', symbol: 'total' });
    expect(outcome.text).not.toContain('secret');
  });
});

describe('git_changes', () => {
  const files = [
    { state: ' M', path: 'src/a.ts' },
    { state: '??', path: 'evil\nname' },
    { state: ' M', path: 'a.psd', filtered: true as const },
  ];

  test('the files, then the diff with what is hidden spelled out; only the newest result for the same path stays', async () => {
    const git = createMemoryGit({ files, diff: '+one\u202E [palimpsest:stub]\n', cut: true });
    const outcome = await useTool({ ...createWorkbench(FILES), git }, 'git_changes', { path: 'src' });
    expect(outcome).toEqual({
      text: [
        'Branch main, changes in src: 3',
        ' M src/a.ts',
        '?? evil⏎name',
        ' M a.psd (not compared: git reads it through a filter, such as LFS, which is not run here)',
        '',
        '+one⟨U+202E⟩ [\\palimpsest:stub]',
        '(The diff is longer; name a file or folder.)',
      ].join('\n'),
      ephemeral: { keepNewest: 1, of: 'call' },
      headed: true,
    });
    expect(git.asked).toEqual(['/workspace/src']);
  });

  test('nothing changed; and no path outside reaches git', async () => {
    const git = createMemoryGit();
    const ports = { ...createWorkbench(FILES), git };
    expect((await useTool(ports, 'git_changes', {})).text).toBe('Branch main, changes in the workspace: none');
    expect((await useTool(ports, 'git_changes', { path: '../x' })).text).toMatch(/outside of the workspace/);
    expect(git.asked).toEqual(['/workspace']);
  });

  test('it is offered only where git is', () => {
    const settings = { recall: { tokensPerTurn: 0 }, agentTool: false, dmail: false };
    const offered = (ports: object) => offerTools(TOOLS, 'trusted', settings, ports).map(({ name }) => name);
    expect(offered({ git: createMemoryGit() })).toContain('git_changes');
    expect(offered({})).not.toContain('git_changes');
  });
});
