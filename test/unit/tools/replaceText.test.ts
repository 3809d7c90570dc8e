import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceText } from '../../../src/core/tools/text/replaceText.ts';

const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r', '$', '😀'), maxLength: 24 });
const flat = (text: string) => text.replaceAll('\r\n', '\n');

describe('whatever the text', () => {
  test('the piece is replaced in its own line ends, and every byte before and after it stays', () => {
    fc.assert(
      fc.property(piece, piece, fc.constantFrom('\n' as const, '\r\n' as const), (before, after, lineEnd) => {
        const text = `${before}first${lineEnd}second${after}`;
        expect(
          replaceText(text, 'first\nsecond', 'x\ny', { all: false, lineEnd: '\n', mostCharacters: 1_000 }),
        ).toEqual({
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
        const replaced = replaceText(text, wanted, replacement, { all: true, lineEnd: '\r\n', mostCharacters: 1_000 });
        const expected = flat(text).replaceAll(wanted, () => flat(replacement));
        if (replaced.kind === 'notFound') expect(flat(text)).not.toContain(wanted);
        else expect(replaced.kind === 'replaced' && flat(replaced.text)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('large texts', () => {
  const MOST = 10 * 1024 * 1024;
  const options = (all: boolean) => ({ all, lineEnd: '\n' as const, mostCharacters: MOST });

  // Counting the lines before each of a million matches again would take hours.
  test('the line of every match is told for a million of them', () => {
    const found = replaceText('}\n'.repeat(1_000_000), '}', ']', options(false));
    expect(found.kind === 'ambiguous' && [found.lines.length, found.lines[0], found.lines.at(-1)]).toEqual([
      1_000_000, 1, 1_000_000,
    ]);
  });

  // Compared again at each place, these are 10^13 steps.
  test('texts that repeat themselves are compared once', () => {
    const most = 'a'.repeat(MOST);
    expect(replaceText(most, `b${'a'.repeat(MOST / 2)}`, 'c', options(true))).toEqual({ kind: 'notFound' });
    expect(replaceText(most, `${'a'.repeat(MOST / 2)}b`, 'c', options(true))).toEqual({ kind: 'notFound' });
    expect(replaceText(most, 'a'.repeat(MOST / 2), 'c', options(true))).toEqual({
      kind: 'replaced',
      text: 'cc',
      count: 2,
    });
  });

  test('a result beyond the limit is refused before it is made', () => {
    expect(replaceText('}'.repeat(1_000_000), '}', 'x'.repeat(100_000), options(true))).toEqual({
      kind: 'tooLong',
      length: 100_000_000_000,
    });
  });
});
