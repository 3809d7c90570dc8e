/** The longest common subsequence of two lists of lines, for each beginning of the second one, and what comparing costs. */

export interface Common {
  /** Lines that say something count ten times those that only open or close. */
  readonly weight: number;
  /** How many there are, blank lines left out. */
  readonly lines: number;
}

/** Cells that are compared; more would be felt. */
const MOST_CELLS = 20_000_000;

export class TooMuchToCompare extends Error {}

/** What a block may cost to place, in cells of a comparison. Throws `TooMuchToCompare` beyond: most blocks cost a hundredth. */
export class Effort {
  #left = 5 * MOST_CELLS;

  cells(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooMuchToCompare();
  }

  /** Whether two lines are the same takes as long as this many cells. */
  line(): void {
    this.cells(20);
  }

  /** How alike they are. */
  likeness(): void {
    this.cells(1_000);
  }
}

/**
 * At `n`: what `piece` has in common with `file[0..n - 1]`. With `begun`, the first lines stand for each other whatever
 * they say.
 */
export function commonLines(
  piece: readonly string[],
  file: readonly string[],
  effort: Effort,
  begun = false,
): Common[] {
  const cells = piece.length * file.length;
  if (cells > MOST_CELLS) return [];
  effort.cells(cells);
  const keys = new Map<string, number>();
  const key = (line: string) => {
    const text = line.trimEnd();
    if (text === '') return -1;
    const known = keys.get(text) ?? keys.size;
    keys.set(text, known);
    return known;
  };
  const [ours, theirs] = [piece.map(key), file.map(key)];
  if (begun && ours.length > 0 && theirs.length > 0) ours[0] = theirs[0] ?? -1;
  const columns = theirs.length + 1;
  let above = new Int32Array(columns);
  let aboveLines = new Int32Array(columns);
  for (const [row, mine] of ours.entries()) {
    const weight = /[\p{L}\p{N}_]{2}/u.test(piece[row] ?? '') ? 10 : 1;
    const here = new Int32Array(columns);
    const hereLines = new Int32Array(columns);
    for (let column = 1; column < columns; column++) {
      const [up = 0, left = 0] = [above[column], here[column - 1]];
      here[column] = Math.max(up, left);
      hereLines[column] = (up >= left ? aboveLines[column] : hereLines[column - 1]) ?? 0;
      if (mine === -1 || mine !== theirs[column - 1]) continue;
      const both = (above[column - 1] ?? 0) + weight;
      if (both < (here[column] ?? 0)) continue;
      here[column] = both;
      hereLines[column] = (aboveLines[column - 1] ?? 0) + 1;
    }
    above = here;
    aboveLines = hereLines;
  }
  return Array.from(above, (weight, at) => ({ weight, lines: aboveLines[at] ?? 0 }));
}
