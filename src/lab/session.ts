/**
 * A recorded session in the lab's normal form: one OpenAI-style message a line, calls and results paired. Its files are
 * of unknown origin, so every field is validated and a fault names its line.
 */

import { isOutcome } from '../core/calls/outcome.ts';
import { injectedKind } from '../core/context/attribute.ts';
import type { CallOutcome } from '../core/context/message.ts';
import type { PriceShares } from '../core/cost/priceShares.ts';
import { isObject } from '../core/json.ts';

export interface RecordedCall {
  readonly id: string;
  readonly type: 'function';
  /** `arguments` is the model's text: JSON, or a bare patch. */
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface RecordedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly tool_calls?: readonly RecordedCall[];
  readonly tool_call_id?: string;
  readonly is_error?: boolean;
  /** As the program recorded it that ran the call. */
  readonly outcome?: CallOutcome;
  /** When it was said, in milliseconds since the epoch; absent where the recording does not say. */
  readonly time?: number;
}

/** A message of a context: the index of an unmodified recorded one, or one that was rewritten (`index`) or inserted. */
export type RecordedPart = number | { readonly index: number | null; readonly message: RecordedMessage };

/** A compaction in the recorded session. */
export interface RecordedCompaction {
  /** Number of messages before it. */
  readonly after: number;
  /** The summary's text, if the recording has one; else empty. */
  readonly summary: string;
  /** The context right after it; absent where the recording does not have it. */
  readonly context?: readonly RecordedPart[];
  /** Number of messages before its undoing; absent for one that stayed. */
  readonly until?: number;
  /** The program or strategy that compacted. */
  readonly by?: string;
  /** Tokens that the summariser read and wrote, where they were recorded. */
  readonly usage?: { readonly input: number; readonly cached: number; readonly output: number };
  /** Prices of tokens at that time; absent where the session does not say. */
  readonly shares?: PriceShares;
}

export interface RecordedSession {
  readonly name: string;
  readonly messages: readonly RecordedMessage[];
  readonly compactions: readonly RecordedCompaction[];
}

/** Reads a session from the text of its `.jsonl` file and any `.meta.json`. Throws with the line. */
export function readSession(name: string, jsonl: string, meta: string | null): RecordedSession {
  const messages: RecordedMessage[] = [];
  for (const [i, line] of jsonl.split('\n').entries()) {
    if (line.trim() === '') continue;
    const message = readMessage(parse(line, `${name}, line ${i + 1}`));
    if (!message) throw new Error(`${name}, line ${i + 1}: not a message with a known role and its fields`);
    messages.push(message);
  }
  return { name, messages, compactions: meta === null ? [] : readCompactions(parse(meta, `${name}, meta`)) };
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${place}: not valid JSON`, { cause });
  }
}

function readMessage(value: unknown): RecordedMessage | null {
  if (!isObject(value)) return null;
  const message = readContent(value);
  const time = timeOf(value.time ?? value.timestamp);
  return message && time !== null ? { ...message, time } : message;
}

/** Of text in ISO 8601, or of milliseconds since the epoch; null for anything else. */
function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN;
  return Number.isFinite(time) && time > 0 ? time : null;
}

function readContent(value: Readonly<Record<string, unknown>>): RecordedMessage | null {
  const content = value.content ?? '';
  if (typeof content !== 'string') return null;
  switch (value.role) {
    case 'system':
    case 'user':
      return { role: value.role, content };
    case 'assistant': {
      const calls = readCalls(value.tool_calls ?? []);
      if (!calls) return null;
      return calls.length === 0 ? { role: 'assistant', content } : { role: 'assistant', content, tool_calls: calls };
    }
    case 'tool': {
      const id = value.tool_call_id;
      if (typeof id !== 'string') return null;
      const failed = value.is_error === true;
      const { outcome } = value;
      return {
        role: 'tool',
        content,
        tool_call_id: id,
        ...(failed ? { is_error: true } : {}),
        ...(isOutcome(outcome) ? { outcome } : {}),
      };
    }
    default:
      return null;
  }
}

function readCalls(value: unknown): RecordedCall[] | null {
  if (!Array.isArray(value)) return null;
  const calls: RecordedCall[] = [];
  for (const call of value) {
    const made = isObject(call) ? call.function : undefined;
    if (!isObject(call) || !isObject(made)) return null;
    const { id } = call;
    const { name, arguments: args } = made;
    if (typeof id !== 'string' || typeof name !== 'string' || typeof args !== 'string') return null;
    calls.push({ id, type: 'function', function: { name, arguments: args } });
  }
  return calls;
}

function readCompactions(meta: unknown): RecordedCompaction[] {
  const list = isObject(meta) ? meta.compactions : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one) => {
    if (!isObject(one) || typeof one.after !== 'number') return [];
    const summary = typeof one.summary === 'string' ? one.summary : '';
    return [{ after: one.after, summary, ...(typeof one.by === 'string' ? { by: one.by } : {}) }];
  });
}

/** Characters of a message: content, and each call's name and arguments, without reasoning. */
export function charactersOf(message: RecordedMessage): number {
  let characters = message.content.length;
  for (const { function: made } of message.tool_calls ?? []) characters += made.name.length + made.arguments.length;
  return characters;
}

/** In the lab's neutral unit, which is for comparing only. */
export const CHARACTERS_PER_TOKEN = 4;

/** The lab's neutral unit, for comparing only: ceil(characters / 4) + 4. */
export function tokensOf(message: RecordedMessage): number {
  return Math.ceil(charactersOf(message) / CHARACTERS_PER_TOKEN) + 4;
}

/** A message by a person: in the user role, and not starting with an injected tag. */
export function isRealUser(message: RecordedMessage): boolean {
  return message.role === 'user' && injectedKind(message.content) === 'user';
}
