import { describe, expect, it } from 'vitest';
import { AnchorTable } from '../../../src/lab/anchors/anchorTable.ts';
import { readAnchors, readEditedFiles } from '../../../src/lab/anchors/readAnchors.ts';
import type { AnchorName } from '../../../src/lab/anchors/words.ts';
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
