/**
 * A session's journal in memory: the only truth, and the only writer to its store. An append is numbered and folded at
 * once and acknowledged when the store says that it would survive a killed process; nothing here rewrites anything.
 */

import { Projection } from '../context/projection.ts';
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

export interface JournalPorts {
  readonly store: JournalStore;
  readonly clock: Clock;
  readonly crypto: Crypto;
}

export type JournalListener = (entry: Entry) => void;

/** The entry that an append of draft `D` resolves with. */
export type Appended<D extends EntryDraft> = Extract<Entry, { type: D['type'] }>;

/** Entries lost from the file, and where the head stood before them. */
interface Gap {
  readonly from: number;
  readonly to: number;
  readonly head: number | null;
}

export class Journal {
  readonly #ports: JournalPorts;
  readonly #entries: Entry[] = [];
  readonly #bySeq = new Map<number, TreeEntry>();
  readonly #gaps: Gap[] = [];
  readonly #listeners = new Set<JournalListener>();
  #projection: Projection;
  #head: number | null = null;
  #movedBy = -1;
  #nextSeq = 0;
  #nextCheckpoint = 0;

  /** `entries` are those of the file, in file order, already checked; `seq` rises, gaps are lost lines. */
  constructor(entries: Iterable<Entry>, ports: JournalPorts) {
    this.#ports = ports;
    for (const entry of entries) this.#take(entry);
    this.#projection = this.contextAt(this.#head);
  }

  get session(): SessionEntry {
    const first = this.#entries.find((entry) => entry.type === 'session');
    if (first?.type !== 'session') throw new Error(`The journal ${this.#ports.store.name} has no session entry`);
    return first;
  }

  /** All entries in file order: the fold over the file reads these. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get head(): number | null {
    return this.#head;
  }

  /** The fold of the path to the head. */
  get context(): Projection {
    return this.#projection;
  }

  get title(): string | null {
    const title = this.#entries.findLast((entry) => entry.type === 'title');
    return title?.type === 'title' ? title.title : null;
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
    return this.#bySeq.get(seq) ?? null;
  }

  /** The parent chain of `head` (the journal's own when left out), root first. Lost entries are stepped over. */
  path(head: number | null = this.#head): TreeEntry[] {
    const path: TreeEntry[] = [];
    for (let seq = head; seq !== null; ) {
      const entry = this.#bySeq.get(seq);
      if (entry) path.push(entry);
      seq = entry ? entry.parent : this.#before(seq);
    }
    return path.reverse();
  }

  /** The context as it was, or would be, with the head at `head`. */
  contextAt(head: number | null): Projection {
    return Projection.of(this.path(head), this.#movedBy);
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
      const refusal = this.#projection.refusalOf(entry);
      if (refusal) throw new Error(`Entry ${entry.seq} (${entry.type}) does not fit: ${refusal}`);
      this.#take(entry);
      this.#projection.apply(entry);
    } else {
      if (entry.type === 'revert' && entry.target !== null && !this.#bySeq.has(entry.target)) {
        throw new Error(`No entry ${entry.target} to go back to`);
      }
      this.#take(entry);
      if (entry.type === 'revert') this.#projection = this.contextAt(this.#head);
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
    const { type, ...body } = draft;
    const time = new Date(this.#ports.clock.now()).toISOString();
    const parent = isTreeType(type) ? { parent: this.#head } : {};
    return { seq: this.#nextSeq, ...parent, time, type, ...body } as Entry;
  }

  #take(entry: Entry): void {
    if (entry.seq > this.#nextSeq) this.#gaps.push({ from: this.#nextSeq, to: entry.seq - 1, head: this.#head });
    this.#entries.push(entry);
    this.#nextSeq = Math.max(this.#nextSeq, entry.seq + 1);
    if (isTreeEntry(entry)) {
      this.#bySeq.set(entry.seq, entry);
      this.#head = entry.seq;
      if (entry.type === 'checkpoint') this.#nextCheckpoint = Math.max(this.#nextCheckpoint, entry.id + 1);
    } else if (entry.type === 'revert') {
      const { target } = entry;
      this.#head = target === null || this.#bySeq.has(target) ? target : this.#before(target);
      this.#movedBy = entry.seq;
    }
  }

  /** An entry's parent is the head at its writing, so what stood before a lost line is known from the file's order. */
  #before(seq: number): number | null {
    return this.#gaps.find(({ from, to }) => seq >= from && seq <= to)?.head ?? null;
  }
}
