/**
 * The text that a refused call needed, from messages that a compaction took from view. The lab uses the same search to count what
 * a refusal brings back.
 */

import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import { LINE_NUMBER } from '../../tools/text/findText.ts';

/** Tokens of it after a refused edit, which also names the nearest lines of the file itself. */
export const EDIT_TOKENS = 150;

export interface HiddenMessage {
  readonly name: string;
  readonly text: string;
}

/** Shorter lines occur everywhere. */
const SHORTEST = 6;

/**
 * The lines around those that are wanted, from the message with most of them; empty where none has any. `hidden`: the
 * newest first, which is read only as far as needed. `recalls`: the model can read them whole.
 */
export function describeHiddenText(
  texts: readonly string[],
  hidden: Iterable<HiddenMessage>,
  tokens: number,
  recalls = true,
): string {
  const wanted = new Set(
    texts.flatMap((text) => text.split('\n').map((line) => line.trim())).filter((line) => line.length >= SHORTEST),
  );
  if (wanted.size === 0) return '';
  const isWanted = (line: string) => wanted.has(bare(line)) || (wanted.size === 1 && hasName(line, [...wanted][0]));
  let best: { readonly name: string; readonly lines: readonly string[]; readonly found: number } | null = null;
  for (const { name, text } of hidden) {
    const lines = text.split('\n');
    const found = new Set(lines.filter(isWanted).map(bare)).size;
    if (found > (best?.found ?? 0)) best = { name, lines, found };
    if (found >= wanted.size) break;
  }
  if (!best) return '';
  const { name, lines } = best;
  const heading = `${name}, which a compaction took from view, said (${recalls ? 'recall gives all of it; ' : ''}files may have changed since):`;
  const left = tokens - countTokens(heading);
  return left <= 0 ? '' : `${heading}\n${takeTokens(linesFrom(lines, lines.findIndex(isWanted), left), left)}`;
}

/** Other programs number the lines of a file, and their sessions go on here. */
const bare = (line: string): string => line.replace(LINE_NUMBER, '').trim();

/** For a single wanted text, such as a file's name, a line that only contains it counts, too. */
const hasName = (line: string, name = ''): boolean => line.length < 1_000 && line.includes(name);

/** Lines before the first wanted line that are shown with it. */
const BEFORE = 2;

const LONGEST_LINE = 300;

function linesFrom(lines: readonly string[], at: number, tokens: number): string {
  const shown: string[] = [];
  let used = 0;
  for (const line of lines.slice(Math.max(0, at - BEFORE))) {
    const cut = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
    used += countTokens(cut) + 1;
    if (used > tokens && shown.length > BEFORE) break;
    shown.push(cut);
  }
  return shown.join('\n').trimEnd();
}

/** Tokens of what is added. */
export const MOST_TOKENS = 300;
