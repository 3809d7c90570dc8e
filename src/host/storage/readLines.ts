/** Reads a file line by line in chunks, as bytes: size does not matter, and nothing is decoded that is not asked for. */

import { closeSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { storageError } from './storageError.ts';

const CHUNK = 1 << 20;
const LINE_BREAK = 10;

export interface LinesRead {
  /** Length of the file. */
  readonly size: number;
  /** What follows the last line break; null when nothing does. */
  readonly rest: { readonly bytes: Buffer; readonly offset: number } | null;
}

type TakeLine = (line: Buffer, offset: number) => void;

/** `take` gets each line without its break, and the offset of its first byte. Starts at `from`, which begins a line. */
export async function readLines(path: string, take: TakeLine, from = 0): Promise<LinesRead> {
  try {
    await using file = await open(path, 'r');
    const splitter = new LineSplitter(take, from);
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, splitter.size);
      if (bytesRead === 0) return splitter.end();
      splitter.push(buffer.subarray(0, bytesRead));
    }
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

/** The same without yielding, for the rare moment when an index turns out wrong in the middle of a read. */
export function readLinesSync(path: string, take: TakeLine): LinesRead {
  const file = openSync(path, 'r');
  try {
    const splitter = new LineSplitter(take, 0);
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK);
      const bytesRead = readSync(file, buffer, 0, CHUNK, splitter.size);
      if (bytesRead === 0) return splitter.end();
      splitter.push(buffer.subarray(0, bytesRead));
    }
  } catch (thrown) {
    throw storageError(path, thrown);
  } finally {
    closeSync(file);
  }
}

class LineSplitter {
  readonly #take: TakeLine;
  #pieces: Buffer[] = [];
  #lineStart: number;
  /** Offset of what comes next. */
  size: number;

  constructor(take: TakeLine, from: number) {
    this.#take = take;
    this.#lineStart = from;
    this.size = from;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, start)) {
      const end = chunk.subarray(start, at);
      this.#take(this.#pieces.length > 0 ? Buffer.concat([...this.#pieces, end]) : end, this.#lineStart);
      this.#pieces = [];
      start = at + 1;
      this.#lineStart = this.size + start;
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
    this.size += chunk.length;
  }

  end(): LinesRead {
    const pieces = this.#pieces;
    return {
      size: this.size,
      rest: pieces.length > 0 ? { bytes: Buffer.concat(pieces), offset: this.#lineStart } : null,
    };
  }
}
