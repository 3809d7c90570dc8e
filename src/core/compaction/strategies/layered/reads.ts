/** Which results of reading a file a later one stands for: the same was asked again, or all of its lines were given again. */

/** A result that gives lines of a file. */
export interface Read {
  readonly source: { superseded: boolean };
  /** The arguments of its call. */
  readonly asked: string;
  /** Null where the result does not number its lines. */
  readonly lines: { readonly first: number; readonly last: number } | null;
}

/** What tools put in front of a line of a file. */
const LINE_NUMBER = /^\s*(\d{1,9})\s*[→:|\t]/;

/** The text of such a line without its number, and the number; null for a line without one. */
export function readNumber(line: string): { readonly number: number; readonly text: string } | null {
  const found = LINE_NUMBER.exec(line);
  return found && { number: Number(found[1]), text: line.slice(found[0].length) };
}

export class Reads {
  readonly #standing = new Map<string, Read[]>();

  /** Marks those that it stands for. */
  add(file: string, read: Read): void {
    const left = [];
    for (const older of this.#standing.get(file) ?? []) {
      if (covers(read, older)) older.source.superseded = true;
      else left.push(older);
    }
    this.#standing.set(file, [...left, read]);
  }
}

function covers(newer: Read, older: Read): boolean {
  if (newer.asked === older.asked) return true;
  return (
    newer.lines !== null &&
    older.lines !== null &&
    newer.lines.first <= older.lines.first &&
    newer.lines.last >= older.lines.last
  );
}
