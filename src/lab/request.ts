/**
 * A request in the lab: recorded messages by index where unmodified, and literal messages where a strategy rewrote or
 * inserted one. A literal stays the same object for as long as it is sent unchanged.
 */

import type { PreparedSession } from './prepareSession.ts';
import { type RecordedMessage, type RecordedSession, tokensOf } from './session.ts';
import type { ModelUse } from './sessionScore.ts';

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

/** A strategy running on one session. `request` is called once for each recorded assistant message, in order. */
export interface Contender {
  /** The request for the answer recorded at `step`, from messages 0 … step−1. */
  request(step: number, signal: AbortSignal): Request | Promise<Request>;
  /** Model usage and failures so far; omitted by strategies that call no model and cannot fail. */
  account?(): { readonly model: ModelUse; readonly failures: number };
}

/** A plain strategy, as a yardstick of the lab. */
export type Baseline = (prepared: PreparedSession, window: number) => Contender;

/** Share of the window from which the plain strategies act. */
export const TRIGGER = 0.8;

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

/**
 * Describes the first violation of the pairing rules, or null: calls answered at once, each result once, ids unique.
 */
export function findBreach(messages: readonly RecordedMessage[]): string | null {
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) return `message ${i} answers no open call`;
      continue;
    }
    if (open.size > 0) return `message ${i} comes before all calls are answered`;
    for (const { id } of message.tool_calls ?? []) {
      if (seen.has(id)) return `message ${i} uses the call id ${id} again`;
      seen.add(id);
    }
    open = new Set(message.tool_calls?.map((call) => call.id));
  }
  return open.size > 0 ? 'the last calls are not answered' : null;
}

// Requests as text, so that anybody can score them without this program. One line a request: a number is the index of an
// unmodified recorded message, a name refers to a literal message that this or an earlier line of the file defines.

export interface DumpedLiteral {
  /** The recorded message it replaces; absent for an inserted one. */
  readonly index?: number;
  /** Indices of hidden messages that its handles lead to; absent without handles. */
  readonly leadsTo?: readonly number[];
  readonly message: RecordedMessage;
}

export interface DumpedRequest {
  readonly step: number;
  readonly request: readonly (number | string)[];
  /** New names of this line. */
  readonly literals?: Readonly<Record<string, DumpedLiteral>>;
  /** Requests to a model since the previous line; absent without any. */
  readonly charge?: ModelCharge;
}

/** Writes the requests of one replay in order; names new literals. */
export class DumpWriter {
  readonly #names = new Map<Literal, string>();

  /** One line, without line break. */
  line(step: number, parts: readonly Part[], charge?: ModelCharge): string {
    const literals: Record<string, DumpedLiteral> = {};
    const request = parts.map((part) => {
      if (typeof part === 'number') return part;
      let name = this.#names.get(part);
      if (name === undefined) {
        name = `L${this.#names.size}`;
        this.#names.set(part, name);
        literals[name] = {
          ...(part.index === null ? {} : { index: part.index }),
          ...(part.leadsTo.length ? { leadsTo: part.leadsTo } : {}),
          message: part.message,
        };
      }
      return name;
    });
    const dumped: DumpedRequest = {
      step,
      request,
      ...(Object.keys(literals).length ? { literals } : {}),
      ...(charge ? { charge } : {}),
    };
    return JSON.stringify(dumped);
  }
}
