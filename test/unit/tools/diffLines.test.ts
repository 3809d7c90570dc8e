import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffLines, type LineDiff } from '../../../src/core/tools/text/diffLines.ts';

/** As a patch is written: one letter for each kind of line. */
function draw({ hunks }: LineDiff): string[] {
  const letter = { same: ' ', removed: '-', added: '+' };
  return hunks.flatMap(({ beforeStart, afterStart, lines }) => [
    `@${beforeStart},${afterStart}`,
    ...lines.map(({ type, text }) => letter[type] + text),
  ]);
}

/** `before` with the hunks applied, checking every line they claim to find there. */
function apply(before: readonly string[], { hunks }: LineDiff): string[] {
  const after: string[] = [];
  let next = 0;
  for (const { beforeStart, afterStart, lines } of hunks) {
    after.push(...before.slice(next, beforeStart - 1));
    expect(after.length).toBe(afterStart - 1);
    next = beforeStart - 1;
    for (const { type, text } of lines) {
      if (type !== 'added') expect(text).toBe(before[next++]);
      if (type !== 'removed') after.push(text);
    }
  }
  return [...after, ...before.slice(next)];
}

describe('diffLines', () => {
  test.each([
    ['nothing', 'a\nb\n', 'a\nb\n', []],
    ['one line', 'a\nb\nc\n', 'a\nx\nc\n', ['@1,1', ' a', '-b', '+x', ' c']],
    ['a new file', '', 'a\nb\n', ['@1,1', '+a', '+b']],
    ['a file emptied', 'a\nb\n', '', ['@1,1', '-a', '-b']],
    ['only the final line end', 'a', 'a\n', ['@1,1', '-a', '+a']],
    ['a line that begins with a backslash', 'a\n', '\\ b\n', ['@1,1', '-a', '+\\ b']],
  ])('%s', (_, before, after, drawn) => {
    expect(draw(diffLines(before, after))).toEqual(drawn);
  });

  test('far changes are hunks of their own, with their lines counted', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `${index + 1}`);
    const after = lines.with(4, 'five').toSpliced(30, 1);
    const diff = diffLines(lines.join('\n'), after.join('\n'), 1);
    expect(draw(diff)).toEqual(['@4,4', ' 4', '-5', '+five', ' 6', '@30,30', ' 30', '-31', ' 32']);
    expect({ added: diff.added, removed: diff.removed }).toEqual({ added: 1, removed: 2 });
  });

  test('applied to the first text it gives the second', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '-x', '+y', '\\z'), { maxLength: 25 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        const join = (lines: string[]) => lines.map((line) => `${line}\n`).join('');
        expect(apply(before, diffLines(join(before), join(after), context))).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  test('texts with nothing in common, too long to compare finely, are still told whole', () => {
    const make = (letter: string) => [
      'same',
      ...Array.from({ length: 5000 }, (_, index) => `${letter}${index}`),
      'end',
    ];
    const [before, after] = [make('a'), make('b')];
    const diff = diffLines(before.join('\n'), after.join('\n'));
    expect({ added: diff.added, removed: diff.removed, hunks: diff.hunks.length }).toEqual({
      added: 5000,
      removed: 5000,
      hunks: 1,
    });
    expect(apply(before, diff)).toEqual(after);
  });
});
