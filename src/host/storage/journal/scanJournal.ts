/**
 * Finds where every entry of a large journal lies, reading line starts and ends only: as fast as the disk, and without
 * the file in memory. Lines whose start is unusual are decoded whole. Checksums are checked when an entry is read.
 */

import { decodeBytes } from '../../../core/journal/codec.ts';
import { isTreeEntry } from '../../../core/journal/entry.ts';
import { factsOf } from '../../../core/journal/storedEntries.ts';
import type { Crypto } from '../../../core/ports.ts';
import { type LinesRead, readRanges, readRangesSync } from '../disk/readLines.ts';
import type { JournalTail } from './fileJournalStore.ts';
import { FILE_ENTRY, JournalColumns, NO_PARENT } from './journalColumns.ts';
import { readHead } from './lineHead.ts';
import { type LineTally, tallyLines } from './lineTally.ts';

export interface ScannedJournal {
  readonly columns: JournalColumns;
  readonly tally: LineTally;
  /** Length of the file. */
  readonly bytes: number;
  readonly tail: JournalTail;
  readonly torn: Uint8Array | null;
}

/**
 * Throws `JournalError` when the file cannot be read. Where anything is out of order, a damaged number may have put other
 * lines out of their places: then every line is decoded and checked.
 */
export async function scanJournal(path: string, crypto: Crypto): Promise<ScannedJournal> {
  const quick = new Scan(crypto, false);
  const scanned = quick.finish(await readRanges(path, quick.take));
  if (quick.isInOrder) return scanned;
  const careful = new Scan(crypto, true);
  return careful.finish(await readRanges(path, careful.take));
}

/** The same without yielding. */
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
  readonly #tally = tallyLines();
  /** The newest entry of the tree: the next one's parent, but after a revert. */
  #head = NO_PARENT;

  constructor(crypto: Crypto, careful: boolean) {
    this.#crypto = crypto;
    this.#careful = careful;
  }

  get isInOrder(): boolean {
    return this.#tally.damaged.length === 0 && this.#tally.gaps.length === 0;
  }

  readonly take = (chunk: Buffer, start: number, end: number, offset: number): void => {
    this.#tally.lines++;
    const head = this.#careful ? null : readHead(chunk, start, end);
    // A damaged parent would lead past a part of the conversation, so an unusual one is not believed unchecked.
    if (!head || (head.parent !== this.#head && head.parent !== FILE_ENTRY)) {
      this.#decode(chunk.subarray(start, end), offset);
      return;
    }
    const { seq, parent, type, kind, tokens, time } = head;
    const length = end - start;
    if (!this.#tally.place(seq, offset, length)) return;
    this.#columns.addCodes(seq, offset, length, parent, type, kind, tokens, time);
    if (parent !== FILE_ENTRY) this.#head = seq;
  };

  finish({ size, rest }: LinesRead): ScannedJournal {
    // The newest line may be half of what was meant: it is decoded whole, and what does not check is torn.
    const copy = rest && Buffer.from(rest.bytes);
    const tally = this.#tally;
    if (rest) tally.lines++;
    const whole = rest !== null && this.#decode(rest.bytes, rest.offset);
    if (rest && !whole) {
      tally.lines--;
      tally.damaged.pop();
    }
    return {
      columns: this.#columns,
      tally,
      bytes: size,
      tail: { length: whole || !rest ? size : rest.offset, needsBreak: whole },
      torn: whole ? null : copy,
    };
  }

  /** False when the line is damaged. */
  #decode(line: Buffer, offset: number): boolean {
    const { length } = line;
    const decoded = decodeBytes(line, this.#crypto);
    if (decoded.kind === 'damaged') {
      this.#tally.damaged.push({ line: this.#tally.lines, offset, length, reason: decoded.reason });
      return false;
    }
    const { entry } = decoded;
    if (!this.#tally.place(entry.seq, offset, length)) return true;
    this.#columns.add(entry.seq, factsOf(entry), { offset, length });
    if (isTreeEntry(entry)) this.#head = entry.seq;
    return true;
  }
}
