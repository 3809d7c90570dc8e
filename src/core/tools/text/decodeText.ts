/**
 * Converts a file's bytes to text and back. Bytes count as text in an encoding only if encoding the text yields the
 * same bytes: a decoder may substitute invalid bytes, and an edit would then write the substitutes.
 */

import { ToolError } from '../../errors.ts';
import { type Words, words } from '../../words.ts';
import type { EditorText, TextStyle } from '../../workspace/files.ts';
import { showInOneLine } from './showHidden.ts';

export type DecodedFile =
  | ({
      readonly kind: 'text';
      /** Without the byte order mark. Line breaks as in the file, except LF where a file has only CR. */
      readonly text: string;
      readonly mixedLineEnds: boolean;
      /** True when invalid bytes were replaced by U+FFFD: fit for reading, never for writing back. */
      readonly lossy: boolean;
    } & TextStyle)
  | { readonly kind: 'binary'; readonly reason: Words };

export type DecodedText = Extract<DecodedFile, { kind: 'text' }>;

const BOM = '\uFEFF';

/**
 * In bytes. Larger files are neither edited nor read, because that would read the whole file; searching suits them
 * better.
 */
export const LARGEST_FILE = 10 * 1024 * 1024;

/** As Unicode, which needs no editor. */
export function decodeText(bytes: Uint8Array): DecodedFile {
  const wide = markedUtf16(bytes) ?? unmarkedUtf16(bytes);
  if (wide !== null) {
    const text = decodeStrictly(bytes, wide);
    if (text === null) return { kind: 'binary', reason: words('it begins like UTF-16, and is not valid UTF-16') };
    if (text.includes('\0')) return { kind: 'binary', reason: words('it holds NUL characters, so it is not text') };
    return describeText(text, wide, false);
  }
  if (bytes.includes(0)) return { kind: 'binary', reason: words('it holds NUL bytes, so it is not text') };
  const text = decodeStrictly(bytes, 'utf8');
  return text === null
    ? describeText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), 'utf8', true)
    : describeText(text, 'utf8', false);
}

/**
 * As the editor would decode it: in its encoding for the file at this real path, if that round-trips. Without an
 * editor, as Unicode.
 */
export async function decodeFile(
  real: string,
  bytes: Uint8Array,
  editor: EditorText | undefined,
): Promise<DecodedFile> {
  const plain = decodeText(bytes);
  if (!editor || plain.kind === 'binary' || plain.bom || plain.encoding !== 'utf8') return plain;
  for (const encoding of await editor.likely(real, bytes)) {
    if (encoding.startsWith('utf8')) {
      if (!plain.lossy) return plain;
      continue;
    }
    const text = await decodeExactly(bytes, encoding, editor);
    if (text !== null) return describeText(text, encoding, false);
  }
  return plain;
}

/** Encodes a text in a style. Throws `ToolError` naming the characters that the encoding lacks. */
export async function encodeFile(
  text: string,
  { encoding, bom, lineEnd }: TextStyle,
  editor: EditorText | undefined,
): Promise<Uint8Array> {
  const written = lineEnd === '\r' ? text.replace(/\r?\n/gu, '\r') : text;
  const whole = bom ? BOM + written : written;
  if (encoding.startsWith('utf8')) return new TextEncoder().encode(whole);
  if (encoding === 'utf16le' || encoding === 'utf16be') return encodeUtf16(whole, encoding === 'utf16le');
  if (!editor) throw new ToolError(words('Without an editor no text is written in {0}.', encoding));
  const bytes = await editor.encode(written, encoding);
  const back = await editor.decode(bytes, encoding);
  if (back !== written) throw new ToolError(describeLost(written, back, encoding));
  return bytes;
}

/** Null where encoding the text again yields other bytes. */
async function decodeExactly(bytes: Uint8Array, encoding: string, editor: EditorText): Promise<string | null> {
  try {
    const text = await editor.decode(bytes, encoding);
    return !text.includes('\0') && equalBytes(await editor.encode(text, encoding), bytes) ? text : null;
  } catch {
    // The editor considers the bytes binary, or does not know the encoding.
    return null;
  }
}

const MOST_LOST = 5;

/** Names characters of the text that were replaced on the way back. */
function describeLost(text: string, back: string, encoding: string): Words {
  const kept = new Set(back);
  const lost = [...new Set(text)].filter((character) => !kept.has(character));
  if (lost.length === 0) return words('The text holds characters that {0} has no bytes for.', encoding);
  const named = lost
    .slice(0, MOST_LOST)
    .map((character) => `“${showInOneLine(character)}”`)
    .join(', ');
  return lost.length > MOST_LOST
    ? words('The text holds {0} and more, which {1} has no bytes for.', named, encoding)
    : words('The text holds {0}, which {1} has no bytes for.', named, encoding);
}

function describeText(text: string, encoding: string, lossy: boolean): DecodedText {
  const bom = text.startsWith(BOM);
  const body = bom ? text.slice(1) : text;
  const crlf = count(body, '\r\n');
  const lf = count(body, '\n') - crlf;
  const onlyCr = crlf + lf === 0 && body.includes('\r');
  return {
    kind: 'text',
    text: onlyCr ? body.replaceAll('\r', '\n') : body,
    encoding,
    bom,
    lineEnd: onlyCr ? '\r' : crlf > lf ? '\r\n' : '\n',
    mixedLineEnds: crlf > 0 && lf > 0,
    lossy,
  };
}

/** The text with the line ends of a file, unless the text has its own kind. */
export function withLineEnds(text: string, lineEnd: TextStyle['lineEnd']): string {
  return lineEnd === '\r\n' ? text.replace(/\r?\n/gu, '\r\n') : text;
}

function markedUtf16([first, second]: Uint8Array): 'utf16le' | 'utf16be' | null {
  if (first === 0xff && second === 0xfe) return 'utf16le';
  return first === 0xfe && second === 0xff ? 'utf16be' : null;
}

const UTF16_LOOKED_AT = 512;

/** Without a byte order mark, detected as the editor does: every second byte of Western text is NUL, and no other. */
function unmarkedUtf16(bytes: Uint8Array): 'utf16le' | 'utf16be' | null {
  if (bytes.length < 2 || bytes.length % 2 !== 0) return null;
  const begin = bytes.subarray(0, UTF16_LOOKED_AT);
  const [first, second] = begin;
  if ((first === 0) === (second === 0)) return null;
  if (!begin.every((byte, at) => (byte === 0) === (at % 2 === 0 ? first === 0 : second === 0))) return null;
  // Other data that looks like this is small numbers.
  if (begin.some((byte) => byte > 0 && byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte))) return null;
  return first === 0 ? 'utf16be' : 'utf16le';
}

/** Null where the bytes are invalid. The byte order mark stays. */
function decodeStrictly(bytes: Uint8Array, encoding: 'utf8' | 'utf16le' | 'utf16be'): string | null {
  const label = { utf8: 'utf-8', utf16le: 'utf-16le', utf16be: 'utf-16be' }[encoding];
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return null;
  }
}

function encodeUtf16(text: string, little: boolean): Uint8Array {
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), little);
  return bytes;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1;
  return found;
}
