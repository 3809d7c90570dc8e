/** Code pages of Windows: their names, what decodes them, and which ones this machine writes in. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DOS_PAGES } from './dosPages.ts';
import { inSystemFolder } from './windowsTree.ts';

const LABELS: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  20866: 'koi8-r',
  21866: 'koi8-u',
  54936: 'gb18030',
};

/** The web standard's name for a code page, `cp850` for one that it does not have; null for UTF-8, and for unsupported ones. */
export function encodingOf(codePage: number): string | null {
  if (DOS_PAGES[codePage] !== undefined) return `cp${codePage}`;
  const label = LABELS[codePage] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : null);
  try {
    return label === null ? null : new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

interface Decoder {
  decode(bytes: Buffer, options?: { readonly stream?: boolean }): string;
}

/** For a name of `encodingOf`, or of the web standard. */
export function decoderOf(encoding: string): Decoder {
  const upper = /^cp\d+$/.test(encoding) ? DOS_PAGES[Number(encoding.slice(2))] : undefined;
  if (upper === undefined) return new TextDecoder(encoding, { ignoreBOM: true });
  return {
    decode: (bytes) =>
      bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => upper.charAt(byte.charCodeAt(0) - 0x80)),
  };
}

let encodings: Promise<readonly string[]> | null = null;

/**
 * The encodings of output that is not UTF-8: the system's own, then that of its consoles. Empty on other systems, and where
 * it is UTF-8 or unknown. Queried once.
 */
export function readOutputEncodings(): Promise<readonly string[]> {
  if (process.platform !== 'win32') return Promise.resolve([]);
  encodings ??= askEncodings().catch(() => []);
  return encodings;
}

const LONGEST_MS = 10_000;
const CODE_PAGES = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Nls\\CodePage';

async function askEncodings(): Promise<readonly string[]> {
  const options = { windowsHide: true, timeout: LONGEST_MS };
  const { stdout } = await promisify(execFile)(inSystemFolder('reg.exe'), ['query', CODE_PAGES], options);
  return readCodePages(stdout);
}

/** `printed`: the values of the key that names them. */
export function readCodePages(printed: string): readonly string[] {
  const numbers = ['ACP', 'OEMCP'].flatMap(
    (name) => new RegExp(`\\b${name}\\s+REG_SZ\\s+(\\d+)`).exec(printed)?.[1] ?? [],
  );
  return [...new Set(numbers.flatMap((number) => encodingOf(Number(number)) ?? []))];
}
