/**
 * Reads a file line by line in chunks, as bytes: size does not matter, and nothing is decoded unnecessarily. The chunk
 * buffer is reused, so a line that is kept must be copied. A line over the limit is passed as an empty one with its
 * length, which no reader accepts as valid; the file keeps it.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { storageError } from './storageError.ts';

/** Most files fit into the first; for others, the second is worth its memory. */
const FIRST_CHUNK = 1 << 16;
const CHUNK = 1 << 20;
const LINE_BREAK = 10;

/** Longest line held in memory, in bytes: longer buffers and strings would crash the process. */
export const LONGEST_LINE = 1 << 28;

export interface LinesRead {
  /** Length of the file. */
  readonly size: number;
  /** The bytes after the last line break; null when there are none. */
  readonly rest: { readonly bytes: Buffer; readonly offset: number } | null;
  /** The last line was over the limit and has no line break; it was passed like the others. */
  readonly endsInLongLine: boolean;
}

/**
 * Gets each line without its line break, the offset of its first byte in the file, and its length there, which exceeds
 * the line's when it is over the limit.
 */
type TakeLine = (line: Buffer, offset: number, length: number) => void;

/** Gets each line as the bytes of the chunk from `start` to before `end`, without allocating anything. */
type TakeRange = (chunk: Buffer, start: number, end: number, offset: number, length: number) => void;

export interface Reading {
  /** Offset in the file of the first line to read. */
  readonly from?: number;
  /** Maximum length of a line in bytes. */
  readonly longest?: number;
  /** Checked before each chunk. */
  readonly signal?: AbortSignal | undefined;
}

export function readLines(path: string, take: TakeLine, reading: Reading = {}): Promise<LinesRead> {
  return readRanges(path, byLine(take), reading);
}

/** Without yielding. */
export function readRangesSync(path: string, take: TakeRange): LinesRead {
  try {
    const file = openSync(path, 'r');
    try {
      const splitter = new LineSplitter(take, 0, LONGEST_LINE);
      for (;;) {
        const { buffer, filled } = splitter;
        const bytesRead = readSync(file, buffer, filled, buffer.length - filled, splitter.size);
        if (bytesRead === 0) return splitter.end();
        splitter.push(bytesRead);
      }
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

/** Rejects with the signal's reason when it is aborted. */
export async function readRanges(path: string, take: TakeRange, reading: Reading = {}): Promise<LinesRead> {
  const { from = 0, longest = LONGEST_LINE, signal } = reading;
  try {
    await using file = await open(path, 'r');
    const splitter = new LineSplitter(take, from, longest);
    for (;;) {
      signal?.throwIfAborted();
      const { buffer, filled } = splitter;
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, splitter.size);
      if (bytesRead === 0) return splitter.end();
      splitter.push(bytesRead);
    }
  } catch (thrown) {
    throw signal?.aborted ? signal.reason : storageError(path, thrown);
  }
}

function byLine(take: TakeLine): TakeRange {
  return (chunk, start, end, offset, length) => take(chunk.subarray(start, end), offset, length);
}

class LineSplitter {
  readonly #take: TakeRange;
  /** Starts with the unfinished line, `filled` bytes of it; the next bytes are read after it. */
  buffer = Buffer.allocUnsafe(FIRST_CHUNK);
  filled = 0;
  /** Offset in the file of the next bytes. */
  size: number;
  readonly #longest: number;
  /** Start of the line over the limit; null when none is being skipped. */
  #skipped: number | null = null;

  constructor(take: TakeRange, from: number, longest: number) {
    this.#take = take;
    this.size = from;
    this.#longest = longest;
  }

  push(bytesRead: number): void {
    const { buffer } = this;
    const end = this.filled + bytesRead;
    const base = this.size - this.filled;
    let start = 0;
    for (
      let at = buffer.indexOf(LINE_BREAK, this.filled);
      at >= 0 && at < end;
      at = buffer.indexOf(LINE_BREAK, start)
    ) {
      if (this.#skipped === null) this.#take(buffer, start, at, base + start, at - start);
      else this.#takeLong(this.#skipped, base + at);
      start = at + 1;
    }
    this.size += bytesRead;
    this.filled = this.#skipped === null ? end - start : 0;
    if (this.filled === 0) return;
    if (end === buffer.length && buffer.length < CHUNK) this.#grow(CHUNK, start);
    else if (start > 0) buffer.copyWithin(0, start, end);
    // A line may be longer than a chunk.
    else if (end === buffer.length && end < this.#longest) this.#grow(buffer.length * 2, 0);
    else if (end === buffer.length) this.#skip(base);
  }

  end(): LinesRead {
    const { filled, size } = this;
    const endsInLongLine = this.#skipped !== null;
    if (this.#skipped !== null) this.#takeLong(this.#skipped, size);
    const rest = filled > 0 ? { bytes: this.buffer.subarray(0, filled), offset: size - filled } : null;
    return { size, rest, endsInLongLine };
  }

  #skip(from: number): void {
    this.#skipped = from;
    this.buffer = Buffer.allocUnsafe(CHUNK);
    this.filled = 0;
  }

  #takeLong(from: number, to: number): void {
    this.#skipped = null;
    this.#take(this.buffer, 0, 0, from, to - from);
  }

  #grow(length: number, from: number): void {
    const grown = Buffer.allocUnsafe(length);
    this.buffer.copy(grown, 0, from, from + this.filled);
    this.buffer = grown;
  }
}
