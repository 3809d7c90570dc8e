/**
 * A strategy's memory of the session, read from the path of its journal: undo, redo, revert and branches therefore
 * apply to it as to the compactions it came from.
 */

import type { CompactionContext, JsonValue } from '../../../api/index.ts';
import type { Projection } from '../../context/projection.ts';
import { BRANCH, type TreeEntry } from '../../journal/entry.ts';
import { sessionHash } from '../../journal/sessionHash.ts';
import { type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactor.ts';
import { LEDGER_HEADING, pathsIn, plainPath, READS, WRITES } from '../draft/extractFacts.ts';
import { findPast, type History } from '../draft/history.ts';
import { readDropNote } from '../draft/stub.ts';

export type StrategyMemory = Pick<CompactionContext, 'details' | 'previousSummary' | 'files' | 'past' | 'sessionId'>;

/** Sources of the memory. */
interface Remembered {
  readonly context: Projection;
  readonly history: History;
  /** The session's secret word in stubs and drop notes. */
  readonly nonce: string;
  readonly sessionId: string;
  /** The newest imported entry; -1 without an import. */
  readonly importedTo: number;
  /** Entries of the path, newest first. */
  readonly newest: () => Iterable<TreeEntry>;
}

/** The memory of the strategy with the id `strategy`. Files and past messages are computed on access. */
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

/** The session's identifier for strategies. */
export const publicSessionId = (ports: Pick<CompactorPorts, 'journal' | 'crypto'>): Promise<string> =>
  sessionHash(ports, 'strategies');

/**
 * Details that the strategy stored with its newest active compaction; undefined if that stored none. Imported entries
 * may be read but trigger no action.
 */
function findDetails(context: Projection, strategy: string, importedTo: number): JsonValue | undefined {
  for (const { seq, strategy: name, details } of context.newestCompactions()) {
    if (seq <= importedTo) return undefined;
    if (name !== strategy && details?.by !== strategy) continue;
    // The file may have been edited by hand.
    const read = details?.by === strategy ? readDetails(details.value) : null;
    return read?.kind === 'details' ? read.value : undefined;
  }
  return undefined;
}

/**
 * The newest summary in the history, in full even if hidden: not a ledger, a drop note, or a summary of an abandoned
 * branch.
 */
function findSummary(context: Projection, { items, original }: History, nonce: string): string | undefined {
  const isBranch = (seq: number) => context.activeCompaction(seq)?.trigger === BRANCH;
  const found = items.findLast(
    ({ kind, seq, message: { text } }) =>
      kind === 'summary' && !text.startsWith(LEDGER_HEADING) && !readDropNote(text, nonce) && !isBranch(seq),
  );
  return found && (found.hidden ? original(found.id).text : found.message.text);
}

/**
 * The files that the conversation has read and changed, from the calls on the journal's path and their recorded
 * effects, including calls that compactions removed from the context.
 */
type Files = CompactionContext['files'];

/** Maximum entries of a path that are examined, and files that are named: a session may be of any length. */
const MOST_ENTRIES = 20_000;
const MOST_FILES = 1_000;

/** `entries` of the path, newest first. For a file touched several times the newest counts. */
export function findFiles(entries: Iterable<TreeEntry>): Files {
  const read = new Set<string>();
  const changed = new Set<string>();
  const add = (files: Set<string>, path: string) => {
    if (files.size < MOST_FILES) files.add(plainPath(path));
  };
  /** Calls whose results report failure. */
  const failed = new Set<string>();
  let left = MOST_ENTRIES;
  for (const entry of entries) {
    if (left-- === 0) break;
    if (entry.type === 'files' && (entry.cause === 'tool' || entry.cause === 'command'))
      for (const { path } of entry.files) add(changed, path);
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

/** Maximum size of its JSON in UTF-8, in bytes. */
const MOST_BYTES = 64 * 1024;
const DEEPEST = 32;
const LONGEST_PATH = 120;

type ReadDetails =
  | { readonly kind: 'details'; readonly value: JsonValue }
  | { readonly kind: 'refused'; readonly reason: Words };

/** Aborts copying a value that cannot be stored. */
class Refusal extends Error {
  readonly said: Words;

  constructor(said: Words) {
    super();
    this.said = said;
  }
}

/** A frozen copy, or the reason why there is none. Each value is read once; errors of getters are rethrown. */
export function readDetails(given: unknown): ReadDetails {
  let left = MOST_BYTES;
  /** Counts `bytes` of copied JSON. */
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
  /** The objects that the copied value is in. */
  const around = new Set<object>();
  const copy = (value: unknown, path: string, depth: number): JsonValue => {
    if (typeof value !== 'object' || value === null) return copyOne(value, path, depth);
    if (around.has(value)) throw new Refusal(words('{0} refers to itself, so it is not JSON', shown(path)));
    around.add(value);
    const copied = copyOne(value, path, depth);
    around.delete(value);
    return copied;
  };
  const copyOne = (value: unknown, path: string, depth: number): JsonValue => {
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

/** Size of the text as JSON, including escapes. */
const bytesOf = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length;

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const shown = (path: string): string => path.slice(0, LONGEST_PATH).toWellFormed();

const describe = (value: unknown): string => (typeof value === 'number' ? String(value) : typeof value);
