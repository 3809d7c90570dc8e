/**
 * Reads the index's facts from a line's first and last bytes, without decoding it. The order of an entry's first fields
 * is fixed (`Journal`), so the bytes are read one by one; an unusual line is left to the full decoder.
 */

import { CRC_LENGTH } from '../../../core/journal/codec.ts';
import { TYPE_CODES } from '../../../core/journal/entryTypes.ts';
import { FILE_ENTRY, KIND_CODES, type LineHead, NO_PARENT } from './journalColumns.ts';

const SEQ = Buffer.from('{"seq":');

const PARENT = Buffer.from('"parent":');

const TIME = Buffer.from('"time":"');

const TYPE = Buffer.from('"type":"');

const ROLE = Buffer.from(',"message":{"role":"');

const KIND = Buffer.from(',"kind":"');

const TOKENS = Buffer.from(',"tokens":');

const CRC = Buffer.from(',"crc":"');

/** `2026-01-01T12:00:00.000Z` */
const TIME_LENGTH = 24;

const ZERO = 48;

const COMMA = 44;

const QUOTE = 34;

const SMALL_N = 110;

const MESSAGE = TYPE_CODES.get('message');

/** Reused: a line's head is processed before the next line is read. */
export const head: LineHead = { seq: 0, parent: 0, type: 0, kind: 0, tokens: 0, time: 0 };

const types = wordsOf(TYPE_CODES, 'message', 'usage', 'request');

const kinds = wordsOf(KIND_CODES, 'user', 'reminder');

let at = 0;

/**
 * Reads the line in `line` from `start` to before `end`. Null when it must be decoded whole. The result is valid until
 * the next call.
 */
export function readHead(line: Buffer, start: number, end: number): LineHead | null {
  at = start;
  if (!skip(line, SEQ)) return null;
  const seq = readNumber(line);
  if (seq < 0 || line[at++] !== COMMA) return null;
  head.seq = seq;
  head.parent = FILE_ENTRY;
  if (skip(line, PARENT)) {
    if (line[at] === SMALL_N) {
      at += 4;
      head.parent = NO_PARENT;
    } else {
      head.parent = readNumber(line);
      if (head.parent < 0) return null;
    }
    if (line[at++] !== COMMA) return null;
  }
  if (!skip(line, TIME)) return null;
  head.time = readTime(line);
  if (Number.isNaN(head.time) || line[at++] !== QUOTE || line[at++] !== COMMA || !skip(line, TYPE)) return null;
  const type = readCode(line, types);
  if (type === 0) return null;
  head.type = type;
  head.kind = 0;
  head.tokens = 0;
  if (at > end - CRC_LENGTH || !matches(line, CRC, end - CRC_LENGTH)) return null;
  return type !== MESSAGE || readMessage(line, end) ? head : null;
}

function readMessage(line: Buffer, end: number): boolean {
  if (!skip(line, ROLE)) return false;
  switch (line[at]) {
    case 97: // assistant
      head.kind = ASSISTANT;
      break;
    case 116: // tool
      head.kind = TOOL_RESULT;
      break;
    default: {
      at += 'user"'.length;
      if (!skip(line, KIND)) return false;
      head.kind = readCode(line, kinds);
      if (head.kind === 0) return false;
    }
  }
  let digit = end - CRC_LENGTH;
  for (let unit = 1; ; unit *= 10) {
    const value = (line[digit - 1] ?? 0) - ZERO;
    if (value < 0 || value > 9) break;
    head.tokens += value * unit;
    digit--;
  }
  return digit < end - CRC_LENGTH && matches(line, TOKENS, digit - TOKENS.length);
}

const ASSISTANT = KIND_CODES.get('assistant') ?? 0;

const TOOL_RESULT = KIND_CODES.get('toolResult') ?? 0;

function matches(line: Buffer, text: Buffer, from: number): boolean {
  for (let i = 0; i < text.length; i++) if (line[from + i] !== text[i]) return false;
  return true;
}

export function skip(line: Buffer, text: Buffer): boolean {
  if (!matches(line, text, at)) return false;
  at += text.length;
  return true;
}

/** Negative if there is none. */
function readNumber(line: Buffer): number {
  const from = at;
  let number = 0;
  for (let digit = (line[at] ?? 0) - ZERO; digit >= 0 && digit <= 9; digit = (line[++at] ?? 0) - ZERO) {
    number = number * 10 + digit;
  }
  return at > from && at - from < 16 ? number : -1;
}

/** The day changes rarely, so it is computed once. */
const day = Buffer.alloc(11);

let dayStart = Number.NaN;

function readTime(line: Buffer): number {
  if (!matches(line, day, at)) {
    line.copy(day, 0, at, at + day.length);
    dayStart = Date.parse(`${day.toString('latin1')}00:00:00.000Z`);
  }
  const two = (from: number) => ((line[at + from] ?? 0) - ZERO) * 10 + (line[at + from + 1] ?? 0) - ZERO;
  const ms = ((line[at + 20] ?? 0) - ZERO) * 100 + two(21);
  const time = dayStart + two(11) * 3_600_000 + two(14) * 60_000 + two(17) * 1_000 + ms;
  // Any other format is left to the full decoder.
  const plain = line[at + 13] === 58 && line[at + 16] === 58 && line[at + 19] === 46 && line[at + 23] === 90;
  at += TIME_LENGTH;
  return plain ? time : Number.NaN;
}

interface Word {
  /** Including its quote. */
  readonly bytes: Buffer;
  readonly code: number;
}

/** The frequent ones first. */
function wordsOf(codes: ReadonlyMap<string, number>, ...frequent: readonly string[]): readonly Word[] {
  const rest = [...codes.keys()].filter((word) => word !== '' && !frequent.includes(word));
  return [...frequent, ...rest].map((word) => ({ bytes: Buffer.from(`${word}"`), code: codes.get(word) ?? 0 }));
}

/** Reads a word up to and including its quote; 0 for an unknown one. */
function readCode(line: Buffer, words: readonly Word[]): number {
  for (const { bytes, code } of words) if (skip(line, bytes)) return code;
  return 0;
}
