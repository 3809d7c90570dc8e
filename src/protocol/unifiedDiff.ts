/**
 * A line diff of two texts as people read it: hunks with three lines of context. Pure; the result applied to the first
 * text gives the second.
 */

export interface TextDiff {
  /** Hunks without file names, or empty when nothing differs. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

type Line = { readonly sign: ' ' | '-' | '+'; readonly text: string };

const CONTEXT = 3;
/** Above this many cells the differing middle is shown as removed and added whole: exact, only less fine. */
const MAX_CELLS = 4_000_000;

export function diffTexts(before: string, after: string): TextDiff {
  const lines = diffLines(splitLines(before), splitLines(after));
  return {
    diff: formatHunks(lines),
    added: lines.filter((line) => line.sign === '+').length,
    removed: lines.filter((line) => line.sign === '-').length,
  };
}

/** Line breaks stay with their lines, so that a last line without one differs from one with it. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function diffLines(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let tail = 0;
  const room = Math.min(before.length, after.length) - start;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const middle = diffMiddle(before.slice(start, before.length - tail), after.slice(start, after.length - tail));
  return [...marked(' ', before.slice(0, start)), ...middle, ...marked(' ', before.slice(before.length - tail))];
}

const marked = (sign: Line['sign'], texts: readonly string[]): Line[] => texts.map((text) => ({ sign, text }));

/** Longest common subsequence; `common[i * width + j]` is its length for the rests from line i and line j on. */
function diffMiddle(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length * after.length > MAX_CELLS) return [...marked('-', before), ...marked('+', after)];
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ sign: ' ', text: before[i++] ?? '' });
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ sign: '-', text: before[i++] ?? '' });
    else lines.push({ sign: '+', text: after[j++] ?? '' });
  }
  return [...lines, ...marked('-', before.slice(i)), ...marked('+', after.slice(j))];
}

function formatHunks(lines: readonly Line[]): string {
  const changed = lines.flatMap((line, index) => (line.sign === ' ' ? [] : [index]));
  const hunks: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = hunks.at(-1);
    if (last && index - last.to <= 2 * CONTEXT) last.to = index + 1;
    else hunks.push({ from: index, to: index + 1 });
  }
  return hunks.map(({ from, to }) => formatHunk(lines, Math.max(0, from - CONTEXT), to + CONTEXT)).join('');
}

function formatHunk(lines: readonly Line[], from: number, to: number): string {
  const hunk = lines.slice(from, to);
  const before = lines.slice(0, from);
  const range = (other: '+' | '-') => {
    const length = hunk.filter((line) => line.sign !== other).length;
    const start = before.filter((line) => line.sign !== other).length;
    return `${length === 0 ? start : start + 1},${length}`;
  };
  return `@@ -${range('+')} +${range('-')} @@\n${hunk.map(formatLine).join('')}`;
}

function formatLine({ sign, text }: Line): string {
  return text.endsWith('\n') ? `${sign}${text}` : `${sign}${text}\n\\ No newline at end of file\n`;
}
