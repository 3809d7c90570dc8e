/**
 * In-memory versions of the journal's ports. `lines` is what would be on disk: a test crashes a session by building the
 * next journal from them.
 */

import type { Clock } from '../../../src/core/clock.ts';
import type { Crypto } from '../../../src/core/crypto.ts';
import { JournalError } from '../../../src/core/errors.ts';
import type { BlobStore } from '../../../src/core/journal/blobStore.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import type { JournalStore } from '../../../src/core/journal/journalStore.ts';
import { factsOf, type StoredEntries } from '../../../src/core/journal/storedEntries.ts';
import { decodeLine } from '../decodeLine.ts';
import { testCrypto } from './nodeCrypto.ts';
import { testClock } from './testClock.ts';

export interface MemoryStore extends JournalStore {
  readonly lines: string[];
  /** How many lines a power loss would leave. */
  readonly synced: number;
  /** Makes the next `count` appends fail as a full disk does. */
  failNext(count: number): void;
  setReadOnly(error: JournalError | null): void;
}

export function memoryStore(lines: readonly string[] = []): MemoryStore {
  const written = [...lines];
  const waiting: string[] = [];
  let synced = written.length;
  let failures = 0;
  let readOnly: JournalError | null = null;
  return {
    name: 'memory',
    lines: written,
    get synced() {
      return synced;
    },
    get readOnly() {
      return readOnly;
    },
    get unwritten() {
      return waiting.length;
    },
    failNext: (count) => {
      failures = count;
    },
    setReadOnly: (error) => {
      readOnly = error;
    },
    append: async (line) => {
      if (readOnly) throw readOnly;
      waiting.push(line);
      if (failures > 0) {
        failures--;
        throw new JournalError('diskFull', 'memory', 'The disk is full.');
      }
      written.push(...waiting.splice(0));
    },
    sync: async () => {
      written.push(...waiting.splice(0));
      synced = written.length;
    },
    close: async () => {
      readOnly = new JournalError('closed', 'memory', 'The session was closed.');
    },
  };
}

export function memoryBlobs(crypto: Crypto = testCrypto()): BlobStore & { readonly blobs: Map<string, Uint8Array> } {
  const blobs = new Map<string, Uint8Array>();
  return {
    blobs,
    put: async (bytes) => {
      const name = await crypto.sha256(bytes);
      blobs.set(name, bytes);
      return name;
    },
    get: async (name) => blobs.get(name) ?? null,
  };
}

/** The entries of good lines, in file order. */
export function entriesOf(lines: readonly string[], crypto: Crypto = testCrypto()): Entry[] {
  return lines.flatMap((line) => {
    const decoded = decodeLine(line, crypto);
    return decoded.kind === 'entry' ? [decoded.entry] : [];
  });
}

export interface MemoryJournal {
  readonly journal: Journal;
  readonly store: MemoryStore;
}

/** A journal over memory that begins with its session entry, or one read back from `lines`. */
export async function memoryJournal(
  options: { readonly lines?: readonly string[]; readonly clock?: Clock; readonly crypto?: Crypto } = {},
): Promise<MemoryJournal> {
  const crypto = options.crypto ?? testCrypto();
  const store = memoryStore(options.lines ?? []);
  const journal = new Journal(entriesOf(store.lines, crypto), { store, clock: options.clock ?? testClock(), crypto });
  if (store.lines.length === 0) {
    await journal.append({
      type: 'session',
      format: 1,
      id: 'test',
      workspace: null,
      engine: 'palimpsest/test',
      nonce: 'f00d',
    });
  }
  return { journal, store };
}

/**
 * The entries before number `count` as they would be in a file: each is read again at every look, and the reads are
 * counted.
 */
export function memoryStored(
  entries: readonly Entry[],
  count = (entries.at(-1)?.seq ?? -1) + 1,
): StoredEntries & { reads: number } {
  const stored = entries.filter(({ seq }) => seq < count);
  const bySeq = new Map(stored.map((entry) => [entry.seq, JSON.stringify(entry)]));
  const parse = (seq: number): Entry | null => {
    const line = bySeq.get(seq);
    return line === undefined ? null : (JSON.parse(line) as Entry);
  };
  return {
    count,
    reads: 0,
    facts: (seq) => {
      const entry = parse(seq);
      return entry && factsOf(entry);
    },
    read(seq) {
      this.reads++;
      return parse(seq);
    },
  };
}
