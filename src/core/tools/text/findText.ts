/**
 * Finds a piece of text in a file's text. A match is exact, with one exception: LF and CRLF count as the same line end,
 * since a model is shown LF. If nothing matches, white space at line ends is ignored, but then only a single match
 * counts.
 */

import { countTokens } from '../../tokens/estimate.ts';
import { showHidden } from './showHidden.ts';

interface FoundPlace {
  /** Offsets in the original text. */
  readonly from: number;
  readonly to: number;
}

export type Found =
  /** `loosely`: white space at line ends differs. */
  | { readonly kind: 'found'; readonly places: readonly FoundPlace[]; readonly loosely: boolean }
  | { readonly kind: 'notFound' }
  /** Line numbers, from 1, where each match begins. */
  | { readonly kind: 'ambiguous'; readonly lines: readonly number[]; readonly loosely: boolean };

/** `search` must not be empty. With `all`, matches are taken from the beginning and never overlap. */
export type FindText = (search: string, all: boolean) => Found;

/** Prepares the text once, for any number of searches. */
export function openSearch(text: string): FindText {
  const flat = flatten(text, false);
  let bare: FlatText | null = null;
  return (search, all) => {
    const needle = search.replaceAll('\r\n', '\n');
    const starts = findAll(flat.text, needle, all);
    if (starts.length > 1 && !all) return { kind: 'ambiguous', lines: linesOf(flat.text, starts), loosely: false };
    if (starts.length > 0) {
      const places = starts.map((at) => ({ from: flat.rawOffset(at), to: flat.rawOffset(at + needle.length) }));
      return { kind: 'found', places, loosely: false };
    }
    bare ??= flatten(text, true);
    return all ? { kind: 'notFound' } : findLoosely(text, bare, needle);
  };
}

function findLoosely(raw: string, bare: FlatText, search: string): Found {
  const needle = flatten(search, true).text;
  // Without a visible character it would match anywhere.
  if (needle.trim() === '') return { kind: 'notFound' };
  // White space removed from the end of the piece was at the end of a line, so the match must end there too.
  const endsLine = !search.endsWith(needle.slice(-1));
  const starts = findAll(bare.text, needle, false).filter(
    (at) => !endsLine || at + needle.length === bare.text.length || bare.text[at + needle.length] === '\n',
  );
  const [start] = starts;
  if (start === undefined) return { kind: 'notFound' };
  if (starts.length > 1) return { kind: 'ambiguous', lines: linesOf(bare.text, starts), loosely: true };
  let to = bare.rawOffset(start + needle.length);
  if (endsLine) while (isBlank(raw.charCodeAt(to))) to += 1;
  return { kind: 'found', places: [{ from: bare.rawOffset(start), to }], loosely: true };
}

interface FlatText {
  /** With LF for every CRLF, and optionally without white space at line ends. */
  readonly text: string;
  /** Maps an offset in `text` to the original; an offset before an omission maps to before it. */
  rawOffset(offset: number): number;
}

function flatten(raw: string, bare: boolean): FlatText {
  const lines: string[] = [];
  // Rising offsets in the flat text of omissions, and the total length omitted up to each.
  const gaps: number[] = [];
  const left: number[] = [];
  let missing = 0;
  for (let start = 0; start <= raw.length; ) {
    const lineFeed = raw.indexOf('\n', start);
    const end = lineFeed === -1 ? raw.length : lineFeed;
    let to = end;
    if (lineFeed !== -1 && to > start && raw[to - 1] === '\r') to -= 1;
    if (bare) while (to > start && isBlank(raw.charCodeAt(to - 1))) to -= 1;
    lines.push(raw.slice(start, to));
    if (to < end) {
      gaps.push(to - missing);
      missing += end - to;
      left.push(missing);
    }
    start = end + 1;
  }
  if (missing === 0) return { text: raw, rawOffset: (offset) => offset };
  return {
    text: lines.join('\n'),
    rawOffset(offset) {
      let low = 0;
      let high = gaps.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((gaps[middle] ?? 0) < offset) low = middle + 1;
        else high = middle;
      }
      return offset + (left[low - 1] ?? 0);
    },
  };
}

/** A space or a tab. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * Where `needle` begins in `text`. Overlapping matches count when a single one is wanted: `aa` is ambiguous in `aaa`.
 * Each character is compared at most twice (Knuth, Morris, Pratt), however repetitive the texts are.
 */
function findAll(text: string, needle: string, all: boolean): number[] {
  const starts: number[] = [];
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = extend(needle, borders, matched, text.charCodeAt(at));
    if (matched < needle.length) continue;
    starts.push(at + 1 - needle.length);
    matched = all ? 0 : (borders[matched] ?? 0);
  }
  return starts;
}

/** At `n`: length of the longest proper prefix of the needle that is also a suffix of its first `n` characters. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length + 1);
  for (let at = 1; at < needle.length; at++) {
    borders[at + 1] = extend(needle, borders, borders[at] ?? 0, needle.charCodeAt(at));
  }
  return borders;
}

/** The matched length when `code` follows `matched` characters of the needle. */
function extend(needle: string, borders: Int32Array, matched: number, code: number): number {
  let length = matched;
  while (length > 0 && needle.charCodeAt(length) !== code) length = borders[length] ?? 0;
  return needle.charCodeAt(length) === code ? length + 1 : length;
}

/** The line of each offset, in one pass. The offsets rise. */
function linesOf(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let next = text.indexOf('\n');
  return offsets.map((offset) => {
    for (; next !== -1 && next < offset; next = text.indexOf('\n', next + 1)) line += 1;
    return line;
  });
}

/** The number that many tools put in front of a line of a file. */
export const LINE_NUMBER = /^\s*(\d{1,9})\s*[→:|\t]/;

const MOST_LOOK_ALIKES = 3;

/** Share of common letter pairs from which two lines look alike. */
const LEAST_LIKENESS = 0.5;

/** Characters of a line that are compared and shown. */
const LONGEST_LINE = 200;
const MOST_LINES = 20_000;

interface LookAlike {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** True when only white space differs. */
  readonly spacingOnly: boolean;
}

/**
 * Lines of a text that resemble a text that was not found, so that a refused edit says where it nearly fits. Best first.
 * Only the search's longest line is compared, because it is the most distinctive.
 */
export function findLookAlikes(text: string, search: string): LookAlike[] {
  const wanted = longestLine(search);
  const key = squeeze(wanted);
  if (key === '') return [];
  const wantedPairs = letterPairs(key);
  return text
    .split(/\r\n|\n/u, MOST_LINES)
    .map((line, index) => ({ index, line, likeness: likeness(key, wantedPairs, line) }))
    .filter((candidate) => candidate.likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || a.index - b.index)
    .slice(0, MOST_LOOK_ALIKES)
    .map(({ index, line }) => ({
      line: index + 1,
      text: showHidden(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line),
      spacingOnly: squeeze(line) === key && line !== wanted,
    }));
}

/**
 * The lines of the text in which a search of several lines would be, from `line` outwards as far as the tokens allow,
 * under their numbers; null for a search of one line, which its look-alikes answer.
 */
export function showAround(text: string, search: string, line: number, tokens: number): string | null {
  const wanted = search.replace(/\r?\n$/u, '').split(/\r\n|\n/u);
  if (wanted.length < 2) return null;
  const lines = text.split(/\r\n|\n/u);
  const begin = Math.max(1, line - wanted.indexOf(longestLine(search)));
  const end = Math.min(lines.length, begin + wanted.length - 1);
  const near = Array.from({ length: end - begin + 1 }, (_, i) => begin + i);
  near.sort((a, b) => Math.abs(a - line) - Math.abs(b - line));
  let [from, to, left] = [line, line, tokens];
  for (const number of near) {
    left -= countTokens(lines[number - 1]?.slice(0, LONGEST_LINE) ?? '') + 1;
    if (left < 0) break;
    [from, to] = [Math.min(from, number), Math.max(to, number)];
  }
  const shown = lines.slice(from - 1, to).map((each) => showHidden(each.slice(0, LONGEST_LINE)));
  return `Lines ${from}-${to} are now:\n${shown.join('\n')}`;
}

function longestLine(text: string): string {
  return text.split(/\r\n|\n/u).reduce((best, line) => (squeeze(line).length > squeeze(best).length ? line : best), '');
}

function squeeze(line: string): string {
  return line.slice(0, LONGEST_LINE).trim().replace(/\s+/gu, ' ');
}

function letterPairs(text: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < text.length; index += 1) {
    const pair = text.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** From 0 to 1, ignoring white space. */
export function likenessOf(one: string, other: string): number {
  const key = squeeze(one);
  return key === '' ? 0 : likeness(key, letterPairs(key), other);
}

/** Dice's coefficient over letter pairs, from 0 to 1. */
function likeness(key: string, wanted: ReadonlyMap<string, number>, line: string): number {
  const other = squeeze(line);
  if (other === key) return 1;
  const shorter = Math.min(other.length, key.length) - 1;
  const both = other.length + key.length - 2;
  // Even if every pair of the shorter one matched, it could not be enough.
  if (both <= 0 || (2 * shorter) / both < LEAST_LIKENESS) return 0;
  let common = 0;
  for (const [pair, count] of letterPairs(other)) common += Math.min(count, wanted.get(pair) ?? 0);
  return (2 * common) / both;
}

export interface Replacement extends FoundPlace {
  readonly text: string;
}

type Replaced =
  | { readonly kind: 'replaced'; readonly text: string }
  /** Two of the places overlap. */
  | { readonly kind: 'overlapping'; readonly first: Replacement; readonly second: Replacement }
  /** The result would exceed the maximum length; it was not built. */
  | { readonly kind: 'tooLong'; readonly length: number };

/**
 * Replaces pieces of a text, all in one pass. Text outside of them is never touched, mixed line ends included. The places may
 * come in any order.
 */
export function replaceText(
  text: string,
  replacements: readonly Replacement[],
  options: { readonly lineEnd: '\n' | '\r\n'; readonly mostCharacters: number },
): Replaced {
  // Computed before building: a short piece with many matches may be replaced by a long one.
  const length = replacements.reduce((sum, { from, to, text: piece }) => sum + piece.length - (to - from), text.length);
  if (length > options.mostCharacters) return { kind: 'tooLong', length };
  const parts: string[] = [];
  let before: Replacement | null = null;
  for (const replacement of replacements.toSorted((a, b) => a.from - b.from)) {
    const { from, to, text: piece } = replacement;
    const done: number = before?.to ?? 0;
    if (before && from < done) return { kind: 'overlapping', first: before, second: replacement };
    parts.push(text.slice(done, from), withLineEnd(piece, text.slice(from, to), options.lineEnd));
    before = replacement;
  }
  parts.push(text.slice(before?.to ?? 0));
  return { kind: 'replaced', text: parts.join('') };
}

/** The replacement with the line ends of the replaced text, or of the file where that has none. */
function withLineEnd(replacement: string, replaced: string, lineEnd: '\n' | '\r\n'): string {
  const local = replaced.includes('\n') ? (replaced.includes('\r\n') ? '\r\n' : '\n') : lineEnd;
  const flat = replacement.replaceAll('\r\n', '\n');
  return local === '\n' ? flat : flat.replaceAll('\n', '\r\n');
}
