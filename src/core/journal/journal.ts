/**
 * A session's journal in memory: the only truth, and the only writer to its store. An append is numbered and folded at
 * once and acknowledged when the store says that it would survive a killed process; nothing here rewrites anything.
 */

import { Projection } from '../context/projection.ts';
import type { ProjectionSnapshot, SnapshotSource } from '../context/snapshot.ts';
import type { JournalError } from '../errors.ts';
import type { Clock, Crypto, JournalStore } from '../ports.ts';
import { encodeEntry } from './codec.ts';
import {
  type Entry,
  type EntryDraft,
  isTreeEntry,
  isTreeType,
  type RevertCause,
  type RevertEntry,
  type SessionEntry,
  type TreeEntry,
} from './entry.ts';
import { type StoredEntries, StoredMessage, storedForFold } from './storedEntries.ts';

export interface JournalPorts {
  readonly store: JournalStore;
  readonly clock: Clock;
  readonly crypto: Crypto;
}

export type JournalListener = (entry: Entry) => void;

/** The entry that an append of draft `D` resolves with. */
export type Appended<D extends EntryDraft> = Extract<Entry, { type: D['type'] }>;

/** Entries lost from the file, and where the head stood before them. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly head: number | null;
}

/** What a journal must know to go on without reading its past. Derived: a full read gives the same. */
export interface JournalSnapshot {
  readonly session: SessionEntry;
  readonly title: string | null;
  readonly head: number | null;
  readonly movedBy: number;
  readonly nextSeq: number;
  readonly nextCheckpoint: number;
  readonly gaps: readonly Gap[];
  readonly context: ProjectionSnapshot;
}

export class Journal {
  readonly #ports: JournalPorts;
  /** Entries that are read from the file when looked at; those after them are in memory. */
  readonly #stored: StoredEntries | null;
  #recent: Entry[] = [];
  /** All entries, once somebody asked for them; the recent ones when nothing is stored. */
  #all: Entry[] | null;
  readonly #gaps: Gap[] = [];
  readonly #listeners = new Set<JournalListener>();
  /** Null after the head moved, until somebody looks: a move costs one write, at any length. */
  #projection: Projection | null = null;
  #session: SessionEntry | null = null;
  #title: string | null = null;
  #head: number | null = null;
  #movedBy = -1;
  #nextSeq = 0;
  #nextCheckpoint = 0;

  /** `entries` are those of the file, in file order, already checked; `seq` rises, gaps are lost lines. */
  constructor(entries: Iterable<Entry>, ports: JournalPorts, stored: StoredEntries | null = null) {
    this.#ports = ports;
    this.#stored = stored;
    this.#all = stored ? null : this.#recent;
    for (const entry of entries) this.#take(entry);
  }

  /**
   * Goes on from a snapshot of what is stored; `newer` are the entries behind it. Throws when a visible entry is damaged:
   * the snapshot is then of no use.
   */
  static resume(
    snapshot: JournalSnapshot,
    stored: StoredEntries,
    newer: Iterable<Entry>,
    ports: JournalPorts,
  ): Journal {
    const journal = new Journal([], ports, stored);
    journal.#session = snapshot.session;
    journal.#title = snapshot.title;
    journal.#head = snapshot.head;
    journal.#movedBy = snapshot.movedBy;
    journal.#nextSeq = snapshot.nextSeq;
    journal.#nextCheckpoint = snapshot.nextCheckpoint;
    journal.#gaps.push(...snapshot.gaps);
    journal.#projection = Projection.restore(snapshot.context, journal.#source(stored));
    for (const entry of newer) {
      journal.#take(entry);
      if (isTreeEntry(entry)) journal.#projection?.apply(entry);
      else if (entry.type === 'revert') journal.#projection = null;
    }
    return journal;
  }

  /**
   * Everything stored, known by its facts only: for a file too large to read whole, without a snapshot. `standIn` is used
   * when the first line was lost.
   */
  static scan(stored: StoredEntries, ports: JournalPorts, standIn: SessionEntry | null = null): Journal {
    const journal = new Journal([], ports, stored);
    // Ids of checkpoints rise and the newest title counts, so one of each is read.
    const newest = { title: -1, checkpoint: -1 };
    for (let seq = 0; seq < stored.count; seq++) {
      const facts = stored.facts(seq);
      if (!facts) continue;
      if (seq > journal.#nextSeq) journal.#gaps.push({ from: journal.#nextSeq, to: seq - 1, head: journal.#head });
      journal.#nextSeq = seq + 1;
      if (facts.parent !== undefined) journal.#head = seq;
      if (facts.type === 'title' || facts.type === 'checkpoint') newest[facts.type] = seq;
      else if (facts.type === 'session' || facts.type === 'revert') journal.#noteStored(seq, stored);
    }
    journal.#noteStored(newest.title, stored);
    journal.#noteStored(newest.checkpoint, stored);
    journal.#session ??= standIn;
    return journal;
  }

  /** Of the state now; every entry so far must be on disk when it is used. */
  snapshot(): JournalSnapshot {
    return {
      session: this.session,
      title: this.#title,
      head: this.#head,
      movedBy: this.#movedBy,
      nextSeq: this.#nextSeq,
      nextCheckpoint: this.#nextCheckpoint,
      gaps: this.#gaps,
      context: this.context.snapshot(),
    };
  }

  get session(): SessionEntry {
    if (!this.#session) throw new Error(`The journal ${this.#ports.store.name} has no session entry`);
    return this.#session;
  }

  /** All entries in file order: the fold over the file reads these. Reads what is stored; see `newest` for less. */
  get entries(): readonly Entry[] {
    this.#all ??= [...this.newest(Number.POSITIVE_INFINITY)].reverse();
    return this.#all;
  }

  /** Entries in file order, newest first, `count` at most. Reads no more than that. */
  *newest(count: number): Generator<Entry> {
    for (let seq = this.#nextSeq - 1, left = count; seq >= 0 && left > 0; seq--) {
      const entry = this.#read(seq);
      if (!entry) continue;
      left--;
      yield entry;
    }
  }

  /** Entries in file order, oldest first, each read when it is its turn. */
  *oldest(): Generator<Entry> {
    for (let seq = 0; seq < this.#nextSeq; seq++) {
      const entry = this.#read(seq);
      if (entry) yield entry;
    }
  }

  /** The `seq` of the next entry. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  get head(): number | null {
    return this.#head;
  }

  /** The fold of the path to the head. */
  get context(): Projection {
    this.#projection ??= this.contextAt(this.#head);
    return this.#projection;
  }

  get title(): string | null {
    return this.#title;
  }

  /** Id for the next checkpoint: never reused, also after a revert. */
  get nextCheckpointId(): number {
    return this.#nextCheckpoint;
  }

  /** Entries that are in memory only, because the store could not write them yet. */
  get unwritten(): number {
    return this.#ports.store.unwritten;
  }

  /** Why nothing can be appended here; null when it can. */
  get readOnly(): JournalError | null {
    return this.#ports.store.readOnly;
  }

  entry(seq: number): TreeEntry | null {
    const entry = this.#read(seq);
    return entry && isTreeEntry(entry) ? entry : null;
  }

  /** The parent chain of `head` (the journal's own when left out), root first. Lost entries are stepped over. */
  path(head: number | null = this.#head): TreeEntry[] {
    return [...this.backward(head)].reverse();
  }

  /** The parent chain, newest first, each entry read when it is its turn. */
  *backward(head: number | null = this.#head): Generator<TreeEntry> {
    for (const seq of this.#chain(head)) {
      const entry = this.entry(seq);
      if (entry) yield entry;
    }
  }

  /**
   * The end of the path, root first: at least `count` entries where there are as many, and from there back to a message
   * that a person wrote, so that no call is without its results. `more`: the path goes on before it.
   */
  recentPath(count: number): { readonly entries: readonly TreeEntry[]; readonly more: boolean } {
    const entries: TreeEntry[] = [];
    for (const entry of this.backward()) {
      entries.push(entry);
      const person = entry.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'user';
      if (entries.length >= count && person) return { entries: entries.reverse(), more: entry.parent !== null };
    }
    return { entries: entries.reverse(), more: false };
  }

  /** True when the entry is on the path to the head. Reads nothing. */
  isOnPath(seq: number): boolean {
    for (const each of this.#chain(this.#head)) if (each <= seq) return each === seq;
    return false;
  }

  /** The context as it was, or would be, with the head at `head`. */
  contextAt(head: number | null): Projection {
    const chain = [...this.#chain(head)].reverse();
    return Projection.of(this.#foldable(chain), this.#movedBy);
  }

  /**
   * Resolves with the entry when it would survive a killed process. Rejects with `JournalError`: when nothing may be
   * appended nothing has changed; when the write failed the entry stays in memory and is written before the next one.
   * Throws for an entry that does not fit the context, such as an undo without a compaction.
   */
  async append<D extends EntryDraft>(draft: D): Promise<Appended<D>> {
    if (this.#ports.store.readOnly) throw this.#ports.store.readOnly;
    const entry = this.#number(draft);
    if (isTreeEntry(entry)) {
      const { context } = this;
      const refusal = context.refusalOf(entry);
      if (refusal) throw new Error(`Entry ${entry.seq} (${entry.type}) does not fit: ${refusal}`);
      this.#take(entry);
      context.apply(entry);
    } else {
      if (entry.type === 'revert' && entry.target !== null && !this.#isTree(entry.target)) {
        throw new Error(`No entry ${entry.target} to go back to`);
      }
      this.#take(entry);
      if (entry.type === 'revert') this.#projection = null;
    }
    const written = this.#ports.store.append(encodeEntry(entry, this.#ports.crypto));
    for (const listener of this.#listeners) listener(entry);
    await written;
    return entry as Appended<D>;
  }

  /** Moves the head, nothing else: what is left behind stays in the file as a branch. */
  revert(target: number | null, cause: RevertCause): Promise<RevertEntry> {
    return this.append({ type: 'revert', target, cause });
  }

  /** Resolves when everything appended so far would survive a power loss. */
  sync(): Promise<void> {
    return this.#ports.store.sync();
  }

  close(): Promise<void> {
    return this.#ports.store.close();
  }

  /** Calls `listener` for each entry from now on, after it was folded. Returns the way to stop. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The order of fields is the order on disk: `seq, parent, time, type` first makes a journal readable by eye. */
  #number(draft: EntryDraft): Entry {
    const { type } = draft;
    const seq = this.#nextSeq;
    const time = new Date(this.#ports.clock.now()).toISOString();
    const first = isTreeType(type) ? { seq, parent: this.#head, time, type } : { seq, time, type };
    return Object.assign(first, draft) as Entry;
  }

  #take(entry: Entry): void {
    const { seq } = entry;
    if (seq > this.#nextSeq) this.#gaps.push({ from: this.#nextSeq, to: seq - 1, head: this.#head });
    this.#recent.push(entry);
    if (this.#all && this.#all !== this.#recent) this.#all.push(entry);
    this.#nextSeq = Math.max(this.#nextSeq, seq + 1);
    if (isTreeEntry(entry)) {
      this.#head = seq;
    }
    this.#note(entry);
  }

  #noteStored(seq: number, stored: StoredEntries): void {
    const entry = seq < 0 ? null : stored.read(seq);
    if (entry) this.#note(entry);
  }

  /** What the fold over the file remembers of an entry. */
  #note(entry: Entry): void {
    switch (entry.type) {
      case 'session':
        this.#session ??= entry;
        break;
      case 'title':
        this.#title = entry.title;
        break;
      case 'checkpoint':
        this.#nextCheckpoint = Math.max(this.#nextCheckpoint, entry.id + 1);
        break;
      case 'revert': {
        const { target } = entry;
        this.#head = target === null || this.#isTree(target) ? target : this.#before(target);
        this.#movedBy = entry.seq;
        break;
      }
      default:
        break;
    }
  }

  #read(seq: number): Entry | null {
    const stored = this.#stored;
    if (stored && seq < stored.count)
      return this.#all?.[seq]?.seq === seq ? (this.#all[seq] ?? null) : stored.read(seq);
    return findBySeq(this.#recent, seq);
  }

  #isTree(seq: number): boolean {
    const stored = this.#stored;
    if (stored && seq < stored.count) return stored.parent(seq) !== undefined;
    const entry = findBySeq(this.#recent, seq);
    return entry !== null && isTreeEntry(entry);
  }

  /** The parent chain by number, newest first, lost entries left out. */
  *#chain(head: number | null): Generator<number> {
    const stored = this.#stored;
    for (let seq = head; seq !== null; ) {
      const parent = stored && seq < stored.count ? stored.parent(seq) : parentOf(findBySeq(this.#recent, seq));
      if (parent !== undefined) yield seq;
      seq = parent === undefined ? this.#before(seq) : parent;
    }
  }

  /** Entries as the fold needs them: stored messages stay unread. */
  *#foldable(chain: readonly number[]): Generator<TreeEntry> {
    const stored = this.#stored;
    for (const seq of chain) {
      const facts = stored && seq < stored.count ? stored.facts(seq) : null;
      const entry = stored && facts ? storedForFold(seq, facts, stored) : this.entry(seq);
      if (entry) yield entry;
    }
  }

  #source(stored: StoredEntries): SnapshotSource {
    return {
      stored,
      fold: (head) => this.contextAt(head),
      hiddenMessage: (id) => {
        const seq = /^m\d+$/.test(id) ? Number(id.slice(1)) : stored.count;
        const facts = seq < stored.count ? stored.facts(seq) : null;
        return facts?.type === 'message' && this.isOnPath(seq) ? new StoredMessage(seq, facts, stored) : null;
      },
    };
  }

  /** An entry's parent is the head at its writing, so what stood before a lost line is known from the file's order. */
  #before(seq: number): number | null {
    return this.#gaps.find(({ from, to }) => seq >= from && seq <= to)?.head ?? null;
  }
}

/** Undefined for a lost entry and for one without a parent. */
function parentOf(entry: Entry | null): number | null | undefined {
  return entry && isTreeEntry(entry) ? entry.parent : undefined;
}

/** `entries` rise by `seq`, mostly by one: the place is where it should be, or near. */
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
