/** Cuts a summary that is longer than it may be: at the end of a sentence where there is one, never above a limit. */

import { countTokens, takeTokens, wellFormedStart } from '../../tokens/estimate.ts';

/** In the unit that the model was asked in, and always in tokens. */
export interface SummaryLimits {
  readonly tokens: number;
  /** UTF-16 units. */
  readonly characters?: number;
  /** A Chinese character counts as one. */
  readonly words?: number;
}

/** At the end of a summary of which the rest is gone, on a line of its own. */
export const CUT_AT_LIMIT = '\n(These notes were cut at the output limit.)';
export const CUT_AT_LENGTH = '\n(The rest was cut.)';

/** The end of a cut summary in any journal: not repeated in a newer one. */
const CUT_MARK = /(?:\n|^)\((?:These notes were cut at the output limit|The rest was cut)\.\)$/gm;

export const withoutCutMarks = (text: string): string => text.replace(CUT_MARK, '');

/**
 * The text with `tail` behind it, within the limits. `ended`: the model's answer had already reached its own. `cut`:
 * number of characters that are left out here.
 */
export function fitSummary(
  text: string,
  limits: SummaryLimits,
  tail: string,
  ended: boolean,
): { readonly text: string; readonly cut: number } {
  const whole = text + (ended ? CUT_AT_LIMIT : '') + tail;
  if (isWithin(whole, limits)) return { text: whole, cut: 0 };
  const { tokens, characters, words } = limits;
  const mark = characters === undefined && words === undefined ? CUT_AT_LIMIT : CUT_AT_LENGTH;
  const end = mark + tail;
  // An estimate of two parts may differ a little from the sum.
  const room = tokens - countTokens(end) - 2;
  const start = cutAtSentence(
    text,
    Math.min(
      takeTokens(text, Math.max(1, room)).length,
      Math.max(1, (characters ?? Number.POSITIVE_INFINITY) - end.length),
      words === undefined ? Number.POSITIVE_INFINITY : endOfWord(text, words - wordsIn(end)),
    ),
  );
  return { text: start + end, cut: text.length - start.length };
}

function isWithin(text: string, { tokens, characters, words }: SummaryLimits): boolean {
  return (
    text.length <= (characters ?? Number.POSITIVE_INFINITY) &&
    countTokens(text) <= tokens &&
    (words === undefined || wordsIn(text) <= words)
  );
}

const WORD = /\p{Script=Han}|[^\s\p{Script=Han}]+/gu;

const wordsIn = (text: string): number => text.match(WORD)?.length ?? 0;

/** Index after the word with this number. */
function endOfWord(text: string, number: number): number {
  let left = Math.max(1, number);
  for (const match of text.matchAll(WORD)) if (--left === 0) return match.index + match[0].length;
  return text.length;
}

/** The number of a list's item is no end. A new line is one where the next begins something else. */
const SENTENCE_END =
  /(?:(?<!(?:^|\n)[ \t]*\d{1,3})\.|[!?…])["'”’)\]*_`]*(?=\s)|[。！？]["'”’」』）]*|\n(?=[ \t]*(?:\n|[-*+•#<|]|\d{1,3}[.)]\s))/g;

/** Less than this share of what may stay is no part worth keeping: then it is cut between two words. */
const LEAST = 0.25;

/** The start of the text, of at most `length` UTF-16 units, up to the end of its last sentence. */
export function cutAtSentence(text: string, length: number): string {
  if (text.length <= length) return text;
  const seen = text.slice(0, length + 1);
  const start = lastWithin(seen, SENTENCE_END, length) || lastWithin(seen, /\s(?!\s)/g, length) || length;
  return wellFormedStart(text, start).trimEnd();
}

/** Where the last match ends. 0 when too little would stay. */
function lastWithin(text: string, end: RegExp, length: number): number {
  let last = 0;
  for (const match of text.matchAll(end)) {
    const at = match.index + match[0].length;
    if (at <= length) last = at;
  }
  return last >= length * LEAST ? last : 0;
}
