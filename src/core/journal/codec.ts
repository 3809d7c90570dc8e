/**
 * One entry, one line: JSON whose last field is a CRC-32 over the bytes before it (DESIGN §3). A line that does not
 * check is never half believed: it is reported with its reason.
 */

import type { Crypto } from '../ports.ts';
import type { Entry } from './entry.ts';

const CRC_FIELD = /,"crc":"([0-9a-f]{8})"\}$/;
const CRC_LENGTH = ',"crc":"00000000"}'.length;

export type DecodedLine =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'damaged'; readonly reason: 'noCrc' | 'badCrc' | 'notJson' | 'notAnEntry' };

/** The line without its break. Lone surrogates are written as escapes, so that the line is well-formed UTF-8. */
export function encodeEntry(entry: Entry, crypto: Pick<Crypto, 'crc32'>): string {
  const body = JSON.stringify(entry).slice(0, -1);
  return `${body},"crc":"${crypto.crc32(body).toString(16).padStart(8, '0')}"}`;
}

export function decodeLine(line: string, crypto: Pick<Crypto, 'crc32'>): DecodedLine {
  const crc = CRC_FIELD.exec(line.length > CRC_LENGTH ? line.slice(-CRC_LENGTH) : line)?.[1];
  if (crc === undefined) return { kind: 'damaged', reason: 'noCrc' };
  const body = line.slice(0, -CRC_LENGTH);
  if (crypto.crc32(body) !== Number.parseInt(crc, 16)) return { kind: 'damaged', reason: 'badCrc' };
  let value: unknown;
  try {
    value = JSON.parse(`${body}}`);
  } catch {
    return { kind: 'damaged', reason: 'notJson' };
  }
  return isEntry(value) ? { kind: 'entry', entry: value } : { kind: 'damaged', reason: 'notAnEntry' };
}

/** The CRC vouches for the rest: only what every reader relies on is checked. Unknown types are entries too. */
function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, type, time } = value as { seq?: unknown; type?: unknown; time?: unknown };
  return Number.isSafeInteger(seq) && typeof type === 'string' && typeof time === 'string';
}
