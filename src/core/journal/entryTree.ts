/**
 * The entries of a journal and the tree they form: the older ones lie in the file and are read when looked at, the newer
 * ones are in memory. Nothing is ever taken out. Lost entries are stepped over: what stood before them is known.
 */

import { type Entry, isTreeEntry, type TreeEntry } from './entry.ts';
import { type EntryFacts, factsOf, pathEntry, type StoredEntries } from './storedEntries.ts';

/** Entries lost from the file, and where the head stood before them. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly head: number | null;
}

export class EntryTree {
  /** Entries that are read from the file when looked at; those after them are in memory. Null: all are in memory. */
  readonly stored: StoredEntries | null;
  readonly #gaps: Gap[] = [];
  #recent: Entry[] = [];
  /** All entries, once somebody asked for them; the recent ones when nothing is stored. */
  #all: Entry[] | null;
  #nextSeq = 0;

  constructor(stored: StoredEntries | null) {
    this.stored = stored;
    this.#all = stored ? null : this.#recent;
  }

  /** The `seq` of the next entry. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  get gaps(): readonly Gap[] {
    return this.#gaps;
  }

  /** Goes on after what is stored, as a snapshot remembers it. */
  resume(nextSeq: number, gaps: readonly Gap[]): void {
    this.#nextSeq = nextSeq;
    this.#gaps.push(...gaps);
  }

  /** Entry `seq` is there, stored or about to be added; `head` is where the head stood before it. */
  reach(seq: number, head: number | null): void {
    if (seq > this.#nextSeq) this.#gaps.push({ from: this.#nextSeq, to: seq - 1, head });
    this.#nextSeq = Math.max(this.#nextSeq, seq + 1);
  }

  add(entry: Entry, head: number | null): void {
    this.reach(entry.seq, head);
    this.#recent.push(entry);
    if (this.#all && this.#all !== this.#recent) this.#all.push(entry);
  }

  /** All entries in file order, kept in memory from then on. */
  all(): readonly Entry[] {
    this.#all ??= [...this.oldest()];
    return this.#all;
  }

  /** In file order, newest first, `count` at most. Reads no more than that. */
  *newest(count: number): Generator<Entry> {
    for (let seq = this.#nextSeq - 1, left = count; seq >= 0 && left > 0; seq--) {
      const entry = this.read(seq);
      if (!entry) continue;
      left--;
      yield entry;
    }
  }

  /** In file order, oldest first, each read when it is its turn. */
  *oldest(): Generator<Entry> {
    for (let seq = 0; seq < this.#nextSeq; seq++) {
      const entry = this.read(seq);
      if (entry) yield entry;
    }
  }

  /** Entries of some types in file order; the others are not read. */
  *ofType<T extends Entry['type']>(...types: readonly T[]): Generator<Extract<Entry, { type: T }>> {
    const isSought = (entry: Entry): entry is Extract<Entry, { type: T }> => types.some((type) => type === entry.type);
    for (let seq = 0; seq < this.#nextSeq; seq++) {
      if (!types.some((type) => type === this.typeOf(seq))) continue;
      const entry = this.read(seq);
      if (entry && isSought(entry)) yield entry;
    }
  }

  read(seq: number): Entry | null {
    const { stored } = this;
    if (!stored || seq >= stored.count) return findBySeq(this.#recent, seq);
    return (this.#all && findBySeq(this.#all, seq)) ?? stored.read(seq);
  }

  entry(seq: number): TreeEntry | null {
    const entry = this.read(seq);
    return entry && isTreeEntry(entry) ? entry : null;
  }

  /** The type of an entry, without reading it; null for a lost one. */
  typeOf(seq: number): Entry['type'] | null {
    const { stored } = this;
    if (stored && seq < stored.count) return stored.facts(seq)?.type ?? null;
    return findBySeq(this.#recent, seq)?.type ?? null;
  }

  /** What is known of an entry without reading it; null for a lost one. */
  facts(seq: number): EntryFacts | null {
    const { stored } = this;
    if (stored && seq < stored.count) return stored.facts(seq);
    const entry = findBySeq(this.#recent, seq);
    return entry && factsOf(entry);
  }

  /** Undefined for a lost entry and for one without a parent. Reads nothing. */
  parentOf(seq: number): number | null | undefined {
    const { stored } = this;
    if (stored && seq < stored.count) return stored.facts(seq)?.parent;
    const entry = findBySeq(this.#recent, seq);
    return entry && isTreeEntry(entry) ? entry.parent : undefined;
  }

  /** True for an entry of the tree. Reads nothing. */
  isTree(seq: number): boolean {
    return this.parentOf(seq) !== undefined;
  }

  /** The parent chain of `head` by number, newest first, lost entries left out. Reads nothing. */
  *chain(head: number | null): Generator<number> {
    for (let seq = head; seq !== null; ) {
      const parent = this.parentOf(seq);
      if (parent !== undefined) yield seq;
      seq = parent === undefined ? this.before(seq) : parent;
    }
  }

  /** The path to `head` as the fold needs it, root first: stored messages stay unread. */
  *pathTo(head: number | null): Generator<TreeEntry> {
    const { stored } = this;
    for (const seq of [...this.chain(head)].reverse()) {
      const entry = stored && seq < stored.count ? pathEntry(seq, stored) : this.entry(seq);
      if (entry) yield entry;
    }
  }

  /** True when the entry is on the path to `head`. Reads nothing. */
  isOnPath(seq: number, head: number | null): boolean {
    for (const each of this.chain(head)) if (each <= seq) return each === seq;
    return false;
  }

  /** An entry's parent is the head at its writing, so what stood before a lost line is known from the file's order. */
  before(seq: number): number | null {
    // Gaps rise, and a forged file may have very many.
    let low = 0;
    let high = this.#gaps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#gaps[middle]?.to ?? seq) < seq) low = middle + 1;
      else high = middle;
    }
    const gap = this.#gaps[low];
    return gap && seq >= gap.from ? gap.head : null;
  }
}

/** `entries` rise by `seq`, mostly by one, so the first guess is nearly always right. */
function findBySeq(entries: readonly Entry[], seq: number): Entry | null {
  const expected = entries[seq - (entries[0]?.seq ?? 0)];
  if (expected?.seq === seq) return expected;
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.seq ?? seq) < seq) low = middle + 1;
    else high = middle;
  }
  const found = entries[low];
  return found?.seq === seq ? found : null;
}
