/**
 * Lines of a file as bytes, numbered as an editor numbers them, so that any of an editor's changes can be taken back or
 * taken over without touching a byte outside of it. Pure.
 */

import { diffArrays } from 'diff';

/** Lines of two versions of a file that differ. Line numbers begin with 0; an empty range lies before its line. */
export interface LineChange {
  readonly before: LineRange;
  readonly after: LineRange;
}

export interface LineRange {
  readonly from: number;
  readonly count: number;
}

/** Above this many changed lines no exact diff is computed: everything counts as replaced. */
const MOST_EDITS = 2_000;

/** The bytes of `after` with some of its changes taken back to `before`. */
export function takeBackChanges(before: Uint8Array, after: Uint8Array, changes: readonly LineChange[]): Uint8Array {
  // From the end, so that the numbers of the lines above stay true.
  const fromEnd = [...changes].sort((a, b) => b.after.from - a.after.from || b.before.from - a.before.from);
  return fromEnd.reduce((bytes, change) => takeBackLines(before, bytes, change), after);
}

/** The bytes of `after` with one of its changes taken back to `before`. */
export function takeBackLines(before: Uint8Array, after: Uint8Array, change: LineChange): Uint8Array {
  const [old, now] = [splitLines(before), splitLines(after)];
  const kept = now.slice(0, change.after.from);
  const rest = now.slice(change.after.from + change.after.count);
  const back = old.slice(change.before.from, change.before.from + change.before.count);
  // A change at the end of the file includes the line end before it, which one version may lack.
  const last = old[change.before.from - 1];
  if (last !== undefined && rest.length === 0 && kept.length > 0) kept.splice(-1, 1, last);
  return join([...kept, ...back, ...rest]);
}

/** Where two versions differ, in the order of the lines; null where there is too much to tell. */
export function listChanges(before: Uint8Array, after: Uint8Array): LineChange[] | null {
  const lettersOf = (bytes: Uint8Array) => splitLines(bytes).map((line) => letters.decode(line));
  const parts = diffArrays(lettersOf(before), lettersOf(after), { maxEditLength: MOST_EDITS });
  if (!parts) return null;
  const changes: LineChange[] = [];
  let [old, now] = [0, 0];
  let open: { from: [number, number]; added: number; removed: number } | null = null;
  const close = () => {
    if (open)
      changes.push({
        before: { from: open.from[0], count: open.removed },
        after: { from: open.from[1], count: open.added },
      });
    open = null;
  };
  for (const { added, removed, count } of parts) {
    if (added || removed) {
      open ??= { from: [old, now], added: 0, removed: 0 };
      if (added) open.added += count;
      else open.removed += count;
    } else close();
    if (!added) old += count;
    if (!removed) now += count;
  }
  close();
  return changes;
}

/** Whether two ranges of lines of one version share a line, or an empty one lies in or beside the other. */
export function touch(a: LineRange, b: LineRange): boolean {
  const empty = a.count === 0 || b.count === 0;
  const [endOfA, endOfB] = [a.from + a.count, b.from + b.count];
  return empty ? a.from <= endOfB && b.from <= endOfA : a.from < endOfB && b.from < endOfA;
}

/** How many lines were added and removed; null where a version is no text. */
export function countChangedLines(
  before: Uint8Array,
  after: Uint8Array,
): { readonly added: number; readonly removed: number } | null {
  if (!isText(before) || !isText(after)) return null;
  const [old, now] = [textLines(before), textLines(after)];
  const parts = diffArrays(old, now, { maxEditLength: MOST_EDITS });
  if (!parts) return { added: now.length, removed: old.length };
  const sum = (kind: 'added' | 'removed') => parts.reduce((all, part) => all + (part[kind] ? part.count : 0), 0);
  return { added: sum('added'), removed: sum('removed') };
}

/** A file with zero bytes is text only in UTF-16, whose byte order mark says so. */
export function isText(bytes: Uint8Array): boolean {
  return unitOf(bytes) === 2 ? bytes.length % 2 === 0 : !bytes.includes(0);
}

/** Bytes of one unit: 2 in UTF-16. */
function unitOf([first, second]: Uint8Array): 1 | 2 {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) ? 2 : 1;
}

const [LF, CR] = [10, 13];

/** Each with its line end; the last, which has none, may be empty. */
function splitLines(bytes: Uint8Array): Uint8Array[] {
  const unit = unitOf(bytes);
  const bigEndian = bytes[0] === 0xfe;
  const at = (index: number): number => {
    if (unit === 1) return bytes[index] ?? -1;
    const [high, low] = bigEndian ? [bytes[index], bytes[index + 1]] : [bytes[index + 1], bytes[index]];
    return high === 0 ? (low ?? -1) : -1;
  };
  const lines: Uint8Array[] = [];
  let begin = 0;
  for (let index = 0; index < bytes.length; index += unit) {
    const code = at(index);
    if (code !== LF && code !== CR) continue;
    if (code === CR && at(index + unit) === LF) index += unit;
    lines.push(bytes.subarray(begin, index + unit));
    begin = index + unit;
  }
  lines.push(bytes.subarray(begin));
  return lines;
}

/** This label names windows-1252, in which each byte is a letter of its own. */
const letters = new TextDecoder('latin1');

/** To compare: one letter for each byte. The empty last line is left out. */
export function textLines(bytes: Uint8Array): string[] {
  const lines = splitLines(bytes).map((line) => letters.decode(line));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
