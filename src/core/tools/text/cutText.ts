/** Cuts a text to a number of lines and bytes: at its beginning, its end, or both. The result is well-formed. */

import type { TruncationRecord } from '../../context/message.ts';
import { messageOf } from '../../errors.ts';
import type { BlobStore } from '../../journal/blobStore.ts';
import type { ToolOutcome } from '../tool.ts';
import { OUTPUT } from '../toolSettings.ts';

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

/** Default limits. */
export const TRUNCATION_DEFAULTS: TruncationLimits = {
  maxLines: OUTPUT.fields.maxLines.default,
  maxBytes: OUTPUT.fields.maxKilobytes.default * 1024,
  direction: 'head',
};

/** Prefix with which `read_file` reads a stored full output instead of a path. */
export const OUTPUT_PREFIX = 'output:';

/** `nonce` is the session's secret word, which makes the note a stub that no tool output can forge. */
export async function truncateOutput(
  outcome: ToolOutcome,
  limits: TruncationLimits,
  nonce: string,
  blobs: BlobStore,
): Promise<ToolOutcome> {
  if (outcome.truncation) return outcome;
  const below = outcome.headed ? outcome.text.indexOf('\n') + 1 : 0;
  const cut = cutText(outcome.text.slice(below), limits);
  if (!cut) return outcome;
  // An overlong line is the first one; text above it is counted in the full output.
  const isInLine = cut.firstCut === 1 && cut.head !== '';
  const rest = `offset ${below > 0 ? 2 : 1} and column ${cut.head.length + 1} reads on`;
  const kept = await keepWhole(outcome.text, blobs, isInLine ? rest : 'an offset reads the full output');
  const size = `lines ${cut.firstCut}-${cut.lastCut} of ${cut.lines} (${cut.bytes} bytes in all)`;
  const stub = `[palimpsest:${nonce} cut here: ${size}; ${kept.hint}]`;
  return {
    ...outcome,
    text: [outcome.text.slice(0, Math.max(0, below - 1)), cut.head, stub, cut.tail]
      .filter((part) => part !== '')
      .join('\n'),
    truncation: {
      by: 'formatter',
      direction: limits.direction,
      originalLines: cut.lines,
      originalBytes: cut.bytes,
      ...(kept.blob === null ? {} : { blob: kept.blob }),
    },
  };
}

/** A full disk must not cost the model the visible part, so a failure to store the whole is only mentioned. */
async function keepWhole(text: string, blobs: BlobStore, rest: string): Promise<{ blob: string | null; hint: string }> {
  try {
    const blob = await blobs.put(new TextEncoder().encode(text));
    return { blob, hint: `read_file with path "${OUTPUT_PREFIX}${blob}" and ${rest}` };
  } catch (thrown) {
    return { blob: null, hint: `the full output could not be kept: ${messageOf(thrown)}` };
  }
}
