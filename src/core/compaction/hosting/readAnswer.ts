/**
 * Validates what a strategy returned. Nothing in it is trusted: it may not be a list, hold proxies, or name unknown
 * messages. Each value is read once; a getter that throws is the strategy's fault and rejects the answer.
 */

import type { ContextMessage, LineReason, NewSummary } from '../../../api/index.ts';
import { messageOf } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { type Words, words } from '../../words.ts';
import { type Change, type Decision, DROP, type Draft, type Insert, tokensWith } from '../draft/draft.ts';
import type { Stub } from '../draft/stub.ts';
import { readDetails } from './details.ts';
import { hiddenTokens, type OpenedContext } from './strategyContext.ts';

type ReadAnswer =
  | { readonly kind: 'draft'; readonly draft: Draft }
  /** Null, or every message unchanged. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rejected'; readonly reason: Words };

/** Most summaries of a result: a list longer than the history by more than this is not a compaction. */
const MOST_INSERTS = 100;
/** Maximum characters of all inserted texts and of all growth of changed ones, in total. */
const LONGEST_INSERTS = 4_000_000;
const LONGEST_REASON = 300;

/** Messages that the answer does not mention stay as in `from`. */
export function readAnswer(returned: unknown, from: Draft, run: OpenedContext): ReadAnswer {
  if (returned === null) return { kind: 'unchanged' };
  try {
    return isResult(returned) ? readResult(returned, from, run) : readList(returned, from, run);
  } catch (thrown) {
    const reason = words('its result could not be read ({0})', messageOf(thrown).slice(0, LONGEST_REASON));
    return { kind: 'rejected', reason };
  }
}

/** Reads a list with details to remember. An unchanged list is not a compaction, so its details are not stored. */
function readResult(returned: Readonly<Record<string, unknown>>, from: Draft, run: OpenedContext): ReadAnswer {
  const { messages, details } = returned;
  const read = readList(messages, from, run);
  if (read.kind === 'rejected' || details === undefined) return read;
  const kept = readDetails(details);
  if (kept.kind === 'refused') return { kind: 'rejected', reason: kept.reason };
  return read.kind === 'draft' ? { kind: 'draft', draft: read.draft.keeping(kept.value) } : read;
}

function isResult(returned: unknown): returned is Readonly<Record<string, unknown>> {
  return isObject(returned) && 'messages' in returned;
}

const SUMMARY_ENDED = words('The summary was cut at its output limit, and its end is missing.');

function readList(returned: unknown, from: Draft, { context, stubs, indexOf }: OpenedContext): ReadAnswer {
  const messages = context.history;
  const reject = (reason: Words): ReadAnswer => ({ kind: 'rejected', reason });
  if (!Array.isArray(returned))
    return reject(words('it returned {0} instead of a list of messages or null', describe(returned)));
  const length = returned.length;
  if (length === 0 && messages.length > 0) return reject(words('it returned an empty list'));
  if (length > messages.length + MOST_INSERTS)
    return reject(words('it returned {0} messages for {1}', length, messages.length));
  const decisions = new Map<number, Decision>();
  const inserts: (Insert & { readonly cut: Words | null })[] = [];
  let added = 0;
  /** Index of the message that comes next when none is dropped. */
  let next = 0;
  const dropUpTo = (index: number) => {
    for (; next < index; next++) decisions.set(next, DROP);
  };
  for (let i = 0; i < length; i++) {
    const value: unknown = returned[i];
    // Most messages are returned unchanged, next to their neighbours: no lookup, no comparison.
    if (next < messages.length && value === messages[next]) {
      next++;
      continue;
    }
    if (typeof value !== 'object' || value === null)
      return reject(words('entry {0} is {1}, not a message', i, describe(value)));
    const given = value as Record<string, unknown>;
    const id = given.id;
    if (id === undefined) {
      const text = readSummary(given);
      if (text === '') return reject(words('entry {0} is a summary with a blank text', i));
      if (text === null)
        return reject(words('entry {0} has no id and is not a summary (role user, kind summary, text)', i));
      added += text.length;
      if (added > LONGEST_INSERTS) return reject(words('it adds more than {0} characters', LONGEST_INSERTS));
      const reasons = readReasons(given.reasons, text);
      inserts.push({ before: next, text, cut: describeCut(given.cut, text), ...(reasons ? { reasons } : {}) });
      if (inserts.length > MOST_INSERTS)
        return reject(words('it adds more summaries than a result may have, at most {0}', MOST_INSERTS));
      continue;
    }
    // A changed message is usually in its place; only after a gap is it searched for.
    const near = typeof id === 'string' && messages[next]?.id === id;
    const index = near ? next : typeof id === 'string' ? indexOf(id) : undefined;
    if (index === undefined)
      return reject(words('entry {0} has the id {1}, which is not in the history', i, describe(id)));
    if (index < next) return reject(words('the message {0} came back twice or out of order', String(id)));
    const message = messages[index] as ContextMessage;
    const read = value === message ? null : readChange(given, message, stubs);
    if (isRefusal(read)) return reject(words('the message {0} came back with {1}', message.id, read));
    dropUpTo(index);
    next = index + 1;
    if (!read) continue;
    added += addedBy(read, message);
    if (added > LONGEST_INSERTS) return reject(words('it adds more than {0} characters', LONGEST_INSERTS));
    decisions.set(index, read);
  }
  dropUpTo(messages.length);
  if (decisions.size === 0 && inserts.length === 0) return { kind: 'unchanged' };
  let draft = from.decide(decisions);
  for (const { before, text, cut, reasons } of inserts) {
    draft = draft.insert(before, text, reasons);
    if (cut) draft = draft.repaired(cut);
  }
  return { kind: 'draft', draft };
}

/** Null when nothing was cut. */
export function describeCut(cut: unknown, text: string): Words | null {
  if (cut === true) return SUMMARY_ENDED;
  if (!Number.isSafeInteger(cut) || Number(cut) <= 0) return null;
  return words('The summary was cut to {0} characters; {1} more were left out.', text.length, Number(cut));
}

/** Its text, empty when it is blank; null for what is no summary. */
function readSummary(given: Record<string, unknown>): string | null {
  const { role, kind, text } = given as Partial<NewSummary>;
  if (role !== 'user' || kind !== 'summary' || typeof text !== 'string') return null;
  return text.trim() === '' ? '' : text;
}

/** Longest text of a reason, or of a name in it. */
const LONGEST_WHY = 200;

/** Reasons for the lines of a summary, for a person to read; malformed ones are ignored. */
function readReasons(given: unknown, text: string): readonly (LineReason | null)[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const lines = text.split('\n').length;
  const short = (value: unknown) => (typeof value === 'string' ? value.slice(0, LONGEST_WHY).toWellFormed() : '');
  return Array.from({ length: Math.min(given.length, lines) }, (_, i) => {
    const each: unknown = given[i];
    if (!isObject(each)) return null;
    const [why, name] = [short(each.why), short(each.name)];
    return why === '' ? null : { why, ...(name === '' ? {} : { name }) };
  });
}

const isRefusal = (read: Change | null | Words): read is Words => Array.isArray(read);

/**
 * Null when nothing differs, a decision when only changeable fields differ, otherwise a description of the difference.
 */
function readChange(
  given: Record<string, unknown>,
  message: ContextMessage,
  stubs: ReadonlyMap<string, Stub>,
): Change | null | Words {
  const { text, hidden, tokens } = given;
  if (typeof text !== 'string') return words('a text that is not a string');
  for (const [key, value] of Object.entries(message)) {
    if (!COMPARED_APART.has(key) && given[key] !== value) return words('another {0}', key);
  }
  const attachments = message.role === 'assistant' ? undefined : message.attachments;
  if (attachments && !sameList(given.attachments, attachments, ['mime', 'tokens'])) {
    return words('other attachments');
  }
  const json = message.role === 'assistant' ? readArguments(given.toolCalls, message.toolCalls) : undefined;
  if (json === null) return words('other tool calls (only their arguments may change)');
  const changed = text !== message.text;
  const stub = stubs.get(message.id);
  const newCalls = json ? { arguments: json } : {};
  if (changed && stub?.text === text) {
    const sizes = [message.tokens, tokensWith(message, text, json), hiddenTokens(message, text, json)];
    if (hidden !== true && hidden !== message.hidden) return words('another {0}', 'hidden');
    return sizes.includes(Number(tokens)) ? { kind: 'hide', stub, ...newCalls } : words('another {0}', 'tokens');
  }
  const isStub = message.hidden ? changed : stub && (hidden === true || holdsStub(text, message, stub));
  if (isStub) return words('a changed placeholder (it must stay as hide gave it)');
  if (hidden !== message.hidden) return words('another {0}', 'hidden');
  if (tokens !== message.tokens && tokens !== tokensWith(message, text, json)) return words('another {0}', 'tokens');
  if (changed && text.trim() === '' && message.text.trim() !== '') return words('a blank text');
  return changed || json ? { kind: 'replace', ...(changed ? { text } : {}), ...newCalls } : null;
}

/** `hidden` and `tokens` follow from the results of `hide` and `tokensOf`. */
const COMPARED_APART: ReadonlySet<string> = new Set(['text', 'toolCalls', 'attachments', 'hidden', 'tokens']);

/** True when a text carries the mark of this session's stubs, and the message did not. */
function holdsStub(text: string, message: ContextMessage, stub: Stub): boolean {
  const mark = /\[palimpsest:\w+ /.exec(stub.text)?.[0];
  return mark !== undefined && text.includes(mark) && !message.text.includes(mark);
}

/** Undefined when equal, null when more than arguments differs. */
function readArguments(
  given: unknown,
  calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[],
): readonly string[] | undefined | null {
  if (given === calls) return undefined;
  if (!sameList(given, calls, ['id', 'name'])) return null;
  // By index: a list may override its methods, and their results would enter the conversation.
  const json = calls.map((_, i) => (given as readonly { arguments: unknown }[])[i]?.arguments);
  if (!json.every((text) => typeof text === 'string')) return null;
  return json.some((text, i) => text !== calls[i]?.arguments) ? json : undefined;
}

/** Characters that a change adds to the message; a shorter one makes no room for others. */
function addedBy(change: Change, message: ContextMessage): number {
  const text = change.kind === 'hide' ? change.stub.text : (change.text ?? '');
  const json = change.arguments ?? [];
  return json.reduce((sum, each) => sum + each.length, Math.max(0, text.length - message.text.length));
}

function sameList<T extends object>(given: unknown, own: readonly T[], keys: readonly (keyof T)[]): boolean {
  if (given === own) return true;
  if (!Array.isArray(given) || given.length !== own.length) return false;
  return own.every((mine, i) => {
    const theirs: unknown = given[i];
    return typeof theirs === 'object' && theirs !== null && keys.every((key) => (theirs as T)[key] === mine[key]);
  });
}

/** A value of another type is described by its type name, which is the same in every language. */
function describe(value: unknown): string | Words {
  if (value === null) return 'null';
  if (Array.isArray(value)) return words('a list');
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return typeof value === 'object' ? words('an object') : String(value).slice(0, 40);
}
