/**
 * A session's journal in memory: the single source of truth, and the only writer to its store. An append is numbered
 * and folded at once, and acknowledged when the store guarantees that it would survive a killed process. Nothing here
 * rewrites anything.
 */

import type { Clock } from '../clock.ts';
import { Fold } from '../context/fold.ts';
import { Projection, type WholePath } from '../context/projection.ts';
import { type ContextSnapshot, restoreFold } from '../context/snapshot.ts';
import type { Spending } from '../cost/spending.ts';
import type { Crypto } from '../crypto.ts';
import { type JournalError, UserFacingError } from '../errors.ts';
import type { Mode } from '../mode.ts';
import { type Words, words } from '../words.ts';
import type { BlobStore } from './blobStore.ts';
import { encodeEntry } from './codec.ts';
import {
  type CheckpointEntry,
  type Entry,
  type EntryDraft,
  isTreeEntry,
  messageSeq,
  type RevertCause,
  type RevertEntry,
  type SessionEntry,
  type TreeEntry,
} from './entry.ts';
import { isTreeType } from './entryTypes.ts';
import { EntryTree, FileFold, type FileSnapshot, type StrategyChosen } from './fileFold.ts';
import type { JournalStore } from './journalStore.ts';
import { type StoredEntries, StoredMessage } from './storedEntries.ts';

export interface JournalPorts {
  readonly store: JournalStore;
  readonly clock: Clock;
  readonly crypto: Crypto;
}

export type TreeView = Pick<EntryTree, 'nextSeq' | 'typeOf' | 'parentOf' | 'chain' | 'facts'>;

export type JournalListener = (entry: Entry) => void;

/** The entry that an append of draft `D` resolves with. */
export type Appended<D extends EntryDraft> = Extract<Entry, { type: D['type'] }>;

/** The state that a journal needs to continue without reading its past. Derived: a full read gives the same. */
export interface JournalSnapshot extends FileSnapshot {
  readonly context: ContextSnapshot;
}

export class Journal {
  readonly #ports: JournalPorts;
  readonly #tree: EntryTree;
  readonly #file: FileFold;
  readonly #listeners = new Set<JournalListener>();
  readonly #afterClose: (() => Promise<void>)[] = [];
  /** Null after the head moved, until first used: a move costs one write, at any length. */
  #projection: Projection | null = null;

  /** `entries` are the file's, in file order, already validated; `seq` rises, gaps are lost lines. */
  constructor(entries: Iterable<Entry>, ports: JournalPorts, stored: StoredEntries | null = null) {
    this.#ports = ports;
    this.#tree = new EntryTree(stored);
    this.#file = new FileFold(this.#tree);
    for (const entry of entries) this.#file.take(entry);
  }

  /**
   * Continues from a snapshot of the stored entries; `newer` are the entries after it. Throws when a visible entry is
   * damaged, because the snapshot is then useless.
   */
  static resume(
    snapshot: JournalSnapshot,
    stored: StoredEntries,
    newer: Iterable<Entry>,
    ports: JournalPorts,
  ): Journal {
    const journal = new Journal([], ports, stored);
    journal.#file.resume(snapshot);
    const { context, movedBy } = snapshot;
    const whole = journal.#wholePath(context.head, stored);
    journal.#projection = new Projection(restoreFold(context, stored), movedBy, whole);
    for (const entry of newer) journal.#take(entry);
    return journal;
  }

  /**
   * All stored entries, known by their facts only: for a file too large to read whole, without a snapshot. `standIn`
   * replaces a lost first line.
   */
  static scan(stored: StoredEntries, ports: JournalPorts, standIn: SessionEntry | null = null): Journal {
    const journal = new Journal([], ports, stored);
    journal.#file.scan(stored);
    journal.#file.session ??= standIn;
    return journal;
  }

  /** A snapshot of the present state; every entry so far must be on disk when it is used. */
  snapshot(): JournalSnapshot {
    return { ...this.#file.snapshot(), context: this.context.snapshot() };
  }

  get session(): SessionEntry {
    const { session } = this.#file;
    if (!session) throw new Error(`The journal ${this.#ports.store.name} has no session entry`);
    return session;
  }

  /** All entries in file order, for folds over the file. Reads everything that is stored; `newest` reads less. */
  get entries(): readonly Entry[] {
    return this.#tree.all();
  }

  /** Entries in file order, newest first, at most `count`. Reads no more than that. */
  newest(count: number): Iterable<Entry> {
    return this.#tree.newest(count);
  }

  /** Entries in file order, oldest first, each read when reached. */
  oldest(): Iterable<Entry> {
    return this.#tree.oldest();
  }

  /** Entries of some types in file order; others are not read. */
  ofType<T extends Entry['type']>(...types: readonly T[]): Iterable<Extract<Entry, { type: T }>> {
    return this.#tree.ofType(...types);
  }

  /** The entries by number: their facts, without reading them. */
  get tree(): TreeView {
    return this.#tree;
  }

  /** The `seq` of the next entry. */
  get nextSeq(): number {
    return this.#tree.nextSeq;
  }

  get head(): number | null {
    return this.#file.head;
  }

  /** The fold of the path to the head. */
  get context(): Projection {
    this.#projection ??= this.contextAt(this.#file.head);
    return this.#projection;
  }

  get title(): string | null {
    return this.#file.title;
  }

  /** Usage and cost of all requests in the file, abandoned branches included. */
  get spending(): Spending {
    return this.#file.spending;
  }

  /** The mode. It applies to every branch. */
  get mode(): Mode {
    return this.#file.mode;
  }

  /** The newest choice of the session's compaction strategy; null before the first. It applies to every branch. */
  get strategyChosen(): StrategyChosen | null {
    return this.#file.strategyChosen;
  }

  /** Never used before, even after a revert. */
  get nextCheckpointId(): number {
    return this.#file.nextCheckpoint;
  }

  /** Entries up to this `seq` were written elsewhere and imported: they are read, but trigger no action here. */
  get importedTo(): number {
    return this.#file.importedTo;
  }

  /** Number of entries in memory only, because the store could not write them yet. */
  get unwritten(): number {
    return this.#ports.store.unwritten;
  }

  /** Why nothing can be appended; null when appending is possible. */
  get readOnly(): JournalError | null {
    return this.#ports.store.readOnly;
  }

  entry(seq: number): TreeEntry | null {
    return this.#tree.entry(seq);
  }

  /** The parent chain of `head` (default: the journal's own), root first. Lost entries are skipped. */
  path(head: number | null = this.#file.head): TreeEntry[] {
    return [...this.backward(head)].reverse();
  }

  /** The parent chain, newest first, each entry read when reached. */
  *backward(head: number | null = this.#file.head): Generator<TreeEntry> {
    for (const seq of this.#tree.chain(head)) {
      const entry = this.entry(seq);
      if (entry) yield entry;
    }
  }

  /**
   * The end of the path, root first: at least `count` entries if there are as many, extended back to a message by a
   * person, so that every call has its results. `more`: the path has earlier entries.
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
    return this.#tree.isOnPath(seq, this.#file.head);
  }

  /** The context with the head at `head`. */
  contextAt(head: number | null): Projection {
    return Projection.of(this.#tree.pathTo(head), this.#file.movedBy);
  }

  /** Checkpoints on the path to the head, oldest first. Reads nothing else. */
  get checkpoints(): readonly CheckpointEntry[] {
    const found: CheckpointEntry[] = [];
    for (const seq of this.#tree.chain(this.#file.head)) {
      const entry = this.#tree.typeOf(seq) === 'checkpoint' ? this.entry(seq) : null;
      if (entry?.type === 'checkpoint') found.push(entry);
    }
    return found.reverse();
  }

  /**
   * Resolves with the entry when it would survive a killed process. Rejects with `JournalError`: when nothing may be
   * appended, nothing has changed; when the write failed, the entry stays in memory and is written before the next one.
   * Throws for an entry that does not fit the context, such as an undo without a compaction.
   */
  async append<D extends EntryDraft>(draft: D): Promise<Appended<D>> {
    if (this.#ports.store.readOnly) throw this.#ports.store.readOnly;
    const entry = this.#number(draft);
    const refusal = this.#refusalOf(entry);
    if (refusal) throw new UserFacingError(words('Entry {0} ({1}) does not fit: {2}.', entry.seq, entry.type, refusal));
    const line = encodeEntry(entry, this.#ports.crypto);
    this.#take(entry);
    const written = this.#ports.store.append(line);
    for (const listener of this.#listeners) listener(entry);
    await written;
    return entry as Appended<D>;
  }

  /** Moves the head only: the abandoned entries stay in the file as a branch. */
  revert(target: number | null, cause: RevertCause): Promise<RevertEntry> {
    return this.append({ type: 'revert', target, cause });
  }

  /** Resolves when everything appended so far would survive a power loss. */
  sync(): Promise<void> {
    return this.#ports.store.sync();
  }

  async close(): Promise<void> {
    try {
      await this.#ports.store.close();
    } finally {
      for (const act of this.#afterClose.splice(0)) await act();
    }
  }

  /** Runs `act` once the journal is closed, also when its last lines could not be written. */
  onClosed(act: () => Promise<void>): void {
    this.#afterClose.push(act);
  }

  /** Calls `listener` for each entry from now on, after it was folded. Returns a function that unsubscribes. */
  listen(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Gives a context that began shallow, with the head at `begun`, the rest of its path. */
  #wholePath(begun: number | null, stored: StoredEntries): WholePath {
    return {
      fold: (head) => Fold.of(this.#tree.pathTo(head)),
      message: (id) => {
        const seq = messageSeq(id);
        const facts = seq >= 0 ? stored.facts(seq) : null;
        return facts?.type === 'message' && this.#tree.isOnPath(seq, begun) ? new StoredMessage(seq, stored) : null;
      },
    };
  }

  #refusalOf(entry: Entry): Words | null {
    if (isTreeEntry(entry)) return this.context.refusalOf(entry);
    const lost = entry.type === 'revert' && entry.target !== null && !this.#tree.isTree(entry.target);
    return lost ? words('there is no entry {0} to go back to', String(entry.target)) : null;
  }

  /** Field order is the order on disk: `seq, parent, time, type` first makes a journal easy to read. */
  #number(draft: EntryDraft): Entry {
    const { type } = draft;
    const seq = this.nextSeq;
    const time = new Date(this.#ports.clock.now()).toISOString();
    const first = isTreeType(type) ? { seq, parent: this.#file.head, time, type } : { seq, time, type };
    return Object.assign(first, draft) as Entry;
  }

  #take(entry: Entry): void {
    this.#file.take(entry);
    if (isTreeEntry(entry)) this.#projection?.apply(entry);
    else if (entry.type === 'revert') this.#projection = null;
  }
}

/** For a journal that ends with the program. */
export function forgetfulStore(name: string): JournalStore {
  return {
    name,
    readOnly: null,
    unwritten: 0,
    append: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** The bodies of such a journal. */
export function memoryBlobs(crypto: Pick<Crypto, 'sha256'>): BlobStore {
  const blobs = new Map<string, Uint8Array>();
  return {
    put: async (bytes) => {
      const name = await crypto.sha256(bytes);
      blobs.set(name, bytes);
      return name;
    },
    get: (name) => Promise.resolve(blobs.get(name) ?? null),
  };
}
