/**
 * Which of several encodings a line was written in: the one in which its characters beyond ASCII stand as they do in text,
 * letters beside letters of their script and frames beside frames. Pure.
 */

import { decoderOf } from './codePages.ts';

/** Bytes that are looked at. */
const MOST_BYTES = 4_096;

/** The first of those that fit best. `encodings` holds at least one. */
export function likeliestEncoding(line: Buffer, encodings: readonly string[]): string {
  const [first = 'utf-8', ...others] = encodings;
  if (others.length === 0) return first;
  const scored = encodings.map((name) => ({
    name,
    score: score(decoderOf(name).decode(line.subarray(0, MOST_BYTES))),
  }));
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).name;
}

function score(text: string): number {
  const all = [...text];
  return all.reduce(
    (sum, each, at) => (each > '\x7f' ? sum + weigh(each, all[at - 1] ?? ' ', all[at + 1] ?? ' ') : sum),
    0,
  );
}

/** Signs among the letters, as ordinals and powers are written. */
const LETTER = /[\p{L}--[ªºⁿµ]]/v;
const FRAME = /[\u2500-\u259F]/u;

/** Above 0 for a character that is likely between its neighbours, below it for one that is not. */
function weigh(character: string, before: string, after: string): number {
  const beside = [before, after];
  if (/[\p{Cc}\uFFFD]/u.test(character)) return -2;
  if (FRAME.test(character)) {
    if (beside.every((each) => /[\p{L}\p{N}]/u.test(each))) return -1;
    if (beside.some((each) => FRAME.test(each))) return 1;
    return /[│║]/u.test(character) && beside.every((each) => /\s/.test(each)) ? 0.5 : 0;
  }
  if (!LETTER.test(character)) return 0;
  // Within a word, or in a line that is drawn.
  if (/\p{Lu}/u.test(character) && /\p{Ll}/u.test(before)) return -1;
  if (character === before && character === after) return -1;
  const letters = beside.filter((each) => LETTER.test(each));
  if (letters.length === 0) return /\p{Lu}/u.test(character) ? 0 : 0.5;
  return letters.every((each) => isLatin(each) === isLatin(character)) ? 1 : -1;
}

const isLatin = (letter: string) => /\p{Script=Latin}/u.test(letter);
