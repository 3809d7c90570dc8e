/**
 * Entries that lie in the journal's file and are read one by one when somebody looks at them, so that opening a session
 * costs what is shown, not what was ever written. What the tree and the fold need is known without reading a body.
 */

import { type ItemKind, kindOf } from '../context/item.ts';
import type { Message, Usage } from '../context/message.ts';
import {
  type CheckpointEntry,
  type Entry,
  isTreeEntry,
  type MessageEntry,
  type TreeEntry,
  type UsageEntry,
} from './entry.ts';

/** What is known of an entry without reading it. */
export interface EntryFacts {
  readonly type: Entry['type'];
  /** Undefined for file entries, which have no parent. */
  readonly parent: number | null | undefined;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Of a message's item; null for other entries. */
  readonly kind: ItemKind | null;
  /** Of a message; 0 for other entries. */
  readonly tokens: number;
}

export function factsOf(entry: Entry): EntryFacts {
  return {
    type: entry.type,
    parent: isTreeEntry(entry) ? entry.parent : undefined,
    time: Date.parse(entry.time),
    kind: entry.type === 'message' ? kindOf(entry.message) : null,
    tokens: entry.type === 'message' ? entry.tokens : 0,
  };
}

/** Reading is synchronous: a single line costs microseconds, and the fold stays a plain function. */
export interface StoredEntries {
  /** Entries 0 to `count` - 1 were written to the file. */
  readonly count: number;
  /** Null for an entry that was lost. */
  facts(seq: number): EntryFacts | null;
  /** The same as in the facts, for whoever looks at every entry. */
  typeOf(seq: number): Entry['type'] | null;
  kindOf(seq: number): ItemKind | null;
  /** Undefined for entries that have no parent, lost ones among them. */
  parent(seq: number): number | null | undefined;
  /** Checked against its checksum; null for an entry that was lost or is damaged. */
  read(seq: number): Entry | null;
}

/** A stored message whose body is read when first looked at. A body that turns out damaged reads as an empty note. */
export class StoredMessage implements MessageEntry {
  readonly type = 'message';
  readonly seq: number;
  readonly #facts: EntryFacts;
  readonly #stored: StoredEntries;
  #message: Message | null = null;

  constructor(seq: number, facts: EntryFacts, stored: StoredEntries) {
    this.seq = seq;
    this.#facts = facts;
    this.#stored = stored;
  }

  get parent(): number | null {
    return this.#facts.parent ?? null;
  }

  get time(): string {
    const { time } = this.#facts;
    return Number.isNaN(time) ? 'unknown' : new Date(time).toISOString();
  }

  /** Milliseconds since the epoch. */
  get ms(): number {
    return this.#facts.time;
  }

  get tokens(): number {
    return this.#facts.tokens;
  }

  get kind(): ItemKind {
    return this.#facts.kind ?? 'user';
  }

  get message(): Message {
    this.#message ??= this.#read();
    return this.#message;
  }

  #read(): Message {
    const entry = this.#stored.read(this.seq);
    return entry?.type === 'message' ? entry.message : lostMessage(this.kind);
  }
}

/** A stored report of usage, read when looked at. A damaged one counts as estimated, so nobody relies on it. */
export class StoredUsage implements UsageEntry {
  readonly type = 'usage';
  readonly seq: number;
  readonly parent: number | null;
  readonly #stored: StoredEntries;
  #entry: UsageEntry | null = null;

  constructor(seq: number, facts: EntryFacts, stored: StoredEntries) {
    this.seq = seq;
    this.parent = facts.parent ?? null;
    this.#stored = stored;
  }

  get time(): string {
    return this.#read().time;
  }

  get model(): string {
    return this.#read().model;
  }

  get usage(): Usage {
    return this.#read().usage;
  }

  get estimated(): boolean {
    return this.#read().estimated ?? false;
  }

  #read(): UsageEntry {
    if (!this.#entry) {
      const { seq, parent } = this;
      const read = this.#stored.read(seq);
      const usage = { input: 0, cached: 0, output: 0, reasoning: 0 };
      this.#entry =
        read?.type === 'usage' ? read : { seq, parent, time: '', type: 'usage', model: '', usage, estimated: true };
    }
    return this.#entry;
  }
}

/** A stored checkpoint, read when looked at. A damaged one has the id -1, which nobody asks for. */
export class StoredCheckpoint implements CheckpointEntry {
  readonly type = 'checkpoint';
  readonly seq: number;
  readonly parent: number | null;
  readonly #stored: StoredEntries;
  #entry: CheckpointEntry | null = null;

  constructor(seq: number, facts: EntryFacts, stored: StoredEntries) {
    this.seq = seq;
    this.parent = facts.parent ?? null;
    this.#stored = stored;
  }

  get time(): string {
    return this.#read().time;
  }

  get id(): number {
    return this.#read().id;
  }

  get label(): string {
    return this.#read().label;
  }

  get toldModel(): boolean {
    return this.#read().toldModel;
  }

  #read(): CheckpointEntry {
    if (!this.#entry) {
      const { seq, parent } = this;
      const read = this.#stored.read(seq);
      this.#entry =
        read?.type === 'checkpoint'
          ? read
          : { seq, parent, time: '', type: 'checkpoint', id: -1, label: '', toldModel: false };
    }
    return this.#entry;
  }
}

const LOST = '[This message is damaged in the session file and cannot be shown.]';

function lostMessage(kind: ItemKind): Message {
  switch (kind) {
    case 'assistant':
      return { role: 'assistant', text: LOST };
    case 'toolResult':
      return { role: 'tool', toolCallId: '', toolName: '', text: LOST };
    default:
      return { role: 'user', kind, text: LOST };
  }
}

/** The entry as the fold needs it, read only where the fold looks inside. A damaged one keeps its place in the path. */
export function storedForFold(seq: number, facts: EntryFacts, stored: StoredEntries): TreeEntry {
  switch (facts.type) {
    case 'message':
      return new StoredMessage(seq, facts, stored);
    case 'usage':
      return new StoredUsage(seq, facts, stored);
    case 'checkpoint':
      return new StoredCheckpoint(seq, facts, stored);
    case 'request':
    case 'files':
    case 'note':
    case 'compactionFailed':
      return placeOf(seq, facts);
    default: {
      const entry = stored.read(seq);
      return entry && isTreeEntry(entry) ? entry : placeOf(seq, facts);
    }
  }
}

/** Changes nothing but the head. */
function placeOf(seq: number, { parent }: EntryFacts): TreeEntry {
  return { seq, parent: parent ?? null, time: '', type: 'note', level: 'info', text: '' };
}
