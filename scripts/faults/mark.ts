/** The output of a writer that may die at any moment: each mark is one line through a pipe, which the kernel keeps. */

import { writeSync } from 'node:fs';
import { seededRandom } from '../../src/core/seededRandom.ts';

/**
 * Entry `i` of a life and the body stored with it are the same for the child that writes them and the parent that looks
 * for them.
 */
export function textOf(writer: string, i: number): string {
  const random = seededRandom(
    [...`${writer} ${i}`].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7),
  );
  random();
  return `${writer} ${i} ${'é'.repeat(random() < 0.06 ? 1_500_000 : 30)}`;
}

export function bodyOf(i: number): Buffer {
  return Buffer.alloc(300_000, i % 16);
}

export type Mark = 'entry' | 'body';

export function report(mark: Mark, i: number): void {
  writeSync(1, `${mark} ${i}\n`);
}
