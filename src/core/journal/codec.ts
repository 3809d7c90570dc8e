/**
 * One entry, one line: JSON whose last field is a CRC-32 over the bytes before it. A line whose
 * checksum does not fit is reported with the reason, and nothing in it is used.
 */

import type { Attachment } from '../context/message.ts';
import { isMode } from '../instructions/modes.ts';
import { isObject, objectOf } from '../json.ts';
import type { Crypto } from '../ports.ts';
import type { Entry } from './entry.ts';

const CRC_START = new TextEncoder().encode(',"crc":"');
const CRC_END = new TextEncoder().encode('"}');
const CRC_DIGITS = 8;
/** Characters of a line's checksum and its end. */
export const CRC_LENGTH = ',"crc":"00000000"}'.length;
const CARRIAGE_RETURN = 13;
const CLOSING_BRACE = 125;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export type DecodedLine =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'damaged'; readonly reason: 'noCrc' | 'badCrc' | 'notJson' | 'notAnEntry' };

/**
 * The line without its break. Lone surrogates are written as escapes, so that the line is well-formed UTF-8. Throws for
 * what would not be read back: a bug that shows is better than an entry that is left out the next day.
 */
export function encodeEntry(entry: Entry, crypto: Pick<Crypto, 'crc32'>): string {
  if (!isEntry(entry)) throw new Error(`Not an entry that could be read back: ${(entry as Entry).type}`);
  const body = JSON.stringify(entry).slice(0, -1);
  return `${body},"crc":"${crypto.crc32(body).toString(16).padStart(8, '0')}"}`;
}

/**
 * Decodes one line's bytes, without its break. The checksum is taken over the bytes as read, so that nothing a text
 * decoder forgives slips through. Overwrites one byte of `line`.
 */
export function decodeBytes(line: Uint8Array, crypto: Pick<Crypto, 'crc32'>): DecodedLine {
  // Any tool that rewrites line breaks adds a carriage return outside of the record; it changes nothing inside.
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
  return isEntry(value) ? { kind: 'entry', entry: value } : { kind: 'damaged', reason: 'notAnEntry' };
}

/** Below 0 when the bytes from `at` on are no checksum field. It runs for every line, so it reads the bytes itself. */
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
 * The checksum says that the line is as it was written, not who wrote it. What the fold relies on is checked here, so that
 * a forged line is left out and the rest still loads. Unknown types are entries too.
 */
function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, parent, type, time } = value as Record<string, unknown>;
  if (!isSeq(seq) || typeof type !== 'string' || typeof time !== 'string') return false;
  if (parent !== undefined && parent !== null && !(isSeq(parent) && parent < seq)) return false;
  return hasBody(type, value as Record<string, unknown>);
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function hasBody(type: string, value: Readonly<Record<string, unknown>>): boolean {
  switch (type) {
    case 'session':
      return typeof value.format === 'number' && typeof value.id === 'string';
    case 'title':
      return typeof value.title === 'string';
    case 'revert':
      return value.target === null || isSeq(value.target);
    case 'message':
      return isMessage(value.message) && Number.isFinite(value.tokens);
    case 'compaction':
      return Array.isArray(value.plan) && value.plan.every(isPlanOp);
    case 'expanded':
    case 'collapsed':
    case 'pinned':
    case 'unpinned':
    case 'withdrawn':
      return isTexts(value.ids);
    case 'header':
      return (
        Array.isArray(value.items) &&
        value.items.every((item) => hasTexts(item, 'text') && hasNumbers(item, 'tokens')) &&
        Array.isArray(value.tools) &&
        Number.isFinite(value.tokens)
      );
    case 'configured':
      return hasTexts(value, 'model');
    case 'files':
      return Array.isArray(value.files) && value.files.every((image) => hasTexts(image, 'path'));
    case 'checkpoint':
      return isSeq(value.id);
    case 'standingOrder':
      return hasTexts(value, 'id') && (value.text === null || typeof value.text === 'string');
    case 'agent':
      return value.agent === null || hasTexts(value.agent, 'id', 'name', 'strategy');
    case 'subagent':
      return hasTexts(value, 'toolCallId', 'session', 'agent', 'title');
    case 'mode':
      return isMode(value.mode);
    case 'usage':
    case 'subagentUsage':
    case 'summaryUsage':
      return hasNumbers(value.usage, 'input', 'cached', 'output');
    default:
      return true;
  }
}

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { role, text, kind, toolCalls, toolCallId, reasoning, attachments } = value as Record<string, unknown>;
  if (typeof text !== 'string' || !(attachments === undefined || areAttachments(attachments))) return false;
  if (role === 'user') return typeof kind === 'string';
  if (role === 'tool') return typeof toolCallId === 'string';
  if (role !== 'assistant') return false;
  const areCalls =
    toolCalls === undefined ||
    (Array.isArray(toolCalls) && toolCalls.every((call) => hasTexts(call, 'id', 'name', 'arguments')));
  return areCalls && (reasoning === undefined || isReasoning(reasoning));
}

export function areAttachments(value: unknown): value is readonly Attachment[] {
  return Array.isArray(value) && value.every((each) => hasTexts(each, 'mime', 'blob') && hasNumbers(each, 'tokens'));
}

function isReasoning(value: unknown): boolean {
  const { items, origin } = objectOf(value);
  return (
    hasTexts(value, 'field', 'text') &&
    (items === undefined || (Array.isArray(items) && items.every(isObject))) &&
    (origin === undefined || hasTexts(origin, 'endpoint', 'model'))
  );
}

function isPlanOp(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { op, ids, id, by, message, tokens } = value as Record<string, unknown>;
  if (op === 'keep' || op === 'drop') return isTexts(ids);
  if (op === 'replace') return typeof id === 'string' && isReplacement(by);
  return op === 'insert' && isMessage(message) && Number.isFinite(tokens);
}

function isReplacement(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { text, arguments: args, tokens } = value as Record<string, unknown>;
  return (
    (text === undefined || typeof text === 'string') && (args === undefined || isTexts(args)) && Number.isFinite(tokens)
  );
}

function hasTexts(value: unknown, ...names: readonly string[]): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'string')
  );
}

function hasNumbers(value: unknown, ...names: readonly string[]): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => Number.isFinite((value as Record<string, unknown>)[name]))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
