/** Takes a journal's lines one by one: valid entries in the order of their numbers, and a count of the others. */

import { type DecodedLine, decodeBytes } from '../../../core/journal/codec.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import type { Crypto } from '../../../core/ports.ts';
import type { LinesRead } from '../disk/readLines.ts';
import type { JournalTail } from './fileJournalStore.ts';
import type { EntryPlace } from './journalColumns.ts';

export interface DamagedLine extends EntryPlace {
  /** From 1. */
  readonly line: number;
  readonly reason: Extract<DecodedLine, { kind: 'damaged' }>['reason'] | 'doubled' | 'outOfOrder' | 'tooLong';
}

/** Results so far. */
export interface LineCounts {
  readonly lines: number;
  /** Omitted lines, in file order: invalid ones, or with a duplicate `seq`. */
  readonly damaged: readonly DamagedLine[];
  /** Entries that are missing, by `seq`, both ends included. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  /** The next `seq`. */
  readonly next: number;
}

/** More entries than that are never lost: a higher number is forged, and would cost memory and time. */
const MOST_MISSING = 1_000_000;

export class LineTally {
  #lines: number;
  #next: number;
  readonly #damaged: DamagedLine[];
  readonly #gaps: { readonly from: number; readonly to: number }[];
  #missing: number;

  /** `past` are the results for the preceding lines. */
  constructor(past: LineCounts = { lines: 0, damaged: [], gaps: [], next: 0 }) {
    this.#lines = past.lines;
    this.#next = past.next;
    this.#damaged = [...past.damaged];
    this.#gaps = [...past.gaps];
    this.#missing = past.gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  }

  get counts(): LineCounts {
    return { lines: this.#lines, damaged: this.#damaged, gaps: this.#gaps, next: this.#next };
  }

  /** Takes a line with entry `seq`. False when the line is out of order, and omitted. */
  accept(seq: number, offset: number, length: number): boolean {
    this.#lines++;
    if (seq < this.#next || this.#missing + seq - this.#next > MOST_MISSING) {
      const missing = seq >= this.#next || isIn(this.#gaps, seq);
      this.#damaged.push({ line: this.#lines, offset, length, reason: missing ? 'outOfOrder' : 'doubled' });
      return false;
    }
    if (seq > this.#next) this.#gaps.push({ from: this.#next, to: seq - 1 });
    this.#missing += seq - this.#next;
    this.#next = seq + 1;
    return true;
  }

  /**
   * Takes a decoded line; `take` gets its entry, unless it is out of order. False when the line is damaged. A line
   * shorter than its `length` was over the limit.
   */
  decode(
    line: Buffer,
    offset: number,
    length: number,
    crypto: Crypto,
    take: (entry: Entry, offset: number, length: number) => void,
  ): boolean {
    const isWhole = line.length === length;
    const decoded = decodeBytes(line, crypto);
    if (decoded.kind === 'damaged') {
      this.#damaged.push({ line: ++this.#lines, offset, length, reason: isWhole ? decoded.reason : 'tooLong' });
      return false;
    }
    const { entry } = decoded;
    if (this.accept(entry.seq, offset, length)) take(entry, offset, length);
    return true;
  }

  /** The end of the file: a valid last line lacks only its line break, an invalid one is torn. */
  finish(
    { size, rest, endsInLongLine }: LinesRead,
    decode: (line: Buffer, offset: number, length: number) => boolean,
  ): JournalTail {
    // Decoding writes into the line.
    const torn = rest && Buffer.from(rest.bytes);
    if (!rest || decode(rest.bytes, rest.offset, rest.bytes.length))
      return { length: size, needsBreak: rest !== null || endsInLongLine, torn: null };
    this.#damaged.pop();
    this.#lines--;
    return { length: rest.offset, needsBreak: false, torn };
  }
}

/** `gaps` rise, and a forged file may have very many. */
function isIn(gaps: LineCounts['gaps'], seq: number): boolean {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((gaps[middle]?.to ?? seq) < seq) low = middle + 1;
    else high = middle;
  }
  return seq >= (gaps[low]?.from ?? Number.POSITIVE_INFINITY);
}
