/**
 * Reads a journal's file in chunks and reports exactly what it found: entries, damaged lines, gaps, duplicate lines and
 * a torn end. It never writes, so a read-only window may use it, and never needs the file in one string.
 */

import type { Crypto } from '../../../core/crypto.ts';
import { JournalError } from '../../../core/errors.ts';
import { type DecodedLine, decodeBytes } from '../../../core/journal/codec.ts';
import { type Entry, FORMAT_VERSION, type SessionEntry } from '../../../core/journal/entry.ts';
import { words } from '../../../core/words.ts';
import { type LinesRead, readLines } from '../disk/readLines.ts';
import type { JournalTail } from './fileJournalStore.ts';
import type { EntryPlace } from './journalColumns.ts';

/** The findings in the file. */
export interface JournalReport extends Omit<LineCounts, 'next'> {
  readonly path: string;
  readonly bytes: number;
  /** Length of the torn last line. */
  readonly tornBytes: number;
  /** Format version of the file. */
  readonly format: number;
  /** The first line was lost; memory holds a substitute. */
  readonly sessionLost: boolean;
}

export function reportOf(
  path: string,
  bytes: number,
  tally: LineTally,
  tail: JournalTail,
  session: SessionEntry | null,
): JournalReport {
  const { lines, damaged, gaps } = tally.counts;
  return {
    path,
    bytes,
    lines,
    damaged: [...damaged],
    gaps: [...gaps],
    tornBytes: tail.torn?.length ?? 0,
    format: session?.format ?? FORMAT_VERSION,
    sessionLost: !session,
  };
}

export interface ReadJournal {
  readonly entries: readonly Entry[];
  readonly report: JournalReport;
  readonly tally: LineTally;
  readonly tail: JournalTail;
}

/**
 * `id` replaces the session's own when its first line is lost. Throws `JournalError`: `missing`, `noPermission`,
 * `empty`, `foreign` (another program's JSON lines) or `damaged` (no line is valid). The signal stops reading.
 */
export async function readJournal(
  path: string,
  id: string,
  crypto: Crypto,
  signal?: AbortSignal,
): Promise<ReadJournal> {
  const entries: Entry[] = [];
  const tally = new LineTally();
  const add = (entry: Entry) => entries.push(entry);
  const decode = (line: Buffer, offset: number, length: number) => tally.decode(line, offset, length, crypto, add);
  const read = await readLines(path, decode, { signal });
  if (read.size === 0) throw emptyError(path);
  const tail = tally.finish(read, decode);
  if (entries.length === 0) throw (await holdsJson(path, signal)) ? foreignError(path) : garbageError(path);
  const session = entries.find((entry) => entry.type === 'session') ?? null;
  if (!session) entries.unshift(standIn(id, entries[0] ?? null, crypto));
  return { entries, report: reportOf(path, read.size, tally, tail, session), tally, tail };
}

async function holdsJson(path: string, signal?: AbortSignal): Promise<boolean> {
  let found = false;
  const inspect = (line: Buffer) => {
    found ||= isJson(line);
  };
  const { rest } = await readLines(path, inspect, { signal });
  if (rest) inspect(rest.bytes);
  return found;
}

function isJson(bytes: Uint8Array): boolean {
  try {
    return typeof JSON.parse(Buffer.from(bytes).toString()) === 'object';
  } catch {
    return false;
  }
}

/** Used in memory when a journal's first line was lost. */
export function standIn(id: string, first: Entry | null, crypto: Crypto): SessionEntry {
  const time = first?.time ?? new Date(0).toISOString();
  const nonce = crypto.randomHex(8);
  return { seq: 0, time, type: 'session', format: FORMAT_VERSION, id, workspace: null, engine: 'unknown', nonce };
}

function emptyError(path: string): JournalError {
  return new JournalError(
    'empty',
    path,
    words(
      'The session file {0} is empty: nothing was ever written to it, or it was emptied. Delete the session, or put back a copy of the file.',
      path,
    ),
  );
}

function foreignError(path: string): JournalError {
  return new JournalError(
    'foreign',
    path,
    words(
      'The file {0} holds JSON lines of another program, not a session of Palimpsest. Use Import Session to read it.',
      path,
    ),
  );
}

function garbageError(path: string): JournalError {
  return new JournalError(
    'damaged',
    path,
    words(
      'The session file {0} has no readable line. Put back a copy of the file, or delete the session; the damaged file is left as it is.',
      path,
    ),
  );
}

interface DamagedLine extends EntryPlace {
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

/** Takes a journal's lines one by one: valid entries in the order of their numbers, and a count of the others. */
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
