/**
 * A session's journal in memory: the only truth, and the only writer to its store. An append is numbered and folded at
 * once and acknowledged when the store says that it would survive a killed process; nothing here rewrites anything.
 */

import { Projection } from '../context/projection.ts';
import type { Clock, Crypto, JournalStore } from '../ports.ts';
import { encodeEntry } from './codec.ts';
import {
  type Entry,
  type EntryDraft,
  isTreeEntry,
  type RevertCause,
  type SessionEntry,
  type TreeEntry,
} from './entry.ts';

export interface JournalPorts {
  readonly store: JournalStore;
  readonly clock: Clock;
  readonly crypto: Crypto;
}

export type JournalListener = (entry: Entry) => void;

export class Journal {
  readonly #ports: JournalPorts;
  readonly #entries: Entry[] = [];
  readonly #bySeq = new Map<number, TreeEntry>();
  readonly #listeners = new Set<JournalListener>();
  #projection = new Projection();
  #head: number | null = null;
  #nextSeq = 0;
  #nextCheckpoint = 0;

  /** `entries` are those of the file, in file order, already checked. */
  constructor(entries: Iterable<Entry>, ports: JournalPorts) {
    this.#ports = ports;
    for (const entry of entries) this.#take(entry);
    this.#projection = Projection.of(this.path());
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

  entry(seq: number): TreeEntry | null {
    return this.#bySeq.get(seq) ?? null;
  }

  /** The parent chain of `head` (the journal's own when left out), root first. */
  path(head: number | null = this.#head): TreeEntry[] {
    const path: TreeEntry[] = [];
    for (let seq = head; seq !== null; ) {
      const entry = this.#bySeq.get(seq);
      if (!entry) break;
      path.push(entry);
      seq = entry.parent;
    }
    return path.reverse();
  }

  /** Resolves with the entry when it would survive a killed process. Rejects with `JournalError`; it then stays in memory. */
  async append<D extends EntryDraft>(draft: D): Promise<Extract<Entry, { type: D['type'] }>> {
    const seq = this.#nextSeq;
    const time = new Date(this.#ports.clock.now()).toISOString();
    const { type, ...rest } = draft;
    const tree = !['session', 'opened', 'title', 'revert'].includes(type);
    // The order of fields is the order on disk: seq, parent, time, type first makes a journal readable by eye.
    const entry = { seq, ...(tree ? { parent: this.#head } : {}), time, type, ...rest } as unknown as Entry;
    this.#take(entry);
    if (isTreeEntry(entry)) this.#projection.apply(entry);
    else if (entry.type === 'revert') this.#projection = Projection.of(this.path());
    const written = this.#ports.store.append(encodeEntry(entry, this.#ports.crypto));
    for (const listener of this.#listeners) listener(entry);
    await written;
    return entry as Extract<Entry, { type: D['type'] }>;
  }

  /** Moves the head, nothing else: what is left behind stays in the file as a branch. */
  async revert(target: number | null, cause: RevertCause): Promise<void> {
    if (target !== null && !this.#bySeq.has(target)) throw new Error(`No entry ${target} to go back to`);
    await this.append({ type: 'revert', target, cause });
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

  #take(entry: Entry): void {
    this.#entries.push(entry);
    this.#nextSeq = Math.max(this.#nextSeq, entry.seq + 1);
    if (isTreeEntry(entry)) {
      this.#bySeq.set(entry.seq, entry);
      this.#head = entry.seq;
      if (entry.type === 'checkpoint') this.#nextCheckpoint = Math.max(this.#nextCheckpoint, entry.id + 1);
    } else if (entry.type === 'revert') {
      this.#head = entry.target;
    }
  }
}
