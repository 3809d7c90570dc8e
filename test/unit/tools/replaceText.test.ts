import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSearch, replaceText } from '../../../src/core/tools/text/findText.ts';

const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r', '$', '😀'), maxLength: 24 });
interface Options {
  readonly all: boolean;
  readonly lineEnd: '\n' | '\r\n';
  readonly mostCharacters: number;
}

function replace(text: string, search: string, replacement: string, { all, ...options }: Options) {
  const found = openSearch(text)(search, all);
  if (found.kind !== 'found') return found;
  const pieces = found.places.map((place) => ({ ...place, text: replacement }));
  const replaced = replaceText(text, pieces, options);
  return replaced.kind === 'replaced' ? { ...replaced, count: pieces.length } : replaced;
}

const flat = (text: string) => text.replaceAll('\r\n', '\n');

describe('whatever the text', () => {
  test('the piece is replaced in its own line ends, and every byte before and after it stays', () => {
    fc.assert(
      fc.property(piece, piece, fc.constantFrom('\n' as const, '\r\n' as const), (before, after, lineEnd) => {
        const text = `${before}first${lineEnd}second${after}`;
        expect(replace(text, 'first\nsecond', 'x\ny', { all: false, lineEnd: '\n', mostCharacters: 1_000 })).toEqual({
          kind: 'replaced',
          text: `${before}x${lineEnd}y${after}`,
          count: 1,
        });
      }),
      { numRuns: 1000 },
    );
  });

  test('all places are replaced as by the language itself, line ends aside', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n'), maxLength: 30 });
    const search = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(line, search, line, (text, wanted, replacement) => {
        const replaced = replace(text, wanted, replacement, { all: true, lineEnd: '\r\n', mostCharacters: 1_000 });
        const expected = flat(text).replaceAll(wanted, () => flat(replacement));
        if (replaced.kind === 'notFound') expect(flat(text)).not.toContain(wanted);
        else expect(replaced.kind === 'replaced' && flat(replaced.text)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('white space at line ends', () => {
  test('in lines that differ in it alone, the one place is found, and the lines around it stay', () => {
    const blank = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 4 });
    const end = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(blank, blank, blank, blank, end, (one, two, three, four, lineEnd) => {
        const text = `before${one}${lineEnd}first${two}${lineEnd}second${three}${lineEnd}after${four}`;
        const replaced = replace(text, `first${four}     \nsecond${one}     `, 'x', {
          all: false,
          lineEnd: '\n',
          mostCharacters: 1_000,
        });
        expect(replaced).toEqual({
          kind: 'replaced',
          text: `before${one}${lineEnd}x${lineEnd}after${four}`,
          count: 1,
        });
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['what ends a line there may not end within one here', 'let a = 12;\n', 'let a = 1 '],
    ['white space alone', 'a\n\n\n', '  \n  '],
    ['indentation is no white space at a line end', '  a\n', '\ta'],
    ['white space within a line', 'a  b\n', 'a b'],
  ])('is all that may differ: %s', (_, text, search) => {
    expect(openSearch(text)(search, false)).toEqual({ kind: 'notFound' });
  });

  test('several such places are ambiguous, and replacing all takes exact ones only', () => {
    const text = 'a\nb\nc\na\nb\n';
    expect(openSearch(text)('a \nb', false)).toEqual({ kind: 'ambiguous', lines: [1, 4], loosely: true });
    expect(openSearch(text)('a \nb', true)).toEqual({ kind: 'notFound' });
  });

  test('an exact place wins over a like one', () => {
    const found = openSearch('a \nb\na\nb\n')('a\nb', false);
    expect(found).toEqual({ kind: 'found', places: [{ from: 5, to: 8 }], loosely: false });
  });
});

describe('large texts', { tags: ['long'] }, () => {
  const MOST = 10 * 1024 * 1024;
  const options = (all: boolean) => ({ all, lineEnd: '\n' as const, mostCharacters: MOST });

  // Counting the lines before each of a million matches again would take hours.
  test('the line of every match is told for a million of them', () => {
    const found = replace('}\n'.repeat(1_000_000), '}', ']', options(false));
    expect(found.kind === 'ambiguous' && [found.lines.length, found.lines[0], found.lines.at(-1)]).toEqual([
      1_000_000, 1, 1_000_000,
    ]);
  });

  // Compared again at each place, these are 10^13 steps.
  test('texts that repeat themselves are compared once', () => {
    const most = 'a'.repeat(MOST);
    expect(replace(most, `b${'a'.repeat(MOST / 2)}`, 'c', options(true))).toEqual({ kind: 'notFound' });
    expect(replace(most, `${'a'.repeat(MOST / 2)}b`, 'c', options(true))).toEqual({ kind: 'notFound' });
    expect(replace(most, 'a'.repeat(MOST / 2), 'c', options(true))).toEqual({
      kind: 'replaced',
      text: 'cc',
      count: 2,
    });
  });

  test('a result beyond the limit is refused before it is made', () => {
    expect(replace('}'.repeat(1_000_000), '}', 'x'.repeat(100_000), options(true))).toEqual({
      kind: 'tooLong',
      length: 100_000_000_000,
    });
  });
});
