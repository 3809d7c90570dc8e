/**
 * Entries stored in the journal's file and read one by one on access, so that opening a session costs what is shown,
 * not what was ever written. The facts that the tree and the fold need are known without reading a body.
 */

import { type ItemKind, kindOf } from '../context/item.ts';
import type { Message, Usage } from '../context/message.ts';
import { type Entry, isTreeEntry, type MessageEntry, type TreeEntry, type UsageEntry } from './entry.ts';
import { foldsOf } from './entryTypes.ts';

/** Facts of an entry, known without reading it. */
export interface EntryFacts {
  readonly type: Entry['type'];
  /** Undefined for file entries, which have no parent. */
  readonly parent: number | null | undefined;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The kind of a message's item; null for other entries. */
  readonly kind: ItemKind | null;
  /** The estimate for a message; 0 for other entries. */
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

/** Reading is synchronous: a line takes microseconds, and the fold stays a plain function. */
export interface StoredEntries {
  /** Entries 0 to `count` - 1 were written to the file. */
  readonly count: number;
  /** Null for an entry that was lost. */
  facts(seq: number): EntryFacts | null;
  /** Verified against its checksum; null for an entry that was lost or is damaged. */
  read(seq: number): Entry | null;
}

/**
 * The entry as the fold needs it, read only where the fold looks inside. A damaged entry keeps its place in the path.
 */
export function pathEntry(seq: number, stored: StoredEntries): TreeEntry | null {
  const facts = stored.facts(seq);
  if (!facts) return null;
  if (facts.type === 'message') return new StoredMessage(seq, stored);
  if (facts.type === 'usage') return new StoredUsage(seq, stored);
  const entry = foldsOf(facts.type) === 'head' ? null : stored.read(seq);
  return entry && isTreeEntry(entry) ? entry : emptyNote(seq, facts);
}

/** Changes only the head. */
function emptyNote(seq: number, { parent }: EntryFacts): TreeEntry {
  return { seq, parent: parent ?? null, time: '', type: 'note', level: 'info', text: '' };
}

/** A stored entry whose body is read once, on first access. */
abstract class StoredEntry<E extends Entry> {
  abstract readonly type: E['type'];
  readonly seq: number;
  readonly #stored: StoredEntries;
  #entry: E | null = null;

  constructor(seq: number, stored: StoredEntries) {
    this.seq = seq;
    this.#stored = stored;
  }

  get parent(): number | null {
    return this.facts?.parent ?? null;
  }

  get time(): string {
    const time = this.facts?.time ?? Number.NaN;
    return Number.isNaN(time) ? 'unknown' : new Date(time).toISOString();
  }

  protected get facts(): EntryFacts | null {
    return this.#stored.facts(this.seq);
  }

  /** `lost` replaces an entry that proves damaged. */
  protected read(lost: () => E): E {
    if (!this.#entry) {
      const read = this.#stored.read(this.seq);
      this.#entry = read?.type === this.type ? (read as E) : lost();
    }
    return this.#entry;
  }
}

export class StoredMessage extends StoredEntry<MessageEntry> implements MessageEntry {
  readonly type = 'message';

  get kind(): ItemKind {
    // The index does not record kinds from a newer version.
    return this.facts?.kind ?? kindOf(this.#entryOf('user').message);
  }

  get tokens(): number {
    return this.facts?.tokens ?? 0;
  }

  get message(): Message {
    return this.#entryOf(this.facts?.kind ?? 'user').message;
  }

  get saidAt(): string | undefined {
    return this.#entryOf(this.facts?.kind ?? 'user').saidAt;
  }

  #entryOf(kind: ItemKind): MessageEntry {
    return this.read(() => {
      const { seq, parent, time, type, tokens } = this;
      return { seq, parent, time, type, tokens, message: lostMessage(kind) };
    });
  }
}

/** For a stored entry, without reading it. */
export function kindOfEntry(entry: MessageEntry): ItemKind {
  return entry instanceof StoredMessage ? entry.kind : kindOf(entry.message);
}

/** True when the person wrote it. */
export function isOwnMessage(entry: MessageEntry): boolean {
  return kindOfEntry(entry) === 'user';
}

/** A damaged one counts as estimated, so that nobody relies on it. */
class StoredUsage extends StoredEntry<UsageEntry> implements UsageEntry {
  readonly type = 'usage';

  get model(): string {
    return this.#entry.model;
  }

  get usage(): Usage {
    return this.#entry.usage;
  }

  get estimated(): boolean {
    return this.#entry.estimated ?? false;
  }

  get counted(): boolean {
    return this.#entry.counted ?? false;
  }

  get doubted(): Usage | undefined {
    return this.#entry.doubted;
  }

  get #entry(): UsageEntry {
    return this.read(() => {
      const { seq, parent, time, type } = this;
      const usage = { input: 0, cached: 0, output: 0, reasoning: 0 };
      return { seq, parent, time, type, model: '', usage, estimated: true };
    });
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
