/**
 * The entries of a journal's file, read one by one. Rows of the index say where; each line is checked against its
 * checksum and its row, and an index that turns out wrong is replaced by a scan of the journal.
 */

import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { decodeBytes } from '../../core/journal/codec.ts';
import type { Entry } from '../../core/journal/entry.ts';
import { type EntryFacts, factsOf, type StoredEntries } from '../../core/journal/storedEntries.ts';
import type { Crypto } from '../../core/ports.ts';
import { type EntryPlace, JournalColumns, ROW_BYTES } from './journalColumns.ts';
import { scanJournalSync } from './scanJournal.ts';
import { storageError } from './storageError.ts';

const BLOCK = 1 << 18;
const BLOCKS = 8;

export class FileEntries implements StoredEntries {
  readonly count: number;
  readonly #path: string;
  readonly #crypto: Crypto;
  readonly #blocks = new Map<number, Buffer>();
  /** Loads the rows; called when first needed. */
  readonly #load: () => JournalColumns | null;
  #columns: JournalColumns | null = null;
  #scanned: boolean;

  /** `scanned`: the rows come from the journal itself, so that a line that does not fit them is damaged. */
  constructor(
    path: string,
    count: number,
    load: () => JournalColumns | null,
    crypto: Crypto,
    { scanned }: { readonly scanned: boolean },
  ) {
    this.#scanned = scanned;
    this.#path = path;
    this.count = count;
    this.#load = load;
    this.#crypto = crypto;
  }

  facts(seq: number): EntryFacts | null {
    return seq < this.count ? this.columns.facts(seq) : null;
  }

  read(seq: number): Entry | null {
    if (seq >= this.count) return null;
    const entry = this.#readAt(seq);
    if (entry || this.#scanned) return entry;
    const facts = this.columns.facts(seq);
    if (!facts && this.columns.place(seq) === null) return null;
    // Either the line is damaged or the index is wrong: the journal itself decides.
    this.#rescan();
    return this.#readAt(seq);
  }

  /** Rows of everything stored; those of newer entries may be added. */
  get columns(): JournalColumns {
    if (!this.#columns) {
      const loaded = this.#load();
      if (loaded?.isWhole() && loaded.count >= this.count) this.#columns = loaded;
      else this.#rescan();
    }
    return this.#columns as JournalColumns;
  }

  #rescan(): void {
    this.#columns = scanJournalSync(this.#path, this.#crypto).columns;
    this.#scanned = true;
  }

  /** Null when there is no such line, it does not check, or it is not what the row says. */
  #readAt(seq: number): Entry | null {
    const place = this.columns.place(seq);
    if (!place) return null;
    const decoded = decodeBytes(this.#bytes(place), this.#crypto);
    if (decoded.kind === 'damaged' || decoded.entry.seq !== seq) return null;
    const row = this.columns.facts(seq);
    const facts = factsOf(decoded.entry);
    return row && row.parent === facts.parent && row.kind === facts.kind ? decoded.entry : null;
  }

  /** A copy of the bytes: decoding writes into them. */
  #bytes({ offset, length }: EntryPlace): Buffer {
    if (length > BLOCK) return this.#readFile(offset, length);
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const block = Math.floor((offset + done) / BLOCK);
      const content = this.#block(block);
      const from = offset + done - block * BLOCK;
      const copied = content.copy(bytes, done, from, Math.min(content.length, from + length - done));
      if (copied === 0) return bytes.subarray(0, done);
      done += copied;
    }
    return bytes;
  }

  #block(number: number): Buffer {
    const known = this.#blocks.get(number);
    if (known) return known;
    const block = this.#readFile(number * BLOCK, BLOCK);
    // The newest block still grows, so it is not kept.
    if (block.length < BLOCK) return block;
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size < BLOCKS) break;
      this.#blocks.delete(oldest);
    }
    this.#blocks.set(number, block);
    return block;
  }

  /** Opens the file each time: nothing is left to close, and a file that was replaced is seen. */
  #readFile(offset: number, length: number): Buffer {
    try {
      const file = openSync(this.#path, 'r');
      try {
        const buffer = Buffer.allocUnsafe(length);
        return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
      } finally {
        closeSync(file);
      }
    } catch (thrown) {
      throw storageError(this.#path, thrown);
    }
  }
}

/** Rows out of an index file; null when it is not there or too short. */
export function loadColumns(path: string, count: number): JournalColumns | null {
  try {
    const bytes = readFileSync(path);
    return bytes.length >= count * ROW_BYTES ? new JournalColumns(bytes, count) : null;
  } catch {
    // Derived: without it the journal is scanned.
    return null;
  }
}
