/** The reads of each file that no later one replaced by returning the same lines. */

interface ShownLines {
  readonly source: { superseded: boolean };
  readonly asked: string;
  /** Null where the result does not number its lines. */
  readonly lines: NumberedLines | null;
}

interface NumberedLines {
  readonly first: number;
  readonly last: number;
}

export class Reads {
  readonly #files = new Map<string, FileReads>();

  /** Marks the reads that it replaces. */
  add(file: string, read: ShownLines): void {
    const known = this.#files.get(file);
    if (known) known.add(read);
    else this.#files.set(file, new FileReads(read));
  }
}

/** A session reads a file in thousands of pieces: only those that a new one can replace are looked at. */
class FileReads {
  readonly #byRequest = new Map<string, ShownLines>();
  /** Those with numbered lines, by their first line. */
  readonly #numbered: ShownLines[] = [];

  constructor(read: ShownLines) {
    this.add(read);
  }

  add(read: ShownLines): void {
    const same = this.#byRequest.get(read.asked);
    if (same) {
      same.source.superseded = true;
      const at = same.lines ? this.#numbered.indexOf(same, this.#firstFrom(same.lines.first)) : -1;
      if (at >= 0) this.#numbered.splice(at, 1);
    }
    if (read.lines && read.lines.first <= read.lines.last) this.#replace(read, read.lines);
    this.#byRequest.set(read.asked, read);
  }

  #replace(read: ShownLines, { first, last }: NumberedLines): void {
    const from = this.#firstFrom(first);
    const longer: ShownLines[] = [];
    let to = from;
    for (let older = this.#numbered[to]; older?.lines && older.lines.first <= last; older = this.#numbered[++to]) {
      if (older.lines.last > last) longer.push(older);
      else {
        older.source.superseded = true;
        this.#byRequest.delete(older.asked);
      }
    }
    this.#numbered.splice(from, to - from, read, ...longer);
  }

  /** Index of the first read that begins at this line or behind it. */
  #firstFrom(line: number): number {
    let low = 0;
    let high = this.#numbered.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#numbered[middle]?.lines?.first ?? line) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
