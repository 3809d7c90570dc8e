/** The difference of two texts by lines, for a person to read. Every line of both texts is in it or beside a hunk. */

import { structuredPatch } from 'diff';

export interface DiffLine {
  readonly type: 'same' | 'removed' | 'added';
  /** Without its line end. */
  readonly text: string;
}

export interface DiffHunk {
  /** Number, from 1, of the hunk's first line in each text; on a side without lines here, of the line it comes before. */
  readonly beforeStart: number;
  readonly afterStart: number;
  readonly lines: readonly DiffLine[];
}

export interface LineDiff {
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
}

/** Beyond this many changed lines the finest diff is not looked for: everything between the common ends is replaced. */
const MOST_EDITS = 1000;

/** `context` unchanged lines are kept around each change. */
export function diffLines(before: string, after: string, context = 3): LineDiff {
  const patch = structuredPatch('', '', before, after, '', '', { context, maxEditLength: MOST_EDITS });
  const hunks = patch ? patch.hunks.map(readHunk) : [replaceMiddle(splitLines(before), splitLines(after), context)];
  const count = (type: DiffLine['type']) =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.type === type).length, 0);
  return { added: count('added'), removed: count('removed'), hunks };
}

function readHunk(hunk: { oldStart: number; newStart: number; lines: string[] }): DiffHunk {
  const lines = hunk.lines.flatMap((line): DiffLine[] => {
    const text = line.slice(1);
    if (line.startsWith('-')) return [{ type: 'removed', text }];
    if (line.startsWith('+')) return [{ type: 'added', text }];
    // A line beginning with a backslash says that the text ends without a line end.
    return line.startsWith('\\') ? [] : [{ type: 'same', text }];
  });
  return { beforeStart: hunk.oldStart, afterStart: hunk.newStart, lines };
}

function replaceMiddle(before: readonly string[], after: readonly string[], context: number): DiffHunk {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const first = Math.max(0, start - context);
  const same = (text: string): DiffLine => ({ type: 'same', text });
  return {
    beforeStart: first + 1,
    afterStart: first + 1,
    lines: [
      ...before.slice(first, start).map(same),
      ...before.slice(start, before.length - end).map((text): DiffLine => ({ type: 'removed', text })),
      ...after.slice(start, after.length - end).map((text): DiffLine => ({ type: 'added', text })),
      ...before.slice(before.length - end, before.length - end + context).map(same),
    ],
  };
}

function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
