/**
 * Finds the lines of a file that a piece of code stands for: its first line says where they begin, its last line or the
 * block of code that it opens says where they end. Pure. A piece that could be meant for several places fits none.
 */

import { likenessOf } from '../tools/text/findText.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import { type Words, words } from '../words.ts';

export type Placed =
  /** Lines of the file, the last included, and what takes their place, indented as the file is. */
  | { readonly kind: 'placed'; readonly first: number; readonly last: number; readonly lines: readonly string[] }
  /** It says nothing, such as a closing bracket. */
  | { readonly kind: 'context' }
  | { readonly kind: 'unfit'; readonly reason: Words };

/** Share of common letter pairs from which a line is taken for another one that was changed. */
const ALIKE = 0.6;
const MOST_STARTS = 50;

/** Lines that may go without being said, and how many times those of the piece. What holds others is seldom shown whole. */
const MOST_GONE = { one: { lines: 60, times: 4 }, holder: { lines: 12, times: 2 } };
const HOLDER = /\b(?:class|interface|impl|namespace|module|trait|struct|enum|object|extension|describe|suite)\b/;

/** Beside a line that says something, which weighs 10. */
const GONE_WEIGHS = 3;
const COMMENT = /^\s*(?:\/\/|#(?!\s*(?:include|define|if|ifdef|ifndef|endif|pragma)\b)|\/\*|\*|--\s|<!--|;|%)/;

/** Looks from line `from` on. `alone`: the piece is all that the block says, so the block of code that it opens is shown whole. */
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
        'From line {0} to line {1} the file has {2} lines that are not in the block, so the block may be only part of them.',
        ...[start + 1, last + 1, gone],
      ),
    );
  }
  const first = skipped > 0 ? aboveComments(file, start) : start;
  const lines = indentAs(piece, file[start] ?? '', head) ?? piece;
  return { kind: 'placed', first, last, lines };
}

/** The file says all of it already, in this order. */
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

/** The piece is the whole file with changes: it begins and ends as the file does, and says most of it. */
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
  const named = lines.slice(0, MOST_NAMED).join(', ');
  return words(
    '“{0}” fits the file in {1} places (lines {2}), so it is not clear which one is meant.',
    ...[line, lines.length, lines.length > MOST_NAMED ? `${named}, …` : named],
  );
}

/** Lines that a new version of a file may begin or end with. */
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
  // Lines after the last one that the file has are new.
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
 * The end with which the piece has most in common, less for each line that would be gone; the nearest of several. The
 * first lines stand for each other, also where the piece changes it.
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
  /** At `n`: how many of the first `n` lines say something. */
  const saying = [0];
  for (const line of lines) saying.push((saying.at(-1) ?? 0) + (line.trim() === '' ? 0 : 1));
  const measured = ends.map((last) => {
    const { weight, lines: same } = common[last - start + 1] ?? { weight: 0, lines: 0 };
    const gone = Math.max(0, (saying[last - start + 1] ?? 0) - same);
    return { kind: 'end', start, last, weight: weight - GONE_WEIGHS * gone, gone } as const;
  });
  return measured.reduce((best, end) => (end.weight > best.weight ? end : best));
}

/** How far after its first line a piece may end. */
const reach = (body: readonly string[]) => 10 * body.length + 200;

/** Everything after the first line is indented deeper, but for a closing line; its brackets are closed. */
function isOneBlock(body: readonly string[]): boolean {
  const indent = width(body[0] ?? '');
  const inner = body.slice(1, isClosing(body.at(-1) ?? '') ? -1 : undefined).filter((line) => line.trim() !== '');
  if (inner.length === 0 || inner.some((line) => width(line) <= indent)) return false;
  const text = body.join('\n');
  return ['()', '[]', '{}'].every(([open = '', close = '']) => text.split(open).length === text.split(close).length);
}

/** Null where the file's block ends in another way than the piece. */
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

/** Lines that are the same but for white space around them; where there are none, the one line that is most like it. */
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

/** The first word that is a name, or the module that is imported: a line with another one is another line, however alike they look. */
function nameIn(line: string): string | null {
  const imported = /^\s*import\b.*(["'].+["'])/.exec(line)?.[1];
  if (imported !== undefined) return imported;
  return (line.match(/[\p{L}\p{N}_$]+/gu) ?? []).find((word) => !KEYWORDS.has(word)) ?? null;
}

/** The lines moved so that the first one, or `head`, is indented as `like`; null where that cannot be. */
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

/** How many comment lines stand before the code where the file does not begin so: they are new, or were changed. */
function leadingComments(piece: readonly string[], file: readonly string[]): number {
  const code = piece.findIndex((line) => line.trim() !== '' && !COMMENT.test(line));
  if (code <= 0) return 0;
  const first = (piece[0] ?? '').trim();
  return file.some((line) => line.trim() === first) ? 0 : code;
}

function aboveComments(file: readonly string[], start: number): number {
  let first = start;
  while (first > 0 && COMMENT.test(file[first - 1] ?? '')) first--;
  // What a file begins with describes all of it.
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

/** The longest common subsequence of two lists of lines, for each beginning of the second one, and what comparing costs. */
interface Common {
  /** Lines that say something count ten times those that only open or close. */
  readonly weight: number;
  /** How many there are, blank lines left out. */
  readonly lines: number;
}

/** Cells that are compared; more would be felt. */
const MOST_CELLS = 20_000_000;

export class TooMuchToCompare extends Error {}

/** What a block may cost to place, in cells of a comparison. Throws `TooMuchToCompare` beyond: most blocks cost a hundredth. */
export class Effort {
  #left = 5 * MOST_CELLS;

  cells(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooMuchToCompare();
  }

  /** Whether two lines are the same takes as long as this many cells. */
  line(): void {
    this.cells(20);
  }

  /** How alike they are. */
  likeness(): void {
    this.cells(1_000);
  }
}

/**
 * At `n`: what `piece` has in common with `file[0..n - 1]`. With `begun`, the first lines stand for each other whatever
 * they say.
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
