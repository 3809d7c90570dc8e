/** Lines by which a block says that it leaves code out (`// … existing code …`). What stands between them are its pieces. Pure. */

const MARK = String.raw`(?:\/\/+|#+|--|;+|%|\{?\s*\/\*+|<!--)`;
const DOTS = new RegExp(String.raw`^\s*(?:${MARK}\s*)?(?:\.{3,}|…)\s*(?:\*\/\s*\}?|-->)?\s*$`);
const MARKED_DOTS = new RegExp(
  String.raw`^\s*${MARK}\s*(?:[([{]\s*)?(?:\.{3}|…)|^\s*${MARK}.*(?:\.{3}|…)\s*[)\]}]?\s*(?:\*\/\s*\}?|-->)?\s*$`,
);
const SAID = new RegExp(
  String.raw`^\s*${MARK}\s*.*(?:\b(?:existing|unchanged|remaining|previous|other|rest of(?: the)?)\s+(?:code|file|function|class|methods?|imports?|implementation|body)\b|\b(?:unchanged|stays the same|remains the same)\b|其余|保持不变|省略|原有代码)`,
  'i',
);

/** `known` are the lines of the file, trimmed: what stands there leaves nothing out. Pieces without text are left out. */
export function splitAtElisions(lines: readonly string[], known: ReadonlySet<string>): string[][] {
  const pieces: string[][] = [[]];
  for (const line of lines) {
    if (leavesOut(line) && !known.has(line.trim())) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  const filled = pieces.filter((piece) => piece.some((line) => line.trim() !== ''));
  // One piece beside a mark is no whole: nothing may be taken for left out.
  return pieces.length > 1 && filled.length === 1 ? [...filled, []] : filled;
}

function leavesOut(line: string): boolean {
  return DOTS.test(line) || MARKED_DOTS.test(line) || SAID.test(line);
}
