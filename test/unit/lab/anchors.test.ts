import { describe, expect, it } from 'vitest';
import { type AnchorName, AnchorTable, findPaths } from '../../../src/lab/anchors.ts';
import { readAnchors, readEditedFiles } from '../../../src/lab/readAnchors.ts';
import { calls } from '../../support/sessions/labSession.ts';

function anchorsOf(name: string, args: Readonly<Record<string, unknown>> | string): string[] {
  return readAnchors(calls('1', name, args).tool_calls ?? []).map(({ kind, text }) => `${kind} ${text}`);
}

function findIn(text: string, anchors: readonly AnchorName[]): string[] {
  const table = new AnchorTable();
  for (const anchor of anchors) table.add(anchor);
  return table.find(text).map((id) => table.text(id));
}

describe('anchors of a call', () => {
  it('are paths by their last two segments and code-like names', () => {
    expect(
      anchorsOf('Bash', { command: 'cd /home/me/app && grep -n parseLine src/core/reader.ts > /dev/null' }),
    ).toEqual(['path me/app', 'path core/reader.ts', 'identifier parseLine']);
  });

  it('leave new content out and take old content by line', () => {
    const edit = {
      file_path: '/app/src/reader.ts',
      old_string: '  return parse(line, maxDepth);\n}',
      new_string: 'const somethingNew = 1;',
    };
    expect(anchorsOf('Edit', edit)).toEqual([
      'path src/reader.ts',
      'line return parse(line, maxDepth);',
      'identifier maxDepth',
    ]);
  });

  it('take context and removed lines of a patch, never added ones', () => {
    const patch = [
      '*** Begin Patch',
      '*** Update File: src/core/reader.ts',
      '@@',
      ' export function readLine() {',
      '-  return parse(line, maxDepth);',
      '+  return parseNow(brandNew);',
      '*** End Patch',
    ].join('\n');
    expect(anchorsOf('apply_patch', patch)).toEqual([
      'path core/reader.ts',
      'line export function readLine() {',
      'identifier readLine',
      'line return parse(line, maxDepth);',
      'identifier maxDepth',
    ]);
  });

  it('count a bare file name where a path is expected, and no plain words', () => {
    expect(anchorsOf('open', { path: 'setup.py', reason: 'look at the function again' })).toEqual(['path setup.py']);
  });
});

describe('paths in a text', () => {
  const pathsIn = (text: string) => [...findPaths(text)].map((segments) => segments.join('/'));

  it.each([
    ['rates and units', '12 MB/s, 40 tokens/s, 3 ns/op, 5 req/min'],
    ['fractions and sizes', 'bg-slate-700/50 FontSize/48 1/3 s/1024 geo.margin/2'],
    ['escapes in a text', String.raw`3 MB\n/s ok\nnext\tfunc \d+\s \w+/\d+ \\n\\tif line3\nnew`],
    ['choices of words', 'read/write and/or AND/OR YAML/JSON start/end zero-width/wide-rune'],
    ['patterns with flags', '/fromWire/g s/foo/bar/ s/src/lib/g +/s'],
    ['names of branches and of standard packages', 'origin/main feat/gradient crypto/sha256'],
  ])('%s are none', (_, text) => {
    expect(pathsIn(text)).toEqual([]);
  });

  it.each([
    ['src/lab/words.ts', 'src/lab/words.ts'],
    ['see /etc/hosts, ./run and ~/notes', 'etc/hosts ./run ~/notes'],
    ['cd packages/core && ls evals/self/', 'packages/core evals/self'],
    ['.github/workflows and @scope/name', '.github/workflows @scope/name'],
    [String.raw`C:\\Users\\me\\new.ts and D:\temp\a`, 'Users/me/new.ts temp/a'],
    [String.raw`src\core\reader.ts:12`, 'src/core/reader.ts'],
    [String.raw`ok\nsrc/a.ts\n\tb/c.go`, 'src/a.ts b/c.go'],
    [String.raw`"src\/a.ts" and src\\/b.ts`, 'src/a.ts src/b.ts'],
    ['lib/reader.ts-201-    return', 'lib/reader.ts'],
    ['https://example.com/a/pull/1503', 'example.com/a/pull/1503'],
  ])('finds those in %j', (text, paths) => {
    expect(pathsIn(text)).toEqual(paths.split(' '));
  });

  it('a path that a call named is found where nothing else tells it for one', () => {
    const known: AnchorName[] = [
      { kind: 'path', text: 'pandas/core' },
      { kind: 'path', text: 'lib/reader.ts' },
    ];
    expect(findIn('look in pandas/core first', known)).toEqual(['pandas/core']);
    expect(findIn(String.raw`a\npandas/core\n`, known)).toEqual(['pandas/core']);
    expect(findIn('src/lib/reader.ts-201-  return', known)).toEqual(['lib/reader.ts']);
  });
});

describe('edited files', () => {
  it('are those of calls that bring content, and of patches', () => {
    const files = (name: string, args: Record<string, unknown> | string) =>
      (calls('1', name, args).tool_calls ?? []).flatMap(readEditedFiles);
    expect(files('Read', { file_path: '/a/b/c.ts' })).toEqual([]);
    expect(files('Write', { file_path: '/a/b/c.ts', content: 'x' })).toEqual(['b/c.ts']);
    expect(files('apply_patch', '*** Begin Patch\n*** Add File: x/y.ts\n+a\n*** End Patch')).toEqual(['x/y.ts']);
  });
});

describe('finding anchors in a text', () => {
  it('finds names as whole words only', () => {
    const name: AnchorName = { kind: 'identifier', text: 'parseLine' };
    expect(findIn('calls parseLine() twice', [name])).toEqual(['parseLine']);
    expect(findIn('calls parseLines() and reparseLine()', [name])).toEqual([]);
  });

  it('finds a path inside of a longer one, at the end of a sentence and before a line number', () => {
    const path: AnchorName = { kind: 'path', text: 'core/reader.ts' };
    expect(findIn('see /app/src/core/reader.ts.', [path])).toEqual(['core/reader.ts']);
    expect(findIn('src\\core\\reader.ts:12: error', [path])).toEqual(['core/reader.ts']);
    expect(findIn('hardcore/reader.tsx', [path])).toEqual([]);
  });

  it('finds lines anywhere, with line numbers before them, also when they overlap', () => {
    const lines: AnchorName[] = [
      { kind: 'line', text: 'aaaaaaaaaaaaaaaaaaaaaaaab' },
      { kind: 'line', text: 'return parse(line, maxDepth);' },
    ];
    expect(findIn('  12→\t  return parse(line, maxDepth);\n', lines)).toEqual(['return parse(line, maxDepth);']);
    expect(findIn(`${'a'.repeat(40)}b`, lines)).toEqual(['aaaaaaaaaaaaaaaaaaaaaaaab']);
  });
});
