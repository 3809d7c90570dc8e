/**
 * Decodes a command's output. Windows programs write UTF-8 if they follow the console, otherwise the system's code
 * page, and one output may contain both: each line that is not UTF-8 is read in the code page, which is queried once.
 */

import { execFile } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { inSystemFolder } from './windowsTree.ts';

interface OutputDecoder {
  /** Returns the text that is certain by now. */
  write(bytes: Buffer): string;
  end(): string;
}

/** Bytes of one line that wait for its end. */
const MOST_WAITING = 64 * 1024;
const LF = 10;

/** Null: all of it is UTF-8. */
export function createDecoder(encoding: string | null): OutputDecoder {
  return encoding === null ? new StringDecoder('utf8') : new LineDecoder(encoding);
}

class LineDecoder implements OutputDecoder {
  readonly #encoding: string;
  /** From the first non-ASCII byte of a line. */
  #waiting: Buffer[] = [];
  #length = 0;
  /** For a line that was too long to wait for. */
  #decided: InstanceType<typeof TextDecoder> | null = null;

  constructor(encoding: string) {
    this.#encoding = encoding;
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
    const decoder = new TextDecoder(isUtf8(line, !isLast) ? 'utf-8' : this.#encoding, { ignoreBOM: true });
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

const LABELS: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  20866: 'koi8-r',
  54936: 'gb18030',
};

/** The web standard's name for a Windows code page; null for UTF-8, and for unsupported ones. */
export function encodingOf(codePage: number): string | null {
  const label = LABELS[codePage] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : null);
  try {
    return label === null ? null : new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

let encoding: Promise<string | null> | null = null;

/** The encoding of output that is not UTF-8; null on other systems, and where it is UTF-8 or unknown. Queried once. */
export function readOutputEncoding(): Promise<string | null> {
  if (process.platform !== 'win32') return Promise.resolve(null);
  encoding ??= askEncoding().catch(() => null);
  return encoding;
}

const LONGEST_MS = 10_000;
const CODE_PAGES = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Nls\\CodePage';

async function askEncoding(): Promise<string | null> {
  const { stdout } = await promisify(execFile)(inSystemFolder('reg.exe'), ['query', CODE_PAGES, '/v', 'ACP'], {
    windowsHide: true,
    timeout: LONGEST_MS,
  });
  return readCodePage(stdout);
}

export function readCodePage(printed: string): string | null {
  const [, number] = /\bACP\s+REG_SZ\s+(\d+)/.exec(printed) ?? [];
  return number === undefined ? null : encodingOf(Number(number));
}
