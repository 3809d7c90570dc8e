/**
 * Where each entry of a journal lies and what the fold needs of it, as columns: 32 bytes an entry, the row number is the
 * entry's `seq`. Derived from the journal; kept beside it so that opening need not read it.
 */

import type { ItemKind } from '../../core/context/item.ts';
import type { Entry } from '../../core/journal/entry.ts';
import type { EntryFacts } from '../../core/journal/storedEntries.ts';

export const ROW_BYTES = 32;

/** Codes are positions: never reorder, only add at the end. 0 is a lost entry. */
const TYPES: readonly (Entry['type'] | '')[] = [
  '',
  'session',
  'opened',
  'title',
  'revert',
  'header',
  'configured',
  'message',
  'request',
  'usage',
  'checkpoint',
  'files',
  'compaction',
  'compactionFailed',
  'compactionUndone',
  'compactionRedone',
  'expanded',
  'collapsed',
  'pinned',
  'unpinned',
  'note',
];
/** An entry of a type that this version does not know. */
const OTHER = 255;
const KINDS: readonly (ItemKind | '')[] = [
  '',
  'user',
  'summary',
  'reminder',
  'skillMetadata',
  'skillPrompt',
  'assistant',
  'toolResult',
];
const TYPE_CODES = new Map(TYPES.map((type, code) => [type, code]));
const KIND_CODES = new Map(KINDS.map((kind, code) => [kind, code]));

const NO_PARENT = -1;
const FILE_ENTRY = -2;

export interface EntryPlace {
  /** Of the line's first byte. */
  readonly offset: number;
  /** Of the line without its break. */
  readonly length: number;
}

/** A growing table. Rows are laid out as: offset f64, time f64, length u32, parent i32, tokens u32, type u8, kind u8, check u16. */
export class JournalColumns {
  #bytes: Buffer;
  #count = 0;

  constructor(bytes: Buffer = Buffer.alloc(ROW_BYTES * 256), count = 0) {
    this.#bytes = bytes;
    this.#count = count;
  }

  /** One past the newest `seq`. */
  get count(): number {
    return this.#count;
  }

  /** `seq` must not be lower than `count`; rows left out are lost entries. */
  add(seq: number, facts: EntryFacts, { offset, length }: EntryPlace): void {
    while ((seq + 1) * ROW_BYTES > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    }
    const at = seq * ROW_BYTES;
    const { parent } = facts;
    this.#bytes.writeDoubleLE(offset, at);
    this.#bytes.writeDoubleLE(facts.time, at + 8);
    this.#bytes.writeUInt32LE(length, at + 16);
    this.#bytes.writeInt32LE(parent === undefined ? FILE_ENTRY : (parent ?? NO_PARENT), at + 20);
    this.#bytes.writeUInt32LE(Math.min(Math.max(0, Math.round(facts.tokens)), 0xffffffff), at + 24);
    this.#bytes[at + 28] = TYPE_CODES.get(facts.type) ?? OTHER;
    this.#bytes[at + 29] = KIND_CODES.get(facts.kind ?? '') ?? 0;
    this.#bytes.writeUInt16LE(checkOf(this.#bytes, at), at + 30);
    this.#count = seq + 1;
  }

  facts(seq: number): EntryFacts | null {
    if (seq < 0 || seq >= this.#count) return null;
    return readFacts(this.#bytes, seq * ROW_BYTES);
  }

  place(seq: number): EntryPlace | null {
    if (seq < 0 || seq >= this.#count || this.#bytes[seq * ROW_BYTES + 28] === 0) return null;
    return readPlace(this.#bytes, seq * ROW_BYTES);
  }

  /** True when every row is what was written. */
  isWhole(): boolean {
    for (let at = 0; at < this.#count * ROW_BYTES; at += ROW_BYTES) if (!isWholeRow(this.#bytes, at)) return false;
    return true;
  }

  /** The rows from `seq` on, as they lie in the index file. */
  rowsFrom(seq: number): Uint8Array {
    return this.#bytes.subarray(seq * ROW_BYTES, this.#count * ROW_BYTES);
  }
}

/** False when the row is not what was written: the index is then of no use. */
export function isWholeRow(bytes: Buffer, at: number): boolean {
  return at + ROW_BYTES <= bytes.length && (bytes[at + 28] === 0 || bytes.readUInt16LE(at + 30) === checkOf(bytes, at));
}

function checkOf(bytes: Buffer, at: number): number {
  let sum = bytes.readUInt16LE(at + 28);
  for (let i = 0; i < 28; i += 4) sum = (Math.imul(sum, 31) + bytes.readInt32LE(at + i)) | 0;
  return (sum ^ (sum >>> 16)) & 0xffff;
}

/** Null for a lost entry. `at` is the offset of a row in `bytes`. */
export function readFacts(bytes: Buffer, at: number): EntryFacts | null {
  const code = bytes[at + 28] ?? 0;
  if (code === 0) return null;
  const parent = bytes.readInt32LE(at + 20);
  return {
    // Entries of unknown types keep their place in the tree and mean nothing else: they fold like a note.
    type: TYPES[code] || 'note',
    parent: parent === FILE_ENTRY ? undefined : parent === NO_PARENT ? null : parent,
    time: bytes.readDoubleLE(at + 8),
    kind: KINDS[bytes[at + 29] ?? 0] || null,
    tokens: bytes.readUInt32LE(at + 24),
  };
}

export function readPlace(bytes: Buffer, at: number): EntryPlace {
  return { offset: bytes.readDoubleLE(at), length: bytes.readUInt32LE(at + 16) };
}
