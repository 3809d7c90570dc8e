/** Reads what a model put between `<tag>` and `</tag>`: as marks that belong to each other, not from the first to the last. */

import { findCode, isWithin } from '../../model/codeRanges.ts';

interface Mark {
  readonly opens: boolean;
  readonly start: number;
  readonly end: number;
}

interface Block {
  readonly start: number;
  end: number;
}

/**
 * The inside of all blocks, outermost ones, in order; of a block whose end was cut off, what there is. Marks in code are
 * quoted, unless there are no others. Null where the text has no block. A mark without its partner is only mentioned.
 */
export function readTag(text: string, tag: string): string | null {
  const all = findMarks(text, tag);
  const code = findCode(text);
  const unquoted = all.filter(({ start }) => !isWithin(code, start));
  const marks = unquoted.length > 0 ? unquoted : all;
  if (marks.length === 0) return null;
  const blocks = findBlocks(text, marks);
  if (blocks.length > 0) return insides(text, blocks, marks).filter(hasWords).join('\n\n');
  const [first] = marks as readonly [Mark];
  // The beginning was left out, or the end was cut off.
  const block = first.opens ? { start: first.end, end: text.length } : { start: 0, end: marks.at(-1)?.start ?? 0 };
  return insides(text, [block], marks).join('');
}

function findMarks(text: string, tag: string): readonly Mark[] {
  const name = tag.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const form = new RegExp(`<(/?)${name}(?:\\s+[^<>]*)?\\s*>`, 'gi');
  return [...text.matchAll(form)].flatMap(({ index: start, 0: mark, 1: slash }) =>
    mark.endsWith('/>') ? [] : [{ opens: slash === '', start, end: start + mark.length }],
  );
}

/** An end goes with the nearest beginning; a further one before the next beginning extends the block before it. */
function findBlocks(text: string, marks: readonly Mark[]): readonly Block[] {
  const open: number[] = [];
  const blocks: Block[] = [];
  for (const { opens, start, end } of marks) {
    if (opens) {
      open.push(end);
      continue;
    }
    const begun = open.pop();
    if (begun !== undefined) {
      while (blocks.length > 0 && (blocks.at(-1) as Block).start > begun) blocks.pop();
      blocks.push({ start: begun, end: start });
    } else {
      const before = blocks.at(-1);
      if (before) before.end = start;
    }
  }
  // One more that was cut off; within a line its mark is only mentioned.
  const last = marks.at(-1);
  const isCutOff = last?.opens && blocks.length > 0 && /(^|\n)[ \t]*$/.test(text.slice(0, last.start).slice(-200));
  return isCutOff ? [...blocks, { start: last.end, end: text.length }] : blocks;
}

/** Without the marks of blocks in the blocks. All are in order. */
function insides(text: string, blocks: readonly Block[], marks: readonly Mark[]): readonly string[] {
  let next = 0;
  return blocks.map(({ start, end }) => {
    const parts: string[] = [];
    let at = start;
    for (; next < marks.length; next++) {
      const mark = marks[next] as Mark;
      if (mark.end > end) break;
      if (mark.start < start) continue;
      parts.push(text.slice(at, mark.start));
      at = mark.end;
    }
    parts.push(text.slice(at, end));
    return parts.join('').trim();
  });
}

/** A block such as `<summary>…</summary>` is only the form repeated. */
const hasWords = (text: string) => /[\p{L}\p{N}]/u.test(text);
