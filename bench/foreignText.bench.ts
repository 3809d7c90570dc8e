/**
 * F19: reading text from outside takes time in proportion to its length. Each reader gets texts of many shapes that are
 * made to be slow, at one length and at four times that; what grows too much is measured once more at sixteen times.
 */

import { ENTRIES, FAMILIES } from './support/foreignTexts.ts';
import type { Line } from './support/line.ts';

export const id = 'F19';

const LENGTH = 12_000;
/** Four times as long in proportion is 4, by the square 16. Collecting garbage makes some of 4 more. */
const MOST_GROWTH = 9;
/** In milliseconds: less says nothing about growth. */
const TOLD = 10;

export async function run(): Promise<Line[]> {
  const slow: string[] = [];
  for (const [reader, read] of Object.entries(ENTRIES)) {
    for (const [family, make] of FAMILIES) {
      if (await grows(read, make)) slow.push(`${reader} (${family})`);
    }
  }
  const count = Object.keys(ENTRIES).length;
  return [
    {
      id,
      name: `readers of foreign text that take more than in proportion, ${FAMILIES.length} shapes each${slow.length > 0 ? `: ${slow.slice(0, 5).join('; ')}` : ''}`,
      figure: `${slow.length} of ${count * FAMILIES.length}`,
      goal: 'none',
      ok: slow.length === 0,
    },
  ];
}

async function grows(read: (text: string) => unknown, make: (length: number) => string): Promise<boolean> {
  const larger = await cost(read, make(4 * LENGTH));
  if (larger < TOLD) return false;
  if (larger < MOST_GROWTH * (await cost(read, make(LENGTH)))) return false;
  // Bounded work may grow up to its bound.
  return (await cost(read, make(16 * LENGTH))) >= MOST_GROWTH * larger;
}

/** Milliseconds of this process, the least of three. */
async function cost(read: (text: string) => unknown, text: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3 && least >= TOLD; round++) {
    const before = process.cpuUsage();
    await read(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
