/** Cuts a text to a number of lines and bytes: at its beginning, its end, or both. The result is well-formed. */

import type { TruncationRecord } from '../../context/message.ts';

export type TruncationDirection = TruncationRecord['direction'];

export interface TruncationLimits {
  readonly maxLines: number;
  /** Bytes of UTF-8. */
  readonly maxBytes: number;
  /** The part to keep: the beginning, the end, or both ends with the middle cut out. */
  readonly direction: TruncationDirection;
}

interface CutText {
  /** The kept lines before and after the cut; either may be empty. */
  readonly head: string;
  readonly tail: string;
  readonly lines: number;
  readonly bytes: number;
  /** First and last line, from 1, that are not shown in full. */
  readonly firstCut: number;
  readonly lastCut: number;
}

/** Null when the text is within the limits. Keeps whole lines if one fits; a code point is never split. */
export function cutText(text: string, limits: TruncationLimits): CutText | null {
  const lines = text.split('\n');
  // A final line break does not begin another line.
  const total = lines.length - (lines.at(-1) === '' ? 1 : 0);
  const bytes = utf8Length(text);
  if (total <= limits.maxLines && bytes <= limits.maxBytes) return null;
  const share = (whole: number, part: 'head' | 'tail') => {
    if (limits.direction === 'middle') return part === 'head' ? Math.ceil(whole / 2) : Math.floor(whole / 2);
    return limits.direction === part ? whole : 0;
  };
  const head = takeHead(lines.slice(0, total), share(limits.maxLines, 'head'), share(limits.maxBytes, 'head'));
  const rest = lines.slice(head.lines, total);
  const tail = takeTail(rest, share(limits.maxLines, 'tail'), share(limits.maxBytes, 'tail'));
  return {
    head: head.text,
    tail: tail.text,
    lines: total,
    bytes,
    firstCut: head.lines + 1,
    lastCut: total - tail.lines,
  };
}

interface Taken {
  readonly text: string;
  /** Whole lines only. */
  readonly lines: number;
}

function takeHead(lines: readonly string[], maxLines: number, maxBytes: number): Taken {
  let used = 0;
  let count = 0;
  while (count < lines.length && count < maxLines) {
    const cost = utf8Length(lines[count] ?? '') + 1;
    if (used + cost > maxBytes) break;
    used += cost;
    count += 1;
  }
  if (count === 0 && maxLines > 0) return { text: cutHead(lines[0] ?? '', maxBytes), lines: 0 };
  return { text: lines.slice(0, count).join('\n'), lines: count };
}

function takeTail(lines: readonly string[], maxLines: number, maxBytes: number): Taken {
  let used = 0;
  let count = 0;
  while (count < lines.length && count < maxLines) {
    const cost = utf8Length(lines[lines.length - 1 - count] ?? '') + 1;
    if (used + cost > maxBytes) break;
    used += cost;
    count += 1;
  }
  if (count === 0 && maxLines > 0) return { text: cutTail(lines.at(-1) ?? '', maxBytes), lines: 0 };
  return { text: lines.slice(lines.length - count).join('\n'), lines: count };
}

/** The longest beginning of `text` of at most `maxBytes` bytes that splits no code point. */
export function cutHead(text: string, maxBytes: number): string {
  let used = 0;
  let end = 0;
  for (const point of text) {
    used += utf8Length(point);
    if (used > maxBytes) break;
    end += point.length;
  }
  return text.slice(0, end);
}

function cutTail(text: string, maxBytes: number): string {
  // Only the last `maxBytes` units can fit; a low surrogate at the boundary belongs to a code point that does not.
  const near = text.slice(Math.max(0, text.length - maxBytes));
  const points = Array.from(near.replace(/^[\uDC00-\uDFFF]/u, ''));
  let used = 0;
  let first = points.length;
  while (first > 0) {
    used += utf8Length(points[first - 1] ?? '');
    if (used > maxBytes) break;
    first -= 1;
  }
  return points.slice(first).join('');
}

/** Length of `text` in UTF-8 bytes, without encoding it. A lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
