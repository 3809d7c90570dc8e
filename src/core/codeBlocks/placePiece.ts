/**
 * Finds the lines of a file that a piece of code replaces. Its first line locates the start; its last line, or the
 * block of code that it opens, locates the end. Pure. A piece that fits several places is refused.
 */

import { likenessOf } from '../tools/text/findText.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import { listSome, type Words, words } from '../words.ts';

export type Placed =
  /** `first` and `last` are lines of the file, both included; the replacement is indented as the file is. */
  | { readonly kind: 'placed'; readonly first: number; readonly last: number; readonly lines: readonly string[] }
  /** It identifies nothing, such as a closing bracket. */
  | { readonly kind: 'context' }
  | { readonly kind: 'unfit'; readonly reason: Words };

/** Share of common letter pairs from which a line counts as an edited version of another. */
const ALIKE = 0.6;
const MOST_STARTS = 50;

/**
 * Most lines that may disappear without being mentioned: in total, and as a multiple of the piece's own lines. Holders
 * of other blocks are rarely shown whole.
 */
const MOST_GONE = { one: { lines: 60, times: 4 }, holder: { lines: 12, times: 2 } };
const HOLDER = /\b(?:class|interface|impl|namespace|module|trait|struct|enum|object|extension|describe|suite)\b/;

/** Weight of a removed line, compared with 10 for a matching line with content. */
const GONE_WEIGHS = 3;
const COMMENT = /^\s*(?:\/\/|#(?!\s*(?:include|define|if|ifdef|ifndef|endif|pragma)\b)|\/\*|\*|--\s|<!--|;|%)/;

/**
 * Searches from line `from`. `alone`: the piece is the whole block of the answer, so the block of code it opens is
 * shown whole.
 */
export function placePiece(
  file: readonly string[],
  given: readonly string[],
  from: number,
  alone: boolean,
  effort: Effort,
): Placed {
  const piece = trimmed(given);
  if (!piece.some(isTelling)) return { kind: 'context' };
  const there = whereItStands(file, piece, from, effort);
  if (there) return there;
  const skipped = leadingComments(piece, file);
  const body = piece.slice(skipped);
  const [head = ''] = body;
  const starts = findLine(file, head, from, file.length, effort);
  if (starts.length === 0) {
    return unfit(words('Its first line is not in the file: “{0}”.', shown(head)));
  }
  const ends = starts.slice(0, MOST_STARTS).flatMap((start) => {
    const indented = indentAs(body, file[start] ?? '');
    return indented ? [endOf(file, indented, start, alone, effort)] : [];
  });
  const found = ends.filter((end) => end.kind === 'end');
  if (found.length === 0) {
    const [first] = ends;
    return unfit(
      first?.kind === 'noEnd' ? first.reason : words('“{0}” is indented differently in the file.', shown(head)),
    );
  }
  const best = Math.max(...found.map(({ weight }) => weight));
  const winners = found.filter(({ weight }) => weight === best);
  const [winner] = winners;
  if (winners.length > 1)
    return unfit(
      ambiguous(
        shown(head),
        winners.map(({ start }) => start + 1),
      ),
    );
  if (!winner) return unfit(words('Its first line is not in the file: “{0}”.', shown(head)));
  const { start, last, gone } = winner;
  const most = alone && isOneBlock(body) && !HOLDER.test(head) ? MOST_GONE.one : MOST_GONE.holder;
  if (gone > Math.max(most.lines, most.times * body.length)) {
    return unfit(
      words(
        'Lines {0} to {1} of the file are not all in the block (missing: {2}), so the block may be only part of them.',
        ...[start + 1, last + 1, gone],
      ),
    );
  }
  const first = skipped > 0 ? aboveComments(file, start) : start;
  const lines = indentAs(piece, file[start] ?? '', head) ?? piece;
  return { kind: 'placed', first, last, lines };
}

/** Finds the piece in the file when all its lines are there, in this order. */
function whereItStands(file: readonly string[], piece: readonly string[], from: number, effort: Effort): Placed | null {
  const same = (one: string | undefined, other: string | undefined) => {
    effort.line();
    return one?.trim() === other?.trim();
  };
  for (let first = from; first + piece.length <= file.length; first++) {
    if (!same(piece[0], file[first]) || !piece.every((line, at) => same(line, file[first + at]))) continue;
    const moved = indentAs(piece, file[first] ?? '');
    if (!moved?.every((line, at) => line.trimEnd() === file[first + at]?.trimEnd())) continue;
    const last = first + piece.length - 1;
    return { kind: 'placed', first, last, lines: file.slice(first, last + 1) };
  }
  return null;
}

/** True when the piece is the whole file with changes: it begins and ends like the file and covers most of it. */
export function isWholeFile(file: readonly string[], given: readonly string[], effort: Effort): boolean {
  const [piece, lines] = [trimmed(given), trimmed(file)];
  const [first, last] = [lines.find(isTelling)?.trimEnd(), lines.findLast(isTelling)?.trimEnd()];
  const telling = piece.filter(isTelling).map((line) => line.trimEnd());
  const begins = telling.indexOf(first ?? '');
  const ends = telling.lastIndexOf(last ?? '');
  if (begins === -1 || begins > MOST_BEFORE || ends === -1 || telling.length - 1 - ends > MOST_BEFORE) return false;
  const common = commonLines(piece, lines, effort).at(-1)?.lines ?? 0;
  return 5 * common >= 3 * lines.filter((line) => line.trim() !== '').length;
}

const MOST_NAMED = 5;

export function ambiguous(line: string, lines: readonly number[]): Words {
  return words(
    '“{0}” fits the file in {1} places (lines {2}), so it is not clear which one is meant.',
    ...[line, lines.length, listSome(lines, MOST_NAMED)],
  );
}

/** Most lines that a new version of a file may add before the file's first line or after its last. */
const MOST_BEFORE = 10;

type End =
  | {
      readonly kind: 'end';
      readonly start: number;
      readonly last: number;
      readonly weight: number;
      readonly gone: number;
    }
  | { readonly kind: 'noEnd'; readonly reason: Words };

function endOf(file: readonly string[], body: readonly string[], start: number, alone: boolean, effort: Effort): End {
  const last = alone && isOneBlock(body) ? endOfBlock(file, body, start) : null;
  const to = last ?? Math.min(file.length - 1, start + reach(body));
  const tail = body.at(-1) ?? '';
  if (last !== null) return measure(file, body, start, [last], effort);
  // Lines after the file's last line are new.
  let widest = 0;
  for (let length = body.length; length > 0; length--) {
    const line = body[length - 1] ?? '';
    if (line.trim() === '' || widest > width(line)) continue;
    widest = width(line);
    if (length === 1) return measure(file, body.slice(0, 1), start, [start], effort);
    if (length < body.length && !isTelling(line)) continue;
    const ends = findLine(file, line, start + 1, to + 1, effort, indentOf(line));
    if (ends.length > 0) return measure(file, body.slice(0, length), start, ends, effort);
  }
  const reason = words(
    'It begins at line {0} of the file, but its last line does not follow there: “{1}”.',
    ...[start + 1, shown(tail)],
  );
  return { kind: 'noEnd', reason };
}

/**
 * Picks the end that shares most with the piece, minus a penalty for each line removed; the nearest of equals. The
 * first lines always match each other, even where the piece changes that line.
 */
function measure(
  file: readonly string[],
  body: readonly string[],
  start: number,
  ends: readonly number[],
  effort: Effort,
): End {
  const lines = file.slice(start, (ends.at(-1) ?? start) + 1);
  const common = commonLines(body, lines, effort, true);
  /** At `n`: how many of the first `n` lines have content. */
  const saying = [0];
  for (const line of lines) saying.push((saying.at(-1) ?? 0) + (line.trim() === '' ? 0 : 1));
  const measured = ends.map((last) => {
    const { weight, lines: same } = common[last - start + 1] ?? { weight: 0, lines: 0 };
    const gone = Math.max(0, (saying[last - start + 1] ?? 0) - same);
    return { kind: 'end', start, last, weight: weight - GONE_WEIGHS * gone, gone } as const;
  });
  return measured.reduce((best, end) => (end.weight > best.weight ? end : best));
}

/** Maximum distance between the first line and the end of a piece. */
const reach = (body: readonly string[]) => 10 * body.length + 200;

/** True when every line after the first is indented deeper, except a closing line, and all brackets are closed. */
function isOneBlock(body: readonly string[]): boolean {
  const indent = width(body[0] ?? '');
  const inner = body.slice(1, isClosing(body.at(-1) ?? '') ? -1 : undefined).filter((line) => line.trim() !== '');
  if (inner.length === 0 || inner.some((line) => width(line) <= indent)) return false;
  const text = body.join('\n');
  return ['()', '[]', '{}'].every(([open = '', close = '']) => text.split(open).length === text.split(close).length);
}

/** Null when the file's block ends differently from the piece. */
function endOfBlock(file: readonly string[], body: readonly string[], start: number): number | null {
  const indent = width(file[start] ?? '');
  let last = start;
  let at = start + 1;
  for (; at < file.length; at++) {
    const line = file[at] ?? '';
    if (line.trim() === '') continue;
    if (width(line) <= indent) break;
    last = at;
  }
  const closed = width(body.at(-1) ?? '') <= indent;
  if (!closed) return last > start ? last : null;
  const closing = file[at] ?? '';
  return width(closing) === indent && isClosing(closing) ? at : null;
}

/** Lines equal except for white space around them; if there are none, the one most similar line. */
function findLine(
  file: readonly string[],
  line: string,
  from: number,
  to: number,
  effort: Effort,
  indent?: string,
): number[] {
  const wanted = line.trim();
  const [telling, name] = [isTelling(line), nameIn(wanted)];
  const places: number[] = [];
  let best: { at: number; likeness: number } | null = null;
  let second = 0;
  for (let at = from; at < to; at++) {
    const text = file[at] ?? '';
    effort.line();
    if (indent !== undefined && indentOf(text) !== indent) continue;
    if (text.trim() === wanted) places.push(at);
    if (places.length > 0 || !telling) continue;
    const sameName = name === nameIn(text);
    if (sameName) effort.likeness();
    const likeness = sameName ? likenessOf(wanted, text) : 0;
    if (likeness > (best?.likeness ?? 0)) {
      second = best?.likeness ?? 0;
      best = { at, likeness };
    } else second = Math.max(second, likeness);
  }
  if (places.length > 0) return places;
  return best && best.likeness >= ALIKE && best.likeness > second ? [best.at] : [];
}

const KEYWORDS = new Set(
  (
    'export default async await function const let var class interface type enum abstract public private protected internal ' +
    'static readonly final return if else for while do switch case try catch new void def fn func pub impl struct trait mut val ' +
    'fun override import from extends implements package use using namespace module int string bool boolean float double char'
  ).split(' '),
);

/** The first identifier, or the imported module: lines with different names never match, however similar they look. */
function nameIn(line: string): string | null {
  const imported = /^\s*import\b.*(["'].+["'])/.exec(line)?.[1];
  if (imported !== undefined) return imported;
  return (line.match(/[\p{L}\p{N}_$]+/gu) ?? []).find((word) => !KEYWORDS.has(word)) ?? null;
}

/** Shifts the lines so that the first one, or `head`, is indented like `like`; null where that is impossible. */
function indentAs(lines: readonly string[], like: string, head = lines[0] ?? ''): readonly string[] | null {
  const [have, want] = [indentOf(head), indentOf(like)];
  if (have === want) return lines;
  if (want.endsWith(have)) {
    const more = want.slice(0, want.length - have.length);
    return lines.map((line) => (line.trim() === '' ? line : more + line));
  }
  if (!have.startsWith(want)) return null;
  const less = have.slice(want.length);
  if (lines.some((line) => line.trim() !== '' && !line.startsWith(less))) return null;
  return lines.map((line) => (line.trim() === '' ? line : line.slice(less.length)));
}

function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}

/** Number of comment lines before the code where the file does not begin with them: they are new or changed. */
function leadingComments(piece: readonly string[], file: readonly string[]): number {
  const code = piece.findIndex((line) => line.trim() !== '' && !COMMENT.test(line));
  if (code <= 0) return 0;
  const first = (piece[0] ?? '').trim();
  return file.some((line) => line.trim() === first) ? 0 : code;
}

function aboveComments(file: readonly string[], start: number): number {
  let first = start;
  while (first > 0 && COMMENT.test(file[first - 1] ?? '')) first--;
  // Comments at the top of a file describe the whole file.
  return file.slice(0, first).every((line) => line.trim() === '' || COMMENT.test(line)) ? 0 : first;
}

function unfit(reason: Words): Placed {
  return { kind: 'unfit', reason };
}

const LONGEST_SHOWN = 80;
const shown = (line: string) => showInOneLine(line.trim().slice(0, LONGEST_SHOWN));

const indentOf = (line: string) => /^[ \t]*/.exec(line)?.[0] ?? '';

const width = (line: string) => indentOf(line).replaceAll('\t', '    ').length;

const isTelling = (line: string) => /[\p{L}\p{N}_]{2}/u.test(line);

const isClosing = (line: string) => /^\s*(?:[)\]}>;,]+|end;?|<\/[\w.:-]*>|fi|done|esac)\s*$/.test(line);

interface Common {
  /** Lines with content weigh ten times as much as lines that only open or close a block. */
  readonly weight: number;
  /** Number of common lines, blank lines excluded. */
  readonly lines: number;
}

/** Most cells that are compared; more would cause a noticeable delay. */
const MOST_CELLS = 20_000_000;

export class TooMuchToCompare extends Error {}

/**
 * Budget for placing a block, in cells of a comparison. Throws `TooMuchToCompare` when exceeded; most blocks use a
 * hundredth of it.
 */
export class Effort {
  #left = 5 * MOST_CELLS;

  cells(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooMuchToCompare();
  }

  /** Comparing two lines for equality costs as much as this many cells. */
  line(): void {
    this.cells(20);
  }

  /** Comparing two lines for similarity. */
  likeness(): void {
    this.cells(1_000);
  }
}

/**
 * At `n`: the longest common subsequence of `piece` and `file[0..n - 1]`. With `begun`, the first lines count as equal whatever they
 * contain.
 */
function commonLines(piece: readonly string[], file: readonly string[], effort: Effort, begun = false): Common[] {
  const cells = piece.length * file.length;
  if (cells > MOST_CELLS) return [];
  effort.cells(cells);
  const keys = new Map<string, number>();
  const key = (line: string) => {
    const text = line.trimEnd();
    if (text === '') return -1;
    const known = keys.get(text) ?? keys.size;
    keys.set(text, known);
    return known;
  };
  const [ours, theirs] = [piece.map(key), file.map(key)];
  if (begun && ours.length > 0 && theirs.length > 0) ours[0] = theirs[0] ?? -1;
  const columns = theirs.length + 1;
  let above = new Int32Array(columns);
  let aboveLines = new Int32Array(columns);
  for (const [row, mine] of ours.entries()) {
    const weight = /[\p{L}\p{N}_]{2}/u.test(piece[row] ?? '') ? 10 : 1;
    const here = new Int32Array(columns);
    const hereLines = new Int32Array(columns);
    for (let column = 1; column < columns; column++) {
      const [up = 0, left = 0] = [above[column], here[column - 1]];
      here[column] = Math.max(up, left);
      hereLines[column] = (up >= left ? aboveLines[column] : hereLines[column - 1]) ?? 0;
      if (mine === -1 || mine !== theirs[column - 1]) continue;
      const both = (above[column - 1] ?? 0) + weight;
      if (both < (here[column] ?? 0)) continue;
      here[column] = both;
      hereLines[column] = (aboveLines[column - 1] ?? 0) + 1;
    }
    above = here;
    aboveLines = hereLines;
  }
  return Array.from(above, (weight, at) => ({ weight, lines: aboveLines[at] ?? 0 }));
}
