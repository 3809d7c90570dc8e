/**
 * Reads what a strategy returned. Nothing in it is trusted: it may be no list, hold proxies, or name what is not there.
 * Each value is read once; a getter that throws is the strategy's fault and rejects the result.
 */

import type { ContextMessage, NewSummary } from '../../../api/index.ts';
import { messageOf } from '../../errors.ts';
import { type Candidate, CandidateBuilder, type Change } from '../draft/candidate.ts';
import type { Stub } from '../draft/stub.ts';

export type ReadResult =
  | { readonly kind: 'candidate'; readonly candidate: Candidate }
  /** Null, or every message as it was. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rejected'; readonly reason: string };

/** A list longer than the history by more than this is not a compaction. */
const MOST_INSERTS = 100;
/** Of all inserted texts together, and of what changed texts have more than before, in characters. */
const LONGEST_INSERTS = 4_000_000;
const LONGEST_REASON = 300;

export function readResult(
  returned: unknown,
  history: readonly ContextMessage[],
  stubs: ReadonlyMap<string, Stub>,
): ReadResult {
  if (returned === null) return { kind: 'unchanged' };
  try {
    return readList(returned, history, stubs);
  } catch (thrown) {
    return { kind: 'rejected', reason: `its result could not be read (${messageOf(thrown).slice(0, LONGEST_REASON)})` };
  }
}

function readList(returned: unknown, history: readonly ContextMessage[], stubs: ReadonlyMap<string, Stub>): ReadResult {
  const reject = (reason: string): ReadResult => ({ kind: 'rejected', reason });
  if (!Array.isArray(returned))
    return reject(`it returned ${describe(returned)} instead of a list of messages or null`);
  const length = returned.length;
  if (length === 0 && history.length > 0) return reject('it returned an empty list');
  if (length > history.length + MOST_INSERTS) return reject(`it returned ${length} messages for ${history.length}`);
  const candidate = new CandidateBuilder();
  let at = -1;
  let changed = length !== history.length;
  let inserted = 0;
  let byId: Map<string, number> | null = null;
  for (let i = 0; i < length; i++) {
    let value: unknown = returned[i];
    // Most messages come back as they were, next to the one before: no lookup, no comparison.
    const from = at + 1;
    while (at + 1 < history.length && value === history[at + 1]) {
      at++;
      i++;
      if (i === length) break;
      value = returned[i];
    }
    if (at >= from) candidate.push({ kind: 'keep', from, to: at + 1 });
    if (i === length) break;
    if (typeof value !== 'object' || value === null) return reject(`entry ${i} is ${describe(value)}, not a message`);
    const given = value as Record<string, unknown>;
    const id = given.id;
    if (id === undefined) {
      const text = readSummary(given);
      if (text === null) return reject(`entry ${i} has no id and is not a summary (role user, kind summary, text)`);
      inserted += text.length;
      if (inserted > LONGEST_INSERTS) return reject(`it adds more than ${LONGEST_INSERTS} characters`);
      candidate.push({ kind: 'insert', text });
      changed = true;
      continue;
    }
    // A message that was changed mostly stands where it stood; only after a gap is it looked for.
    const near = typeof id === 'string' && history[at + 1]?.id === id;
    if (!near) byId ??= new Map(history.map((message, index) => [message.id, index]));
    const index = near ? at + 1 : typeof id === 'string' ? byId?.get(id) : undefined;
    if (index === undefined) return reject(`entry ${i} has the id ${describe(id)}, which is not in the history`);
    if (index <= at) return reject(`the message ${id} came back twice or out of order`);
    const message = history[index] as ContextMessage;
    at = index;
    const read = value === message ? null : readChange(given, message, stubs);
    if (typeof read === 'string') return reject(`the message ${id} came back with ${read}`);
    inserted += addedBy(read, message);
    if (inserted > LONGEST_INSERTS) return reject(`it adds more than ${LONGEST_INSERTS} characters`);
    if (read) {
      changed = true;
      candidate.push({ kind: 'change', index, message, by: read });
    } else candidate.keep(index);
  }
  return changed ? { kind: 'candidate', candidate: candidate.build() } : { kind: 'unchanged' };
}

function readSummary(given: Record<string, unknown>): string | null {
  const { role, kind, text } = given as Partial<NewSummary>;
  return role === 'user' && kind === 'summary' && typeof text === 'string' && text.trim() !== '' ? text : null;
}

/** Null when nothing differs, the change when only what may differ does, else what differs, in words. */
function readChange(
  given: Record<string, unknown>,
  message: ContextMessage,
  stubs: ReadonlyMap<string, Stub>,
): Change | null | string {
  const text = given.text;
  if (typeof text !== 'string') return 'a text that is not a string';
  for (const [key, value] of Object.entries(message)) {
    if (key === 'text' || key === 'toolCalls' || key === 'attachments') continue;
    if (given[key] !== value) return `another ${key}`;
  }
  if (message.role === 'user' && !sameList(given.attachments, message.attachments, ['mime', 'tokens'])) {
    return 'other attachments';
  }
  const json = message.role === 'assistant' ? readArguments(given.toolCalls, message.toolCalls) : undefined;
  if (json === null) return 'other tool calls (only their arguments may change)';
  const stub = stubs.get(message.id);
  const change: Change = {
    ...(text !== message.text ? { text } : {}),
    ...(json ? { arguments: json } : {}),
    ...(stub && stub.text === text && text !== message.text ? { stub } : {}),
  };
  return change.text === undefined && change.arguments === undefined ? null : change;
}

/** Undefined when equal, null when more than arguments differs. */
function readArguments(
  given: unknown,
  calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[],
): readonly string[] | undefined | null {
  if (given === calls) return undefined;
  if (!sameList(given, calls, ['id', 'name'])) return null;
  // By index: a list may bring methods of its own, and what they give would go into the conversation.
  const json = calls.map((_, i) => (given as readonly { arguments: unknown }[])[i]?.arguments);
  if (!json.every((text) => typeof text === 'string')) return null;
  return json.some((text, i) => text !== calls[i]?.arguments) ? json : undefined;
}

/** Characters that a change has more than the message had; a shorter one makes no room for others. */
function addedBy(change: Change | null, message: ContextMessage): number {
  const text = Math.max(0, (change?.text?.length ?? 0) - message.text.length);
  const given = change?.arguments ?? [];
  return given.reduce((sum, json) => sum + json.length, text);
}

function sameList<T extends object>(given: unknown, own: readonly T[], keys: readonly (keyof T)[]): boolean {
  if (given === own) return true;
  if (!Array.isArray(given) || given.length !== own.length) return false;
  return own.every((mine, i) => {
    const theirs: unknown = given[i];
    return typeof theirs === 'object' && theirs !== null && keys.every((key) => (theirs as T)[key] === mine[key]);
  });
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return typeof value === 'object' ? 'an object' : String(value).slice(0, 40);
}
