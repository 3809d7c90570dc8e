/**
 * The entries of a journal's file, read one by one. Rows of the index say where; each line is checked against its
 * checksum and its row, and an index that turns out wrong is replaced by a scan of the journal.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { decodeBytes } from '../../../core/journal/codec.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import { type EntryFacts, factsOf, type StoredEntries } from '../../../core/journal/storedEntries.ts';
import type { Crypto } from '../../../core/ports.ts';
import { storageError } from '../disk/storageError.ts';
import { type EntryPlace, type FileRow, type JournalColumns, ROW_BYTES, readRow } from './journalColumns.ts';
import { scanJournalSync } from './scanJournal.ts';

const BLOCK = 1 << 14;
const BLOCKS = 128;

export class FileEntries implements StoredEntries {
  readonly count: number;
  readonly #path: string;
  readonly #crypto: Crypto;
  readonly #lines: BlockReader;
  readonly #rows: BlockReader;
  /** Rows out of the journal itself; null while those of the index file are good. */
  #scanned: JournalColumns | null;

  /** `scanned` are rows out of the journal; without them those of the index file `rows` are used. */
  constructor(
    path: string,
    count: number,
    crypto: Crypto,
    from: { readonly rows: string } | { readonly scanned: JournalColumns },
  ) {
    this.#path = path;
    this.count = count;
    this.#crypto = crypto;
    this.#lines = new BlockReader(path);
    this.#rows = new BlockReader('rows' in from ? from.rows : path);
    this.#scanned = 'scanned' in from ? from.scanned : null;
  }

  /** Rows of the whole journal when the index was of no use; null when it is good. */
  get scanned(): JournalColumns | null {
    return this.#scanned;
  }

  facts(seq: number): EntryFacts | null {
    if (seq >= this.count) return null;
    if (!this.#scanned) {
      const row = this.#row(seq);
      if (row) return row.facts;
    }
    return this.#rescan().facts(seq);
  }

  read(seq: number): Entry | null {
    if (seq >= this.count) return null;
    if (!this.#scanned) {
      const row = this.#row(seq);
      if (row && !row.facts) return null;
      const entry = row && this.#readAt(seq, row.place, row.facts);
      if (entry) return entry;
    }
    // Either the line is damaged or the index is wrong: the journal itself decides.
    const columns = this.#rescan();
    const place = columns.place(seq);
    return place && this.#readAt(seq, place, columns.facts(seq));
  }

  #rescan(): JournalColumns {
    this.#scanned ??= scanJournalSync(this.#path, this.#crypto).columns;
    return this.#scanned;
  }

  /** Null when the row is not what was written. */
  #row(seq: number): FileRow | null {
    return this.#rows.look(seq * ROW_BYTES, ROW_BYTES, readRow);
  }

  /** Null when the line does not check, or is not what its row says. */
  #readAt(seq: number, { offset, length }: EntryPlace, row: EntryFacts | null): Entry | null {
    const decoded = decodeBytes(this.#lines.read(offset, length), this.#crypto);
    if (decoded.kind === 'damaged' || decoded.entry.seq !== seq) return null;
    const facts = factsOf(decoded.entry);
    return row && row.parent === facts.parent && row.kind === facts.kind ? decoded.entry : null;
  }
}

/**
 * Reads pieces of a file through a few cached blocks. The file stays open until the work under way yields, so that nothing
 * is left to close.
 */
class BlockReader {
  readonly #path: string;
  #file: number | null = null;
  readonly #blocks = new Map<number, Buffer>();

  constructor(path: string) {
    this.#path = path;
  }

  /** A copy, which the caller may write into; shorter where the file ends. */
  read(offset: number, length: number): Buffer {
    if (length > BLOCK) return this.#readFile(offset, length);
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const number = Math.floor((offset + done) / BLOCK);
      const from = offset + done - number * BLOCK;
      const wanted = Math.min(BLOCK - from, length - done);
      const block = this.#block(number, from + wanted);
      const copied = block.copy(bytes, done, from, Math.min(block.length, from + wanted));
      if (copied === 0) return bytes.subarray(0, done);
      done += copied;
    }
    return bytes;
  }

  /** Reads in place what lies in one block. */
  look<T>(offset: number, length: number, read: (block: Buffer, at: number) => T): T {
    const number = Math.floor(offset / BLOCK);
    const from = offset - number * BLOCK;
    return read(this.#block(number, from + length), from);
  }

  /** At least `length` bytes of a block, where the file has them: the newest block may have grown since it was read. */
  #block(number: number, length: number): Buffer {
    const known = this.#blocks.get(number);
    if (known && known.length >= length) return known;
    this.#blocks.delete(number);
    const block = this.#readFile(number * BLOCK, BLOCK);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size < BLOCKS) break;
      this.#blocks.delete(oldest);
    }
    this.#blocks.set(number, block);
    return block;
  }

  #readFile(offset: number, length: number): Buffer {
    try {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(this.#open(), buffer, 0, length, offset));
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
