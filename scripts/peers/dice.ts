/** What one seed decides. Invariant: the same seed gives the same throws in the same order. */

import { seededRandom } from '../../src/core/seededRandom.ts';

export interface Dice {
  /** From 0, below `count`. */
  below(count: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
  /** True in `share` of the throws. */
  chance(share: number): boolean;
  /** From 0.75 to 1.25 times the size, in any order: together as much as with any other seed. */
  spread(count: number, size: number): number[];
}

export function throwDice(seed: number): Dice {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const shuffle = <T>(items: readonly T[]): T[] => {
    const left = [...items];
    return Array.from(items, () => left.splice(below(left.length), 1)[0] as T);
  };
  return {
    below,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    shuffle,
    chance: (share) => random() < share,
    spread: (count, size) => shuffle(Array.from({ length: count }, (_, at) => size * (0.75 + at / (2 * (count - 1))))),
  };
}
