/**
 * Exact replacement inside a text. A match is character for character, but for one thing: LF and CRLF count as the same
 * line end, since a model is shown LF. What lies outside of the match is never touched, mixed line ends included.
 */

export type Replaced =
  | { readonly kind: 'replaced'; readonly text: string; readonly count: number }
  | { readonly kind: 'notFound' }
  /** Line numbers, from 1, where each match begins. */
  | { readonly kind: 'ambiguous'; readonly lines: readonly number[] }
  /** The result would have more than the allowed characters; it was not made. */
  | { readonly kind: 'tooLong'; readonly length: number };

/** `search` must not be empty. With `all`, matches are taken from the beginning and never overlap. */
export function replaceText(
  text: string,
  search: string,
  replacement: string,
  options: { readonly all: boolean; readonly lineEnd: '\n' | '\r\n'; readonly mostCharacters: number },
): Replaced {
  const flat = flattenLineEnds(text);
  const needle = search.replaceAll('\r\n', '\n');
  const starts = findAll(flat.text, needle, options.all);
  if (starts.length === 0) return { kind: 'notFound' };
  if (starts.length > 1 && !options.all) {
    return { kind: 'ambiguous', lines: linesOf(flat.text, starts) };
  }
  // Told before it is made: a short piece found often may be replaced by a long one.
  const length = text.length + starts.length * (replacement.length - needle.length);
  if (length > options.mostCharacters) return { kind: 'tooLong', length };
  const parts: string[] = [];
  let done = 0;
  for (const start of starts) {
    const from = flat.rawOffset(start);
    const to = flat.rawOffset(start + needle.length);
    parts.push(text.slice(done, from), withLineEnd(replacement, text.slice(from, to), options.lineEnd));
    done = to;
  }
  parts.push(text.slice(done));
  return { kind: 'replaced', text: parts.join(''), count: starts.length };
}

interface FlatText {
  /** With LF for every CRLF. */
  readonly text: string;
  /** Where a place in `text` lies in the original; a place before an LF lies before its CR. */
  rawOffset(offset: number): number;
}

function flattenLineEnds(raw: string): FlatText {
  const text = raw.replaceAll('\r\n', '\n');
  if (text.length === raw.length) return { text, rawOffset: (offset) => offset };
  // Offsets in `text` of the line feeds that had a CR before them, rising.
  const shortened: number[] = [];
  for (let at = raw.indexOf('\r\n'); at !== -1; at = raw.indexOf('\r\n', at + 2)) shortened.push(at - shortened.length);
  return {
    text,
    rawOffset(offset) {
      let low = 0;
      let high = shortened.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((shortened[middle] ?? 0) < offset) low = middle + 1;
        else high = middle;
      }
      return offset + low;
    },
  };
}

/**
 * Where `needle` begins in `text`. Overlapping matches count when a single one is wanted: `aa` in `aaa` is not
 * unambiguous. Each character is compared at most twice (Knuth, Morris, Pratt), however the texts repeat themselves.
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

/** At `n`: how long the longest beginning of the needle is that its first `n` characters also end with, short of all. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length + 1);
  for (let at = 1; at < needle.length; at++) {
    borders[at + 1] = extend(needle, borders, borders[at] ?? 0, needle.charCodeAt(at));
  }
  return borders;
}

/** How much of the needle is matched when `code` follows `matched` characters of it. */
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

/** The replacement in the line ends of what it replaces, or of the file where that has none. */
function withLineEnd(replacement: string, replaced: string, lineEnd: '\n' | '\r\n'): string {
  const local = replaced.includes('\n') ? (replaced.includes('\r\n') ? '\r\n' : '\n') : lineEnd;
  const flat = replacement.replaceAll('\r\n', '\n');
  return local === '\n' ? flat : flat.replaceAll('\n', '\r\n');
}
