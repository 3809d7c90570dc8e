/**
 * A request in the lab: recorded messages by index where unmodified, and literal messages where a strategy rewrote or
 * inserted one. A literal stays the same object for as long as it is sent unchanged.
 */

import type { PreparedSession } from './prepareSession.ts';
import { type RecordedMessage, type RecordedSession, tokensOf } from './session.ts';

export interface Literal {
  /** The recorded message it replaces; null for an inserted one. */
  readonly index: number | null;
  readonly message: RecordedMessage;
  /** Indices of hidden messages that handles in this text lead to. */
  readonly leadsTo: readonly number[];
}

/** A number is the index of an unmodified recorded message. */
export type Part = number | Literal;

/** A strategy's requests to a model since the previous request, in tokens of the lab. */
export interface ModelCharge {
  readonly input: number;
  /** In addition to `input`: tokens of the newest request read from the cache. Omitted: none. */
  readonly cached?: number;
  readonly output: number;
}

export interface Request {
  readonly parts: readonly Part[];
  readonly charge?: ModelCharge;
}

export function messageOfPart(session: RecordedSession, part: Part): RecordedMessage {
  if (typeof part !== 'number') return part.message;
  const message = session.messages[part];
  if (!message) throw new Error(`${session.name} has no message ${part}`);
  return message;
}

export function tokensOfPart(tokens: Int32Array, part: Part): number {
  return typeof part === 'number' ? (tokens[part] ?? 0) : tokensOf(part.message);
}

/** Of the messages, without the fixed part for system prompt and tools. */
export function messageTokens({ tokens }: PreparedSession, parts: readonly Part[]): number {
  return parts.reduce<number>((sum, part) => sum + tokensOfPart(tokens, part), 0);
}

/** Indices `from … to−1`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

function samePart(a: Part | undefined, b: Part | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  return JSON.stringify(a.message) === JSON.stringify(b.message);
}

/** Number of equal parts at the start. */
export function commonPrefix(before: readonly Part[], now: readonly Part[]): number {
  const end = Math.min(before.length, now.length);
  let i = 0;
  while (i < end && samePart(before[i], now[i])) i++;
  return i;
}
