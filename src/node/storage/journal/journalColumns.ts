/**
 * The position of each entry in a journal and the facts that the fold needs, as columns: 32 bytes an entry, the row
 * number is the entry's `seq`. Derived from the journal; stored next to it so that opening need not read it.
 */

import type { ItemKind } from '../../../core/context/item.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import { TYPE_CODES } from '../../../core/journal/entryTypes.ts';
import { type EntryFacts, factsOf } from '../../../core/journal/storedEntries.ts';

export const ROW_BYTES = 32;

/** By their code in the index. */
const TYPES: readonly (Entry['type'] | undefined)[] = listByCode(TYPE_CODES);
/** An entry of a type that this version does not know. */
const OTHER = 255;
/** Never changed, and never given to another kind; 0 means none. */
const KIND_ROWS: Readonly<Record<ItemKind, number>> = {
  user: 1,
  summary: 2,
  reminder: 3,
  skillMetadata: 4,
  skillPrompt: 5,
  assistant: 6,
  toolResult: 7,
  mention: 8,
};
export const KIND_CODES: ReadonlyMap<string, number> = new Map(Object.entries(KIND_ROWS));
const KINDS: readonly (ItemKind | undefined)[] = listByCode(KIND_CODES);

/** Special values in the column of parents. */
export const NO_PARENT = -1;
export const FILE_ENTRY = -2;

/** The content of a row, in the codes of the columns. */
export interface LineHead {
  seq: number;
  parent: number;
  type: number;
  kind: number;
  tokens: number;
  time: number;
}

/** The position of an entry's line in the file. */
export interface EntryPlace {
  /** The line's first byte. */
  readonly offset: number;
  /** Without the line break. */
  readonly length: number;
}

/** A growing table whose first row is entry `base`. */
export class JournalColumns {
  readonly base: number;
  #offset = new Float64Array(256);
  #time = new Float64Array(256);
  #length = new Uint32Array(256);
  #parent = new Int32Array(256);
  #tokens = new Uint32Array(256);
  #type = new Uint8Array(256);
  #kind = new Uint8Array(256);
  #count: number;

  constructor(base = 0) {
    this.base = base;
    this.#count = base;
  }

  /** One past the newest `seq`. */
  get count(): number {
    return this.#count;
  }

  /** `seq` must not be lower than `count`; skipped rows are lost entries. */
  add(entry: Entry, offset: number, length: number): void {
    const { type, parent, kind, tokens, time } = factsOf(entry);
    this.addHead(
      {
        seq: entry.seq,
        parent: parent === undefined ? FILE_ENTRY : (parent ?? NO_PARENT),
        type: TYPE_CODES.get(type) ?? OTHER,
        kind: kind === null ? 0 : (KIND_CODES.get(kind) ?? 0),
        tokens,
        time,
      },
      offset,
      length,
    );
  }

  addHead({ seq, parent, type, kind, tokens, time }: LineHead, offset: number, length: number): void {
    const row = seq - this.base;
    if (row >= this.#type.length) this.#grow(row + 1);
    this.#offset[row] = offset;
    this.#time[row] = time;
    this.#length[row] = length;
    this.#parent[row] = parent;
    this.#tokens[row] = Math.min(Math.max(0, Math.round(tokens)), 0xffffffff);
    this.#type[row] = type;
    this.#kind[row] = kind;
    this.#count = seq + 1;
  }

  facts(seq: number): EntryFacts | null {
    const row = this.#rowOf(seq);
    return row < 0
      ? null
      : decodeFacts(this.#type[row], this.#kind[row], this.#parent[row], this.#time[row], this.#tokens[row]);
  }

  place(seq: number): EntryPlace | null {
    const row = this.#rowOf(seq);
    return row < 0 ? null : { offset: this.#offset[row] ?? 0, length: this.#length[row] ?? 0 };
  }

  /** The rows from `seq` on, in the format of the index file. */
  rowsFrom(seq: number): Buffer {
    const bytes = Buffer.alloc((this.#count - seq) * ROW_BYTES);
    for (let each = seq; each < this.#count; each++) {
      const row = each - this.base;
      const at = (each - seq) * ROW_BYTES;
      bytes.writeDoubleLE(this.#offset[row] ?? 0, at);
      bytes.writeDoubleLE(this.#time[row] ?? 0, at + 8);
      bytes.writeUInt32LE(this.#length[row] ?? 0, at + 16);
      bytes.writeInt32LE(this.#parent[row] ?? 0, at + 20);
      bytes.writeUInt32LE(this.#tokens[row] ?? 0, at + 24);
      bytes[at + 28] = this.#type[row] ?? 0;
      bytes[at + 29] = this.#kind[row] ?? 0;
      bytes.writeUInt16LE(checkOf(bytes, at), at + 30);
    }
    return bytes;
  }

  /** Negative for a lost entry. */
  #rowOf(seq: number): number {
    const row = seq - this.base;
    return seq < this.#count && (this.#type[row] ?? 0) !== 0 ? row : -1;
  }

  #grow(rows: number): void {
    const length = Math.max(rows, this.#type.length * 2);
    this.#offset = grown(this.#offset, new Float64Array(length));
    this.#time = grown(this.#time, new Float64Array(length));
    this.#length = grown(this.#length, new Uint32Array(length));
    this.#parent = grown(this.#parent, new Int32Array(length));
    this.#tokens = grown(this.#tokens, new Uint32Array(length));
    this.#type = grown(this.#type, new Uint8Array(length));
    this.#kind = grown(this.#kind, new Uint8Array(length));
  }
}

function grown<A extends { set(from: ArrayLike<number>): void } & ArrayLike<number>>(from: A, to: A): A {
  to.set(from);
  return to;
}

/** One row of an index file; null when it is damaged. */
export interface FileRow {
  /** Null for a lost entry. */
  readonly facts: EntryFacts | null;
  readonly place: EntryPlace;
}

/** Rows are: offset f64, time f64, length u32, parent i32, tokens u32, type u8, kind u8, check u16; little-endian. */
export function readRow(bytes: Buffer, at: number): FileRow | null {
  if (at + ROW_BYTES > bytes.length || bytes.readUInt16LE(at + 30) !== checkOf(bytes, at)) return null;
  const type = bytes[at + 28];
  const facts =
    type === 0
      ? null
      : decodeFacts(
          type,
          bytes[at + 29],
          bytes.readInt32LE(at + 20),
          bytes.readDoubleLE(at + 8),
          bytes.readUInt32LE(at + 24),
        );
  return { facts, place: { offset: bytes.readDoubleLE(at), length: bytes.readUInt32LE(at + 16) } };
}

function decodeFacts(type = OTHER, kind = 0, parent = NO_PARENT, time = 0, tokens = 0): EntryFacts {
  return {
    type: typeOf(type),
    parent: parentOf(parent),
    time,
    kind: KINDS[kind] ?? null,
    tokens,
  };
}

/** Entries of unknown types keep their place in the tree without further meaning: they fold like a note. */
function typeOf(code = OTHER): Entry['type'] {
  return TYPES[code] ?? 'note';
}

function parentOf(parent = NO_PARENT): number | null | undefined {
  return parent === FILE_ENTRY ? undefined : parent === NO_PARENT ? null : parent;
}

/** A row of zeros is invalid, so a hole in the file is detected. */
function checkOf(bytes: Buffer, at: number): number {
  let sum = bytes.readUInt16LE(at + 28) + 0x5a5a;
  for (let i = 0; i < 28; i += 4) sum = (Math.imul(sum, 31) + bytes.readInt32LE(at + i)) | 0;
  return (sum ^ (sum >>> 16)) & 0xffff;
}

/** The names at the indices of their codes. */
function listByCode<Name extends string>(codes: ReadonlyMap<string, number>): (Name | undefined)[] {
  const list: (Name | undefined)[] = [];
  for (const [name, code] of codes) list[code] = name as Name;
  return list;
}
