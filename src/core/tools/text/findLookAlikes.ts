/** Lines of a text that look like what was searched for in vain, so that a refused edit says where it nearly fits. */

import { showHidden } from './showHidden.ts';

const MOST_LOOK_ALIKES = 3;
/** Share of common letter pairs from which two lines look alike. */
const LEAST_LIKENESS = 0.5;
/** Characters of a line that are compared and shown. */
const LONGEST_LINE = 200;
const MOST_LINES = 20_000;

export interface LookAlike {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** True when only white space differs. */
  readonly spacingOnly: boolean;
}

/** Best first. Only the search's longest line is compared: it says most. */
export function findLookAlikes(text: string, search: string): LookAlike[] {
  const wanted = longestLine(search);
  const key = squeeze(wanted);
  if (key === '') return [];
  const wantedPairs = letterPairs(key);
  return text
    .split(/\r\n|\n/u, MOST_LINES)
    .map((line, index) => ({ index, line, likeness: likeness(key, wantedPairs, line) }))
    .filter((candidate) => candidate.likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || a.index - b.index)
    .slice(0, MOST_LOOK_ALIKES)
    .map(({ index, line }) => ({
      line: index + 1,
      text: showHidden(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line),
      spacingOnly: squeeze(line) === key && line !== wanted,
    }));
}

function longestLine(text: string): string {
  return text.split(/\r\n|\n/u).reduce((best, line) => (squeeze(line).length > squeeze(best).length ? line : best), '');
}

function squeeze(line: string): string {
  return line.slice(0, LONGEST_LINE).trim().replace(/\s+/gu, ' ');
}

function letterPairs(text: string): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < text.length; index += 1) {
    const pair = text.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** From 0 to 1, white space left out of account. */
export function likenessOf(one: string, other: string): number {
  const key = squeeze(one);
  return key === '' ? 0 : likeness(key, letterPairs(key), other);
}

/** Dice's coefficient over letter pairs, from 0 to 1. */
function likeness(key: string, wanted: ReadonlyMap<string, number>, line: string): number {
  const other = squeeze(line);
  if (other === key) return 1;
  const shorter = Math.min(other.length, key.length) - 1;
  const both = other.length + key.length - 2;
  // Even if every pair of the shorter were common, it could not be enough.
  if (both <= 0 || (2 * shorter) / both < LEAST_LIKENESS) return 0;
  let common = 0;
  for (const [pair, count] of letterPairs(other)) common += Math.min(count, wanted.get(pair) ?? 0);
  return (2 * common) / both;
}
