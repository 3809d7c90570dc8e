/**
 * The entries of a journal's file, read one by one. Rows of the index locate them; each line is verified against its
 * checksum and its row, and a wrong index is replaced by a scan of the journal.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import type { Crypto } from '../../../core/crypto.ts';
import { decodeBytes } from '../../../core/journal/codec.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import { type EntryFacts, factsOf, type StoredEntries } from '../../../core/journal/storedEntries.ts';
import { storageError } from '../disk/storageError.ts';
import {
  type EntryPlace,
  type FileRow,
  type JournalColumns,
  KIND_CODES,
  ROW_BYTES,
  readRow,
} from './journalColumns.ts';
import { scanJournalSync } from './scanJournal.ts';

export class FileEntries implements StoredEntries {
  readonly count: number;
  readonly #path: string;
  readonly #crypto: Crypto;
  readonly #lines: PieceReader;
  /** Rows of the index file; null if there is none, or it proved wrong. */
  #rows: RowReader | null;
  /** Rows scanned from the journal itself. */
  #scanned: JournalColumns | null;

  constructor(path: string, count: number, crypto: Crypto, from: { readonly rows: string } | JournalColumns) {
    this.#path = path;
    this.count = count;
    this.#crypto = crypto;
    this.#lines = new PieceReader(path);
    this.#rows = 'rows' in from ? new RowReader(from.rows) : null;
    this.#scanned = 'rows' in from ? null : from;
  }

  /** Rows of the whole journal when the index was wrong; null when it is good. */
  get scanned(): JournalColumns | null {
    return this.#scanned;
  }

  facts(seq: number): EntryFacts | null {
    if (seq >= this.count) return null;
    const row = this.#rows?.row(seq);
    return row ? row.facts : this.#rescan().facts(seq);
  }

  read(seq: number): Entry | null {
    if (seq >= this.count) return null;
    const row = this.#rows?.row(seq);
    if (row) {
      const entry = row.facts && this.#readAt(seq, row.place, row.facts);
      if (entry || !row.facts) return entry;
    }
    // Either the line is damaged or the index is wrong: the journal itself decides.
    const columns = this.#rescan();
    const place = columns.place(seq);
    return place && this.#readAt(seq, place, columns.facts(seq));
  }

  #rescan(): JournalColumns {
    this.#rows = null;
    this.#scanned ??= scanJournalSync(this.#path, this.#crypto).columns;
    return this.#scanned;
  }

  /** Null when the line is invalid, or does not match its row. */
  #readAt(seq: number, { offset, length }: EntryPlace, row: EntryFacts | null): Entry | null {
    const decoded = decodeBytes(this.#lines.read(offset, length), this.#crypto);
    if (decoded.kind === 'damaged' || decoded.entry.seq !== seq) return null;
    const facts = factsOf(decoded.entry);
    // A row has no kind for those of a newer version.
    const kind = facts.kind !== null && KIND_CODES.has(facts.kind) ? facts.kind : null;
    return row && row.parent === facts.parent && row.kind === kind ? decoded.entry : null;
  }
}

/** Reads pieces of a file. It stays open until the current task yields, so that callers need not close it. */
class PieceReader {
  readonly #path: string;
  #file: number | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Shorter at the end of the file. The caller may write into it. */
  read(offset: number, length: number): Buffer {
    try {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(this.#open(), bytes, 0, length, offset));
    } catch (thrown) {
      throw storageError(this.#path, thrown);
    }
  }

  #open(): number {
    if (this.#file !== null) return this.#file;
    const file = openSync(this.#path, 'r');
    this.#file = file;
    setImmediate(() => {
      this.#file = null;
      closeSync(file);
    });
    return file;
  }
}

const BLOCK = 1 << 14;
const MOST_BLOCKS = 128;

/** Rows of an index file, read through a few cached blocks. */
class RowReader {
  readonly #file: PieceReader;
  readonly #blocks = new Map<number, Buffer>();

  constructor(path: string) {
    this.#file = new PieceReader(path);
  }

  /** Null when the row is damaged. */
  row(seq: number): FileRow | null {
    const number = Math.floor((seq * ROW_BYTES) / BLOCK);
    const at = seq * ROW_BYTES - number * BLOCK;
    return readRow(this.#block(number, at + ROW_BYTES), at);
  }

  /** At least `length` bytes of a block, if the file has them: the newest block may have grown since it was read. */
  #block(number: number, length: number): Buffer {
    const known = this.#blocks.get(number);
    if (known && known.length >= length) return known;
    this.#blocks.delete(number);
    const block = this.#file.read(number * BLOCK, BLOCK);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size < MOST_BLOCKS) break;
      this.#blocks.delete(oldest);
    }
    this.#blocks.set(number, block);
    return block;
  }
}
