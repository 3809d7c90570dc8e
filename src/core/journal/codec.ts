/**
 * One entry is one line: JSON whose last field is a CRC-32 over the bytes before it. A line with a wrong checksum is
 * reported with the reason and ignored.
 */

import type { Crypto } from '../crypto.ts';
import { withThinkingApart } from '../model/thinking.ts';
import type { Entry } from './entry.ts';
import { isSeq, isSound } from './entryTypes.ts';

const CRC_START = new TextEncoder().encode(',"crc":"');
const CRC_END = new TextEncoder().encode('"}');
const CRC_DIGITS = 8;
/** Characters of a line's checksum field and closing brace. */
export const CRC_LENGTH = ',"crc":"00000000"}'.length;
const CARRIAGE_RETURN = 13;
const CLOSING_BRACE = 125;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export type DecodedLine =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'damaged'; readonly reason: 'noCrc' | 'badCrc' | 'notJson' | 'notAnEntry' };

/**
 * The line without its line break. Lone surrogates are written as escapes, so that the line is well-formed UTF-8.
 * Throws for an entry that could not be read back: a visible bug is better than an entry missing the next day.
 */
export function encodeEntry(entry: Entry, crypto: Pick<Crypto, 'crc32'>): string {
  if (!isEntry(entry)) throw new Error(`Not an entry that could be read back: ${(entry as Entry).type}`);
  const body = JSON.stringify(entry).slice(0, -1);
  return `${body},"crc":"${crypto.crc32(body).toString(16).padStart(8, '0')}"}`;
}

/**
 * Decodes one line's bytes, without its line break. The checksum covers the bytes as read, so that nothing a text
 * decoder repairs goes unnoticed. Overwrites one byte of `line`.
 */
export function decodeBytes(line: Uint8Array, crypto: Pick<Crypto, 'crc32'>): DecodedLine {
  // Tools that rewrite line breaks add a carriage return outside the record; it changes nothing inside.
  const end = line.length - (line.at(-1) === CARRIAGE_RETURN ? 1 : 0);
  const bodyEnd = end - CRC_LENGTH;
  if (bodyEnd < 1) return { kind: 'damaged', reason: 'noCrc' };
  const crc = readCrc(line, bodyEnd);
  if (crc < 0) return { kind: 'damaged', reason: 'noCrc' };
  if (crypto.crc32(line.subarray(0, bodyEnd)) !== crc) return { kind: 'damaged', reason: 'badCrc' };
  line[bodyEnd] = CLOSING_BRACE;
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(line.subarray(0, bodyEnd + 1)));
  } catch {
    return { kind: 'damaged', reason: 'notJson' };
  }
  return isEntry(value) ? { kind: 'entry', entry: asReadToday(value) } : { kind: 'damaged', reason: 'notAnEntry' };
}

/** Earlier versions, and other programs, left the thinking in the text of an answer. It must not be sent again. */
function asReadToday(entry: Entry): Entry {
  if (entry.type !== 'message' || entry.message.role !== 'assistant') return entry;
  const message = withThinkingApart(entry.message);
  return message === entry.message ? entry : { ...entry, message };
}

/**
 * Negative when the bytes from `at` on are not a checksum field. It runs for every line, so it reads the bytes
 * directly.
 */
function readCrc(line: Uint8Array, at: number): number {
  for (let i = 0; i < CRC_START.length; i++) if (line[at + i] !== CRC_START[i]) return -1;
  const digits = at + CRC_START.length;
  let crc = 0;
  for (let i = digits; i < digits + CRC_DIGITS; i++) {
    const byte = line[i] ?? 0;
    const digit = byte >= 48 && byte <= 57 ? byte - 48 : byte >= 97 && byte <= 102 ? byte - 87 : -1;
    if (digit < 0) return -1;
    crc = crc * 16 + digit;
  }
  const end = digits + CRC_DIGITS;
  return line[end] === CRC_END[0] && line[end + 1] === CRC_END[1] ? crc : -1;
}

/**
 * The checksum proves that the line is unchanged, not who wrote it. The fields that the fold relies on are checked
 * here, so that a forged line is skipped and the rest still loads. Unknown types are valid entries.
 */
function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, parent, type, time } = value as Record<string, unknown>;
  if (!isSeq(seq) || typeof type !== 'string' || typeof time !== 'string') return false;
  if (parent !== undefined && parent !== null && !(isSeq(parent) && parent < seq)) return false;
  return isSound(type, value as Record<string, unknown>);
}
