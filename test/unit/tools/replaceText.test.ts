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
        expect(replaceText(text, 'first\nsecond', 'x\ny', { all: false, lineEnd: '\n' })).toEqual({
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
        const replaced = replaceText(text, wanted, replacement, { all: true, lineEnd: '\r\n' });
        const expected = flat(text).replaceAll(wanted, () => flat(replacement));
        if (replaced.kind === 'notFound') expect(flat(text)).not.toContain(wanted);
        else expect(replaced.kind === 'replaced' && flat(replaced.text)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
