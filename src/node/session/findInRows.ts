/**
 * Finds a text in all rows of a conversation, including those that the panel does not hold. Matches are counted as the
 * panel shows them: Markdown marks are not part of the text. Long conversations are searched in slices.
 */

import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { RowPage } from '../../core/transcript/transcript.ts';
import { inEnglish } from '../../core/words.ts';
import { rowText } from '../../protocol/rows.ts';

interface FoundRow {
  readonly rowId: string;
  /** Number of matches in it. */
  readonly count: number;
}

/** Rows searched at a time. */
const PAGE = 300;
/** Maximum rows reported; the oldest are omitted. */
const MOST_FOUND = 5_000;

/** Oldest first. `isWanted` turns false when something else is searched for: the answer is then discarded. */
export async function findInRows(
  query: string,
  rowsBefore: (id: string | null, count: number) => RowPage,
  isWanted: () => boolean,
): Promise<FoundRow[]> {
  const sought = query.toLowerCase();
  const found: FoundRow[] = [];
  if (sought === '') return found;
  for (let before: string | null = null; isWanted() && found.length < MOST_FOUND; ) {
    const { rows, more }: RowPage = rowsBefore(before, PAGE);
    for (const row of rows.toReversed()) {
      const count = countIn(rowText(row, inEnglish, textAsShown), sought);
      if (count > 0) found.push({ rowId: row.id, count });
    }
    before = rows[0]?.id ?? null;
    if (!more || before === null) break;
    await yieldTurn();
  }
  return found.slice(0, MOST_FOUND).reverse();
}

function countIn(text: string, sought: string): number {
  const whole = text.toLowerCase();
  let count = 0;
  for (let at = whole.indexOf(sought); at >= 0; at = whole.indexOf(sought, at + sought.length)) count++;
  return count;
}

/** An answer without its emphasis, headings and link targets; code stays unchanged. */
export function textAsShown(markdown: string): string {
  return markdown
    .split(/(^```[\s\S]*?(?:^```|$(?![\s\S])))/m)
    .map((part, index) => (index % 2 === 1 ? part.replace(/^```.*$/gm, '') : withoutMarks(part)))
    .join('\n');
}

function withoutMarks(text: string): string {
  return text
    .split('\n')
    .map(withoutTargets)
    .join('\n')
    .replace(/^ {0,3}(?:#{1,6}|>|[-*+]|\d+[.)])[ \t]+/gm, '')
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}|`+/g, '');
}

/** A line with its links and images replaced by their text. Reads each character once. */
function withoutTargets(line: string): string {
  const lastEnd = line.lastIndexOf(')');
  let shown = '';
  let from = 0;
  /** Where the text of a link may begin. */
  let begin = -1;
  for (let at = 0; at < lastEnd; at++) {
    if (line[at] === '[' && begin < 0) begin = at;
    if (line[at] !== ']' || begin < 0) continue;
    if (line[at + 1] === '(' && at + 1 < lastEnd) {
      const isImage = begin > from && line[begin - 1] === '!';
      shown += line.slice(from, isImage ? begin - 1 : begin) + line.slice(begin + 1, at);
      at = line.indexOf(')', at);
      from = at + 1;
    }
    begin = -1;
  }
  return shown + line.slice(from);
}
