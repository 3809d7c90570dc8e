/**
 * Reads a file line by line in chunks, as bytes: size does not matter, and nothing is decoded that is not asked for. The
 * chunk is used again for what comes next, so a line that is kept must be copied.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { storageError } from './storageError.ts';

/** Most files fit into the first; where one does not, the second is worth its memory. */
const FIRST_CHUNK = 1 << 16;
const CHUNK = 1 << 20;
const LINE_BREAK = 10;

export interface LinesRead {
  /** Length of the file. */
  readonly size: number;
  /** What follows the last line break; null when nothing does. */
  readonly rest: { readonly bytes: Buffer; readonly offset: number } | null;
}

/** Gets each line without its break, and the offset of its first byte in the file. */
type TakeLine = (line: Buffer, offset: number) => void;

/** Gets each line as the bytes of the chunk from `start` to before `end`, so that nothing is made for it. */
type TakeRange = (chunk: Buffer, start: number, end: number, offset: number) => void;

/** Starts at `from`, which begins a line. */
export function readLines(path: string, take: TakeLine, from = 0): Promise<LinesRead> {
  return readRanges(path, byLine(take), from);
}

/** Without yielding. */
export function readRangesSync(path: string, take: TakeRange): LinesRead {
  try {
    const file = openSync(path, 'r');
    try {
      const splitter = new LineSplitter(take, 0);
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

export async function readRanges(path: string, take: TakeRange, from = 0): Promise<LinesRead> {
  try {
    await using file = await open(path, 'r');
    const splitter = new LineSplitter(take, from);
    for (;;) {
      const { buffer, filled } = splitter;
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, splitter.size);
      if (bytesRead === 0) return splitter.end();
      splitter.push(bytesRead);
    }
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

function byLine(take: TakeLine): TakeRange {
  return (chunk, start, end, offset) => take(chunk.subarray(start, end), offset);
}

class LineSplitter {
  readonly #take: TakeRange;
  /** Begins with the unfinished line, `filled` bytes of it; what comes next is read after it. */
  buffer = Buffer.allocUnsafe(FIRST_CHUNK);
  filled = 0;
  /** Offset in the file of what comes next. */
  size: number;

  constructor(take: TakeRange, from: number) {
    this.#take = take;
    this.size = from;
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
      this.#take(buffer, start, at, base + start);
      start = at + 1;
    }
    this.size += bytesRead;
    this.filled = end - start;
    if (end === buffer.length && buffer.length < CHUNK) this.#grow(CHUNK, start);
    else if (start > 0) buffer.copyWithin(0, start, end);
    // A line may be longer than a chunk.
    else if (end === buffer.length) this.#grow(buffer.length * 2, 0);
  }

  end(): LinesRead {
    const { filled, size } = this;
    return { size, rest: filled > 0 ? { bytes: this.buffer.subarray(0, filled), offset: size - filled } : null };
  }

  #grow(length: number, from: number): void {
    const grown = Buffer.allocUnsafe(length);
    this.buffer.copy(grown, 0, from, from + this.filled);
    this.buffer = grown;
  }
}
