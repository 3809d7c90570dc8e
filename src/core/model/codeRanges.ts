/** Finds the code in Markdown: fenced blocks, and spans in backticks on one line. Time is linear in the length of the text. */

/** `end` is exclusive; both in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

interface Fence extends TextRange {
  /** The text between the two lines of the fence. */
  readonly inside: TextRange;
  /** The word behind the opening marks, in lower case. */
  readonly info: string;
}

const OPENING = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\n]*?)[ \t]*$/;

/** In order. A fence that nothing closes is none. */
export function findFences(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: { readonly start: number; readonly inside: number; readonly marks: string; readonly info: string } | null =
    null;
  for (const line of linesOf(text)) {
    const [, marks = '', info = ''] = OPENING.exec(text.slice(line.start, line.end)) ?? [];
    if (marks === '') continue;
    if (!open)
      open = { start: line.start, inside: Math.min(text.length, line.end + 1), marks, info: info.toLowerCase() };
    else if (info === '' && marks.startsWith(open.marks)) {
      const inside = { start: open.inside, end: Math.max(open.inside, line.start - 1) };
      fences.push({ start: open.start, end: line.end, inside, info: open.info });
      open = null;
    }
  }
  return fences;
}

/** Fenced blocks and spans, in order. */
export function findCode(text: string): readonly TextRange[] {
  const fences = findFences(text);
  const found: TextRange[] = [];
  let next = 0;
  /** The next backtick: looked for once, not from each line. */
  let tick = text.indexOf('`');
  for (const line of linesOf(text)) {
    if (tick >= 0 && tick < line.start) tick = text.indexOf('`', line.start);
    while (next < fences.length && (fences[next] as Fence).end < line.start) next++;
    const fence = fences[next];
    if (fence && fence.start <= line.start) {
      if (fence.start === line.start) found.push({ start: fence.start, end: fence.end });
    } else if (tick >= 0 && tick < line.end) found.push(...spansIn(text, line));
  }
  return found;
}

/** True when one of the ranges, which are in order, holds the position. */
export function isWithin(ranges: readonly TextRange[], at: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as TextRange).end <= at) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range !== undefined && range.start <= at;
}

/** Kinds of fences that models put around a whole answer in prose. */
const PROSE = /^(markdown|md|text|txt|xml|html)?$/;

/** The inside of the fence around a whole answer; the text itself without one. */
export function withoutOuterFence(text: string): string {
  const trimmed = text.trim();
  if (!/^[`~]{3}/.test(trimmed)) return text;
  const [first, second] = findFences(trimmed);
  if (!first || first.start > 0 || !PROSE.test(first.info)) return text;
  if (!second && first.end === trimmed.length) return trimmed.slice(first.inside.start, first.inside.end);
  // A fence inside ends the outer one, as Markdown reads it; one that is named as prose was meant to go on.
  const last = /\n(`{3,}|~{3,})[ \t]*$/.exec(trimmed);
  return first.info !== '' && last ? trimmed.slice(first.inside.start, last.index) : text;
}

function* linesOf(text: string): Generator<TextRange> {
  for (let start = 0; start <= text.length; ) {
    const at = text.indexOf('\n', start);
    const end = at < 0 ? text.length : at;
    yield { start, end };
    start = end + 1;
  }
}

/** A span ends at the next run of as many backticks in its line. */
function* spansIn(text: string, { start, end }: TextRange): Generator<TextRange> {
  const runs: TextRange[] = [];
  for (let at = text.indexOf('`', start); at >= 0 && at < end; ) {
    let after = at;
    while (after < end && text[after] === '`') after++;
    runs.push({ start: at, end: after });
    at = text.indexOf('`', after);
  }
  const lengthOf = (run: TextRange) => run.end - run.start;
  /** By length: the runs of that length, and how many of them are passed. */
  const byLength = new Map<number, { readonly runs: number[]; passed: number }>();
  for (const [i, run] of runs.entries()) {
    const same = byLength.get(lengthOf(run)) ?? { runs: [], passed: 0 };
    same.runs.push(i);
    byLength.set(lengthOf(run), same);
  }
  for (let i = 0; i < runs.length; i++) {
    const run = runs[i] as TextRange;
    const same = byLength.get(lengthOf(run));
    if (!same) continue;
    while ((same.runs[same.passed] ?? Number.POSITIVE_INFINITY) <= i) same.passed++;
    const closing = same.runs[same.passed];
    if (closing === undefined) continue;
    yield { start: run.start, end: (runs[closing] as TextRange).end };
    i = closing;
  }
}
