import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countChangedLines,
  isText,
  listChanges,
  takeBackChanges,
  takeBackLines,
} from '../../../src/core/checkpoints/lines.ts';
import { editorChanges } from '../../support/editorChanges.ts';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => new Uint8Array(Buffer.from(text, encoding));
const text = (held: Uint8Array) => Buffer.from(held).toString('utf8');

/** Lines of few letters, so that versions have much in common. */
const content = fc
  .record({
    lines: fc.array(fc.constantFrom('', 'a', 'b', 'é', '日本'), { maxLength: 12 }),
    ended: fc.boolean(),
  })
  .map(({ lines, ended }) => ({ lines, ended }));
const ends = fc.constantFrom('\n', '\r\n', '\r');
const versions = fc
  .tuple(content, content, ends)
  .map(([one, other, end]) =>
    [one, other].map(({ lines, ended }) => bytes(lines.join(end) + (ended && lines.length > 0 ? end : ''))),
  ) as fc.Arbitrary<[Uint8Array, Uint8Array]>;

describe('changes of lines', () => {
  test('all of them taken back, the last first, give the earlier bytes', () => {
    fc.assert(
      fc.property(versions, ([before, after]) => {
        const back = editorChanges(before, after).reduceRight(
          (now, change) => takeBackLines(before, now, change),
          after,
        );
        expect(text(back)).toBe(text(before));
      }),
      { numRuns: 500 },
    );
  });

  test('all that differs, taken back at once, gives the earlier bytes', () => {
    fc.assert(
      fc.property(versions, ([before, after]) => {
        expect(text(takeBackChanges(before, after, listChanges(before, after) ?? []))).toBe(text(before));
      }),
      { numRuns: 500 },
    );
  });

  test('any of them taken back leave the others, which give the earlier bytes when they follow', () => {
    fc.assert(
      fc.property(versions, fc.integer(), ([before, after], seed) => {
        const some = editorChanges(before, after).filter((_, at) => (seed >> (at % 31)) & 1);
        const now = some.reduceRight((held, change) => takeBackLines(before, held, change), after);
        const rest = editorChanges(before, now);
        expect(text(rest.reduceRight((held, change) => takeBackLines(before, held, change), now))).toBe(text(before));
      }),
      { numRuns: 500 },
    );
  });

  test('ends of other lines stay as they are', () => {
    const before = bytes('one\r\ntwo\nthree\rfour\n');
    const after = bytes('one\r\nTWO\nthree\rFOUR\n');
    const [first] = editorChanges(before, after);
    expect(first && text(takeBackLines(before, after, first))).toBe('one\r\ntwo\nthree\rFOUR\n');
  });

  test('in Latin-1 and in UTF-16 of either order no byte outside is touched', () => {
    const latin = bytes('caf\xe9\nx\n', 'latin1');
    const changed = bytes('caf\xe9\ny\n', 'latin1');
    const change = { before: { from: 1, count: 1 }, after: { from: 1, count: 1 } };
    expect(takeBackLines(latin, changed, change)).toEqual(latin);
    // Each of its letters has a byte that looks like the end of a line.
    const little = bytes('\ufeff\u0a01\u010a\nx\n', 'utf16le');
    const now = bytes('\ufeff\u0a01\u010a\ny\n', 'utf16le');
    expect(takeBackLines(little, now, change)).toEqual(little);
    const swap = (held: Uint8Array) => new Uint8Array(Buffer.from(held).swap16());
    expect(takeBackLines(swap(little), swap(now), change)).toEqual(swap(little));
  });

  test('are counted, and not where a version is no text', () => {
    expect(countChangedLines(bytes('a\nb\nc\n'), bytes('a\nB\nC\nc\n'))).toEqual({ added: 2, removed: 1 });
    expect(countChangedLines(bytes('a\r\n'), bytes('a\n'))).toEqual({ added: 1, removed: 1 });
    expect(countChangedLines(bytes(''), bytes('a'))).toEqual({ added: 1, removed: 0 });
    expect(countChangedLines(bytes('a\0b'), bytes('a'))).toBeNull();
    expect(isText(bytes('\ufeffa', 'utf16le'))).toBe(true);
  });
});
