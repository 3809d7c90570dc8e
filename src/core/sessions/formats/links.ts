/**
 * Lines that name the line before them. A link that leads nowhere loses nothing: where the line that it names is missing or
 * the links form a circle, the conversation goes on with the spoken line before it in the file.
 */

import type { Json } from '../../json.ts';

interface Form {
  /** Empty for a line without one. */
  readonly idOf: (line: Json) => string;
  /** The id of the line before: null at the beginning of a conversation, undefined where the line does not say. */
  readonly parentOf: (line: Json) => string | null | undefined;
  /** False for a line of another conversation, such as a subagent's, and for what no one said. */
  readonly isSpoken: (line: Json) => boolean;
  /** True for a line whose link its program leaves out or does not keep: that is no fault of the file. */
  readonly isLoose?: (line: Json) => boolean;
}

/** A recorded link, as the id of a line. A value that cannot be one is a link that leads nowhere. */
export function linkOf(value: unknown): string | null | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return value === null ? null : '';
}

export class LinkedLines {
  /** Without copies: a program that goes on with a session may write its lines again. */
  readonly lines: readonly Json[];
  /** Number of links that led nowhere while there were lines before. */
  broken = 0;
  readonly #form: Form;
  readonly #places = new Map<Json, number>();
  /** By id, the places of the lines that have it, in order. */
  readonly #byId = new Map<string, number[]>();
  /** Parts of one line: by id and the id of the line before. */
  readonly #parts = new Map<string, Json[]>();
  readonly #taken = new Set<Json>();
  /** By place, one before which no spoken line was left when it was last looked for. */
  readonly #skips: number[];

  constructor(lines: readonly Json[], form: Form) {
    this.#form = form;
    this.lines = withoutCopies(lines, form.idOf);
    this.#skips = this.lines.map((_, at) => at - 1);
    for (const [at, line] of this.lines.entries()) {
      this.#places.set(line, at);
      const id = form.idOf(line);
      if (id === '') continue;
      addTo(this.#byId, id, at);
      addTo(this.#parts, this.#partOf(line), line);
    }
  }

  /**
   * The lines from `last` back to the beginning, newest first, without those that an earlier walk has taken. Lines with the
   * same id and the same line before them are parts of one.
   */
  *walk(last: Json): Generator<Json> {
    const walked = new Set<Json>();
    for (let line: Json | undefined = last; line && !this.#taken.has(line); line = this.#before(line, walked)) {
      const parts = this.#parts.get(this.#partOf(line)) ?? [line];
      for (const each of parts.toReversed()) {
        if (this.#taken.has(each)) continue;
        walked.add(each);
        this.#taken.add(each);
        yield each;
      }
    }
  }

  /** The line with this id that a line at `from` means: the nearest before it, else the first after it. */
  find(id: string, from: Json): Json | undefined {
    const places = this.#byId.get(id) ?? [];
    const own = this.#places.get(from) ?? 0;
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] as number) < own) low = middle + 1;
      else high = middle;
    }
    const after = places[low] === own ? low + 1 : low;
    return this.lines[places[low - 1] ?? places[after] ?? -1];
  }

  #partOf(line: Json): string {
    return JSON.stringify([this.#form.idOf(line), this.#form.parentOf(line)]);
  }

  #before(line: Json, walked: ReadonlySet<Json>): Json | undefined {
    const parent = this.#form.parentOf(line);
    if (parent === null) return undefined;
    const named = parent === undefined ? undefined : this.find(parent, line);
    // A line that another walk has taken has its lines before it already.
    if (named && !walked.has(named)) return named;
    const spoken = this.#spokenBefore(line);
    if (spoken && !this.#form.isLoose?.(line)) this.broken++;
    return spoken;
  }

  #spokenBefore(line: Json): Json | undefined {
    const skipped: number[] = [];
    let at = (this.#places.get(line) ?? 0) - 1;
    for (let each = this.lines[at]; each; each = this.lines[at]) {
      if (this.#form.isSpoken(each) && !this.#taken.has(each)) break;
      skipped.push(at);
      at = this.#skips[at] as number;
    }
    for (const each of skipped) this.#skips[each] = at;
    return this.lines[at];
  }
}

/** The content of a line, whatever the program calls it. */
const contentOf = ({ type, message, content, summary, attachment }: Json) =>
  JSON.stringify([type, message, content, summary, attachment]);

function withoutCopies(lines: readonly Json[], idOf: (line: Json) => string): readonly Json[] {
  const counts = new Map<string, number>();
  for (const id of lines.map(idOf)) counts.set(id, (counts.get(id) ?? 0) + 1);
  counts.delete('');
  const seen = new Set<string>();
  return lines.filter((line) => {
    const id = idOf(line);
    if ((counts.get(id) ?? 0) < 2) return true;
    const content = JSON.stringify([id, contentOf(line)]);
    const isNew = !seen.has(content);
    seen.add(content);
    return isNew;
  });
}

function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
