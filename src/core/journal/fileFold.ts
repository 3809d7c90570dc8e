/**
 * The fold over a journal's file, branches included: the state that does not depend on the path, and the position of
 * the head. A revert to a lost entry leads to the entry before it.
 */

import { type Spending, SpendingFold, type SpendingState } from '../cost/spending.ts';
import { DEFAULT_MODE, type Mode } from '../mode.ts';
import { type Entry, isTreeEntry, type SessionEntry, type StrategyChosenEntry, type TreeEntry } from './entry.ts';
import { type EntryFacts, factsOf, pathEntry, type StoredEntries } from './storedEntries.ts';

/** State of the entries before `nextSeq`. */
export interface FileSnapshot {
  readonly session: SessionEntry | null;
  readonly title: string | null;
  readonly head: number | null;
  readonly movedBy: number;
  readonly nextSeq: number;
  readonly nextCheckpoint: number;
  readonly importedTo: number;
  readonly gaps: readonly Gap[];
  /** Left out where none was chosen. */
  readonly modeChosen?: ModeChosen;
  readonly strategyChosen?: StrategyChosen;
  /** Omitted where nobody has asked for it yet. */
  readonly spending?: SpendingState;
}

interface ModeChosen {
  readonly seq: number;
  readonly mode: Mode;
}

/** The newest choice of a compaction strategy; null where the setting decides. */
export type StrategyChosen = Pick<StrategyChosenEntry, 'seq' | 'strategy'>;

export class FileFold {
  session: SessionEntry | null = null;
  title: string | null = null;
  head: number | null = null;
  /** `seq` of the newest revert; -1 when there is none. */
  movedBy = -1;
  /** Id for the next checkpoint: never reused, even after a revert. */
  nextCheckpoint = 0;
  /** `seq` of the newest import mark: entries before it were written elsewhere. -1 without an import. */
  importedTo = -1;
  #modeChosen: ModeChosen | null = null;
  /** Null where the person has chosen none. It gives no right, so it counts where it was imported, too. */
  strategyChosen: StrategyChosen | null = null;
  readonly #tree: EntryTree;
  /** Null until first asked for, when the file was too large to read whole. */
  #spending: SpendingFold | null = new SpendingFold();

  constructor(tree: EntryTree) {
    this.#tree = tree;
  }

  snapshot(): FileSnapshot {
    const { session, title, head, movedBy, nextCheckpoint, importedTo } = this;
    const { nextSeq, gaps } = this.#tree;
    const spending = this.#spending ? { spending: this.#spending.state } : {};
    const mode = this.#modeChosen ? { modeChosen: this.#modeChosen } : {};
    const strategy = this.strategyChosen ? { strategyChosen: this.strategyChosen } : {};
    const file = { session, title, head, movedBy, nextCheckpoint, importedTo, nextSeq, gaps };
    return { ...file, ...mode, ...strategy, ...spending };
  }

  /** Continues from a snapshot. */
  resume(snapshot: FileSnapshot): void {
    this.session = snapshot.session;
    this.title = snapshot.title;
    this.head = snapshot.head;
    this.movedBy = snapshot.movedBy;
    this.nextCheckpoint = snapshot.nextCheckpoint;
    this.importedTo = snapshot.importedTo;
    this.#modeChosen = snapshot.modeChosen ?? null;
    this.strategyChosen = snapshot.strategyChosen ?? null;
    this.#spending = snapshot.spending ? SpendingFold.from(snapshot.spending) : null;
    this.#tree.resume(snapshot.nextSeq, snapshot.gaps);
  }

  /**
   * Takes in all stored entries while reading next to nothing: ids of checkpoints rise, and the newest title counts.
   */
  scan(stored: StoredEntries): void {
    this.#spending = null;
    const newest = { title: -1, checkpoint: -1, mode: -1, strategy: -1 };
    const note = (seq: number) => {
      const entry = seq < 0 ? null : stored.read(seq);
      if (entry) this.#note(entry);
    };
    for (let seq = 0; seq < stored.count; seq++) {
      const facts = stored.facts(seq);
      if (!facts) continue;
      this.#tree.reach(seq, this.head);
      if (facts.parent !== undefined) this.head = seq;
      const { type } = facts;
      if (type === 'title' || type === 'checkpoint' || type === 'mode' || type === 'strategy') newest[type] = seq;
      else if (type === 'session' || type === 'revert' || type === 'opened') note(seq);
    }
    note(newest.title);
    note(newest.checkpoint);
    note(newest.mode);
    note(newest.strategy);
  }

  /** The next entry of the file. */
  take(entry: Entry): void {
    this.#tree.add(entry, this.head);
    if (isTreeEntry(entry)) this.head = entry.seq;
    this.#note(entry);
    const isAnswer = entry.type === 'message' && entry.message.role === 'assistant';
    this.#spending?.take(entry.type, isAnswer, () => entry);
  }

  /** A mode chosen before an import was not chosen by this person. */
  get mode(): Mode {
    const chosen = this.#modeChosen;
    return chosen && chosen.seq > this.importedTo ? chosen.mode : DEFAULT_MODE;
  }

  /** Usage and cost of all requests. */
  get spending(): Spending {
    this.#spending ??= this.#countSpending();
    return this.#spending.spending;
  }

  #countSpending(): SpendingFold {
    const fold = new SpendingFold();
    for (let seq = 0; seq < this.#tree.nextSeq; seq++) {
      const facts = this.#tree.facts(seq);
      if (facts) fold.take(facts.type, facts.kind === 'assistant', () => this.#tree.read(seq));
    }
    return fold;
  }

  #note(entry: Entry): void {
    switch (entry.type) {
      case 'session':
        this.session ??= entry;
        break;
      case 'title':
        this.title = entry.title;
        break;
      case 'checkpoint':
        this.nextCheckpoint = Math.max(this.nextCheckpoint, entry.id + 1);
        break;
      case 'mode':
        this.#modeChosen = { seq: entry.seq, mode: entry.mode };
        break;
      case 'strategy':
        this.strategyChosen = { seq: entry.seq, strategy: entry.strategy };
        break;
      case 'opened':
        if (entry.imported) this.importedTo = entry.seq;
        break;
      case 'revert': {
        const { target } = entry;
        this.head = target === null || this.#tree.isTree(target) ? target : this.#tree.before(target);
        this.movedBy = entry.seq;
        break;
      }
      default:
        break;
    }
  }
}

/** Entries lost from the file, and the head before them. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly head: number | null;
}

export class EntryTree {
  /** Entries read from the file on access; later ones are in memory. Null: all are in memory. */
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

  /** Continues after the stored entries, as a snapshot records them. */
  resume(nextSeq: number, gaps: readonly Gap[]): void {
    this.#nextSeq = nextSeq;
    this.#gaps.push(...gaps);
  }

  /** Entry `seq` exists, stored or about to be added; `head` is the head before it. */
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

  /** In file order, newest first, at most `count`. Reads no more than that. */
  *newest(count: number): Generator<Entry> {
    for (let seq = this.#nextSeq - 1, left = count; seq >= 0 && left > 0; seq--) {
      const entry = this.read(seq);
      if (!entry) continue;
      left--;
      yield entry;
    }
  }

  /** In file order, oldest first, each read when reached. */
  *oldest(): Generator<Entry> {
    for (let seq = 0; seq < this.#nextSeq; seq++) {
      const entry = this.read(seq);
      if (entry) yield entry;
    }
  }

  /** Entries of some types in file order; others are not read. */
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

  /** Facts of an entry without reading it; null for a lost one. */
  facts(seq: number): EntryFacts | null {
    const { stored } = this;
    if (stored && seq < stored.count) return stored.facts(seq);
    const entry = findBySeq(this.#recent, seq);
    return entry && factsOf(entry);
  }

  /** Undefined for lost entries and entries without a parent. Reads nothing. */
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

  /** An entry's parent is the head at the time of writing, so the file order gives the entry before a lost line. */
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
