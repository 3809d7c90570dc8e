/**
 * What a strategy remembers of the session, read from the path of its journal: so undo, redo, revert and branches take it
 * back with the compactions that it came from.
 */

import type { CompactionContext, JsonValue } from '../../../api/index.ts';
import type { Projection } from '../../context/projection.ts';
import { BRANCH, type TreeEntry } from '../../journal/entry.ts';
import { sessionHash } from '../../journal/storedEntries.ts';
import { type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactor.ts';
import { LEDGER_HEADING, pathsIn, plainPath, READS, WRITES } from '../draft/extractFacts.ts';
import { findPast, type History } from '../draft/history.ts';
import { readDropNote } from '../draft/stub.ts';

export type StrategyMemory = Pick<CompactionContext, 'details' | 'previousSummary' | 'files' | 'past' | 'sessionId'>;

/** Where it is read from. */
interface Remembered {
  readonly context: Projection;
  readonly history: History;
  /** The session's own word in stubs and drop notes. */
  readonly nonce: string;
  readonly sessionId: string;
  /** The newest entry that was imported; -1 when none was. */
  readonly importedTo: number;
  /** Entries of the path, newest first. */
  readonly newest: () => Iterable<TreeEntry>;
}

/** What the strategy with the id `strategy` is told. Files and past messages are looked for when it asks. */
export function readMemory(from: Remembered, strategy: string): StrategyMemory {
  let files: CompactionContext['files'] | null = null;
  let past: CompactionContext['past'] | null = null;
  return {
    sessionId: from.sessionId,
    details: findDetails(from.context, strategy, from.importedTo),
    previousSummary: findSummary(from.context, from.history, from.nonce),
    get files() {
      files ??= findFiles(from.newest());
      return files;
    },
    get past() {
      past ??= findPast(from.newest());
      return past;
    },
  };
}

/** What strategies know the session by. */
export const publicSessionId = (ports: Pick<CompactorPorts, 'journal' | 'crypto'>): Promise<string> =>
  sessionHash(ports, 'strategies');

/**
 * What the strategy kept with its newest active compaction; undefined when that one kept nothing. What was imported may
 * be read and does not act here.
 */
function findDetails(context: Projection, strategy: string, importedTo: number): JsonValue | undefined {
  for (const { seq, strategy: name, details } of context.newestCompactions()) {
    if (seq <= importedTo) return undefined;
    if (name !== strategy && details?.by !== strategy) continue;
    // The file may have been changed by hand.
    const read = details?.by === strategy ? readDetails(details.value) : null;
    return read?.kind === 'details' ? read.value : undefined;
  }
  return undefined;
}

/** The newest summary in the history, whole where it is hidden: no ledger, no drop note, and not of a branch that was left. */
function findSummary(context: Projection, { items, original }: History, nonce: string): string | undefined {
  const isBranch = (seq: number) => context.activeCompaction(seq)?.trigger === BRANCH;
  const found = items.findLast(
    ({ kind, seq, message: { text } }) =>
      kind === 'summary' && !text.startsWith(LEDGER_HEADING) && !readDropNote(text, nonce) && !isBranch(seq),
  );
  return found && (found.hidden ? original(found.id).text : found.message.text);
}

/**
 * Which files the conversation has read and changed so far, from the calls on the journal's path and what was noted of
 * their effects, also where compactions have taken the calls out of the context.
 */
type Files = CompactionContext['files'];

/** Newest entries of a path that are looked at, and files that are named: a session may be without end. */
const MOST_ENTRIES = 20_000;
const MOST_FILES = 1_000;

/** `entries` of the path, newest first. Of a file that was touched more than once the newest time counts. */
export function findFiles(entries: Iterable<TreeEntry>): Files {
  const read = new Set<string>();
  const changed = new Set<string>();
  const add = (files: Set<string>, path: string) => {
    if (files.size < MOST_FILES) files.add(plainPath(path));
  };
  /** Calls whose results say that they failed. */
  const failed = new Set<string>();
  let left = MOST_ENTRIES;
  for (const entry of entries) {
    if (left-- === 0) break;
    if (entry.type === 'files' && entry.cause !== 'restore') for (const { path } of entry.files) add(changed, path);
    if (entry.type !== 'message') continue;
    const { message } = entry;
    if (message.role === 'tool' && message.isError) failed.add(message.toolCallId);
    if (message.role !== 'assistant' || message.interrupted) continue;
    for (const { id, name, arguments: json } of message.toolCalls ?? []) {
      const files = WRITES.test(name) ? changed : READS.test(name) ? read : null;
      if (files && !failed.has(id)) for (const path of pathsIn(json)) add(files, path);
    }
    failed.clear();
  }
  return Object.freeze({ read: oldestFirst(read), changed: oldestFirst(changed) });
}

const oldestFirst = (paths: ReadonlySet<string>): readonly string[] => Object.freeze([...paths].reverse());

/** Bytes of its JSON in UTF-8. */
const MOST_BYTES = 64 * 1024;
const DEEPEST = 32;
const LONGEST_PATH = 120;

type ReadDetails =
  | { readonly kind: 'details'; readonly value: JsonValue }
  | { readonly kind: 'refused'; readonly reason: Words };

/** Ends the copying of what cannot be kept. */
class Refusal extends Error {
  readonly said: Words;

  constructor(said: Words) {
    super();
    this.said = said;
  }
}

/** A frozen copy, or why there is none. Each value is read once; one that throws when it is read throws here. */
export function readDetails(given: unknown): ReadDetails {
  let left = MOST_BYTES;
  /** `bytes` of JSON were copied. */
  const spend = (bytes: number) => {
    left -= bytes;
    if (left < 0) throw new Refusal(words('its details are larger than {0} KB', MOST_BYTES / 1024));
  };
  const copyText = (text: string, path: string) => {
    if (text.length > MOST_BYTES) spend(text.length);
    if (!text.isWellFormed()) throw new Refusal(words('{0} is not well-formed Unicode', shown(path)));
    spend(bytesOf(text));
    return text;
  };
  const copy = (value: unknown, path: string, depth: number): JsonValue => {
    if (depth > DEEPEST) throw new Refusal(words('its details are nested more than {0} deep', DEEPEST));
    if (typeof value === 'string') return copyText(value, path);
    if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
      spend(String(value).length);
      return value;
    }
    if (typeof value !== 'object')
      throw new Refusal(words('{0} is {1}, which is not JSON', shown(path), describe(value)));
    spend(2);
    if (Array.isArray(value)) return copyList(value, path, depth);
    if (!isPlain(value)) throw new Refusal(words('{0} is not a plain object', shown(path)));
    const copied = Object.keys(value).map((key, i): [string, JsonValue] => {
      spend(i > 0 ? 2 : 1);
      const name = copyText(key, path);
      return [name, copy((value as Record<string, unknown>)[key], `${path}.${key}`, depth + 1)];
    });
    return Object.freeze(Object.fromEntries(copied));
  };
  const copyList = (list: readonly unknown[], path: string, depth: number): JsonValue => {
    const copied: JsonValue[] = [];
    for (let i = 0, { length } = list; i < length; i++) {
      if (i > 0) spend(1);
      copied.push(copy(list[i], `${path}[${i}]`, depth + 1));
    }
    return Object.freeze(copied);
  };
  try {
    return { kind: 'details', value: copy(given, 'details', 0) };
  } catch (thrown) {
    if (thrown instanceof Refusal) return { kind: 'refused', reason: thrown.said };
    throw thrown;
  }
}

/** The size of the text as JSON: escapes count. */
const bytesOf = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length;

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const shown = (path: string): string => path.slice(0, LONGEST_PATH).toWellFormed();

const describe = (value: unknown): string => (typeof value === 'number' ? String(value) : typeof value);
