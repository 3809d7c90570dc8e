/**
 * Decodes a command's output. Windows programs write UTF-8 if they follow the console, otherwise a code page of the system's,
 * and one output may contain all of them: each line that is not UTF-8 is read in the code page that it fits.
 */

import { StringDecoder } from 'node:string_decoder';
import { decoderOf } from './codePages.ts';
import { likeliestEncoding } from './likeliestEncoding.ts';

interface OutputDecoder {
  /** Returns the text that is certain by now. */
  write(bytes: Buffer): string;
  end(): string;
}

/** Bytes of one line that wait for its end. */
const MOST_WAITING = 64 * 1024;
const LF = 10;

/** `encodings` are those that a line may have which is not UTF-8, likeliest first. Empty: all of it is UTF-8. */
export function createDecoder(encodings: readonly string[]): OutputDecoder {
  return encodings.length === 0 ? new StringDecoder('utf8') : new LineDecoder(encodings);
}

class LineDecoder implements OutputDecoder {
  readonly #encodings: readonly string[];
  /** From the first non-ASCII byte of a line. */
  #waiting: Buffer[] = [];
  #length = 0;
  /** For a line that was too long to wait for. */
  #decided: ReturnType<typeof decoderOf> | null = null;

  constructor(encodings: readonly string[]) {
    this.#encodings = encodings;
  }

  write(bytes: Buffer): string {
    let text = '';
    for (let from = 0; from < bytes.length; ) {
      const lf = bytes.indexOf(LF, from);
      const to = lf < 0 ? bytes.length : lf + 1;
      text += this.#take(bytes.subarray(from, to), lf >= 0);
      from = to;
    }
    return text;
  }

  end(): string {
    return this.#take(Buffer.alloc(0), true);
  }

  #take(bytes: Buffer, isLast: boolean): string {
    if (this.#decided) {
      const text = this.#decided.decode(bytes, { stream: !isLast });
      if (isLast) this.#decided = null;
      return text;
    }
    let ascii = '';
    let rest = bytes;
    if (this.#length === 0) {
      const at = bytes.findIndex((byte) => byte > 0x7f);
      ascii = bytes.toString('latin1', 0, at < 0 ? bytes.length : at);
      rest = at < 0 ? bytes.subarray(bytes.length) : bytes.subarray(at);
    }
    if (rest.length > 0) {
      // The pipe may reuse its buffer.
      this.#waiting.push(Buffer.from(rest));
      this.#length += rest.length;
    }
    if (this.#length === 0 || (!isLast && this.#length <= MOST_WAITING)) return ascii;
    const line = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#length = 0;
    const decoder = decoderOf(isUtf8(line, !isLast) ? 'utf-8' : likeliestEncoding(line, this.#encodings));
    if (!isLast) this.#decided = decoder;
    return ascii + decoder.decode(line, { stream: !isLast });
  }
}

/** `open`: its last character may be cut off. */
function isUtf8(bytes: Buffer, open: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: open });
    return true;
  } catch {
    return false;
  }
}
