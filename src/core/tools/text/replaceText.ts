/**
 * Exact replacement inside a text. A match is character for character, but for one thing: LF and CRLF count as the same
 * line end, since a model is shown LF. What lies outside of the match is never touched, mixed line ends included.
 */

export type Replaced =
  | { readonly kind: 'replaced'; readonly text: string; readonly count: number }
  | { readonly kind: 'notFound' }
  /** Line numbers, from 1, where each match begins. */
  | { readonly kind: 'ambiguous'; readonly lines: readonly number[] };

/** `search` must not be empty. With `all`, matches are taken from the beginning and never overlap. */
export function replaceText(
  text: string,
  search: string,
  replacement: string,
  options: { readonly all: boolean; readonly lineEnd: '\n' | '\r\n' },
): Replaced {
  const flat = flattenLineEnds(text);
  const needle = search.replaceAll('\r\n', '\n');
  const starts = findAll(flat.text, needle, options.all);
  if (starts.length === 0) return { kind: 'notFound' };
  if (starts.length > 1 && !options.all) {
    return { kind: 'ambiguous', lines: starts.map((start) => lineOf(flat.text, start)) };
  }
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

/** Overlapping matches count when a single one is wanted: `aa` in `aaa` is not unambiguous. */
function findAll(text: string, needle: string, all: boolean): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + (all ? needle.length : 1))) {
    starts.push(at);
  }
  return starts;
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** The replacement in the line ends of what it replaces, or of the file where that has none. */
function withLineEnd(replacement: string, replaced: string, lineEnd: '\n' | '\r\n'): string {
  const local = replaced.includes('\n') ? (replaced.includes('\r\n') ? '\r\n' : '\n') : lineEnd;
  const flat = replacement.replaceAll('\r\n', '\n');
  return local === '\n' ? flat : flat.replaceAll('\n', '\r\n');
}
