/**
 * Finds the position of every entry of a large journal, reading only line starts and ends: as fast as the disk, and
 * without the file in memory. Lines with an unusual start are decoded whole. Checksums are verified when an entry is
 * read.
 */

import type { Crypto } from '../../../core/crypto.ts';
import { type Entry, isTreeEntry } from '../../../core/journal/entry.ts';
import { type LinesRead, readRanges, readRangesSync } from '../disk/readLines.ts';
import type { JournalTail } from './fileJournalStore.ts';
import { FILE_ENTRY, JournalColumns, NO_PARENT } from './journalColumns.ts';
import { readHead } from './lineHead.ts';
import { LineTally } from './readJournal.ts';

export interface ScannedJournal {
  readonly columns: JournalColumns;
  readonly tally: LineTally;
  /** Length of the file. */
  readonly bytes: number;
  readonly tail: JournalTail;
}

/**
 * Throws `JournalError` when the file cannot be read. If anything is out of order, a damaged number may have misplaced
 * other lines: then every line is decoded and verified. The signal stops the scan.
 */
export async function scanJournal(path: string, crypto: Crypto, signal?: AbortSignal): Promise<ScannedJournal> {
  const quick = new Scan(crypto, false);
  const scanned = quick.finish(await readRanges(path, quick.take, { signal }));
  if (quick.isInOrder) return scanned;
  const careful = new Scan(crypto, true);
  return careful.finish(await readRanges(path, careful.take, { signal }));
}

/** Without yielding, for the rare case that an index proves wrong in the middle of a read. */
export function scanJournalSync(path: string, crypto: Crypto): ScannedJournal {
  const quick = new Scan(crypto, false);
  const scanned = quick.finish(readRangesSync(path, quick.take));
  if (quick.isInOrder) return scanned;
  const careful = new Scan(crypto, true);
  return careful.finish(readRangesSync(path, careful.take));
}

class Scan {
  readonly #crypto: Crypto;
  readonly #careful: boolean;
  readonly #columns = new JournalColumns();
  readonly #tally = new LineTally();
  /** The newest entry of the tree: the parent of the next one, unless a revert comes between. */
  #head = NO_PARENT;

  constructor(crypto: Crypto, careful: boolean) {
    this.#crypto = crypto;
    this.#careful = careful;
  }

  get isInOrder(): boolean {
    const { damaged, gaps } = this.#tally.counts;
    return damaged.length === 0 && gaps.length === 0;
  }

  readonly take = (chunk: Buffer, start: number, end: number, offset: number, length: number): void => {
    const head = this.#careful ? null : readHead(chunk, start, end);
    // A damaged parent would skip a part of the conversation, so an unusual one is verified.
    if (!head || (head.parent !== this.#head && head.parent !== FILE_ENTRY)) {
      this.#decode(chunk.subarray(start, end), offset, length);
      return;
    }
    if (!this.#tally.accept(head.seq, offset, length)) return;
    this.#columns.addHead(head, offset, length);
    if (head.parent !== FILE_ENTRY) this.#head = head.seq;
  };

  /** The newest line may be incomplete, so it is decoded whole. */
  finish(read: LinesRead): ScannedJournal {
    const tail = this.#tally.finish(read, this.#decode);
    return { columns: this.#columns, tally: this.#tally, bytes: read.size, tail };
  }

  readonly #decode = (line: Buffer, offset: number, length: number): boolean =>
    this.#tally.decode(line, offset, length, this.#crypto, this.#add);

  readonly #add = (entry: Entry, offset: number, length: number): void => {
    this.#columns.add(entry, offset, length);
    if (isTreeEntry(entry)) this.#head = entry.seq;
  };
}
