/**
 * Finds where every entry of a large journal lies, reading line starts and ends only: as fast as the disk, and without
 * the file in memory. Lines whose start is unusual are decoded whole. Checksums are checked when an entry is read.
 */

import { decodeBytes } from '../../core/journal/codec.ts';
import type { Entry } from '../../core/journal/entry.ts';
import { factsOf } from '../../core/journal/storedEntries.ts';
import type { Crypto } from '../../core/ports.ts';
import type { JournalTail } from './fileJournalStore.ts';
import { JournalColumns } from './journalColumns.ts';
import { readHead } from './lineHead.ts';
import { type LineTally, tallyLines } from './lineTally.ts';
import { type LinesRead, readRanges, readRangesSync } from './readLines.ts';

export interface ScannedJournal {
  readonly columns: JournalColumns;
  readonly tally: LineTally;
  /** Length of the file. */
  readonly bytes: number;
  readonly tail: JournalTail;
  readonly torn: Uint8Array | null;
}

/** Throws `JournalError` when the file cannot be read. */
export async function scanJournal(path: string, crypto: Crypto): Promise<ScannedJournal> {
  const columns = new JournalColumns();
  const tally = tallyLines();
  const read = await readRanges(path, takeLines(columns, tally, crypto));
  return finish(read, columns, tally, crypto);
}

/** The same without yielding. */
export function scanJournalSync(path: string, crypto: Crypto): ScannedJournal {
  const columns = new JournalColumns();
  const tally = tallyLines();
  const read = readRangesSync(path, takeLines(columns, tally, crypto));
  return finish(read, columns, tally, crypto);
}

function finish({ size, rest }: LinesRead, columns: JournalColumns, tally: LineTally, crypto: Crypto): ScannedJournal {
  // The newest line may be half of what was meant: it is decoded whole, and what does not check is torn.
  const copy = rest && Buffer.from(rest.bytes);
  const decoded = rest && decodeBytes(rest.bytes, crypto);
  const whole = decoded?.kind === 'entry';
  if (rest && whole) {
    tally.lines++;
    add(decoded.entry, rest.offset, rest.bytes.length, columns, tally);
  }
  return {
    columns,
    tally,
    bytes: size,
    tail: { length: whole || !rest ? size : rest.offset, needsBreak: whole },
    torn: whole ? null : copy,
  };
}

function takeLines(columns: JournalColumns, tally: LineTally, crypto: Crypto) {
  return (chunk: Buffer, start: number, end: number, offset: number): void => {
    tally.lines++;
    const length = end - start;
    const head = readHead(chunk, start, end);
    if (head) {
      const { seq, parent, type, kind, tokens, time } = head;
      if (tally.place(seq, offset, length)) {
        columns.addCodes(seq, offset, length, parent, type, kind, tokens, time);
      }
      return;
    }
    const decoded = decodeBytes(chunk.subarray(start, end), crypto);
    if (decoded.kind === 'entry') add(decoded.entry, offset, length, columns, tally);
    else tally.damaged.push({ line: tally.lines, offset, length, reason: decoded.reason });
  };
}

function add(entry: Entry, offset: number, length: number, columns: JournalColumns, tally: LineTally): void {
  const { seq } = entry;
  if (tally.place(seq, offset, length)) columns.add(seq, factsOf(entry), { offset, length });
}
