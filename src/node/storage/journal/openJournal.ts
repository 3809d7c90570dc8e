/**
 * Opens a session's journal for reading and, if allowed, for appending. Everything readable is read; everything else is
 * counted in the report and left on disk.
 */

import { stat } from 'node:fs/promises';
import type { Clock } from '../../../core/clock.ts';
import type { Crypto } from '../../../core/crypto.ts';
import { JournalError } from '../../../core/errors.ts';
import { type Entry, FORMAT_VERSION } from '../../../core/journal/entry.ts';
import { Journal, type JournalPorts, type JournalSnapshot } from '../../../core/journal/journal.ts';
import type { JournalStore } from '../../../core/journal/journalStore.ts';
import { words } from '../../../core/words.ts';
import { readLines } from '../disk/readLines.ts';
import { storageError } from '../disk/storageError.ts';
import { FileEntries } from './fileEntries.ts';
import { DiskFile, FileJournalStore, type JournalTail } from './fileJournalStore.ts';
import { JournalColumns } from './journalColumns.ts';
import { dropIndex, type JournalIndex, JournalIndexKeeper, loadIndex, rowsPath } from './journalIndex.ts';
import { type JournalReport, LineTally, readJournal, reportOf, standIn } from './readJournal.ts';
import { scanJournal } from './scanJournal.ts';

export interface OpenJournalOptions {
  readonly path: string;
  /** The session's id, from its folder's name. */
  readonly id: string;
  readonly clock: Clock;
  readonly crypto: Crypto;
  /** Why this window may only read; omitted when it may write. */
  readonly readOnly?: JournalError;
  /** Length in bytes from which the index is used; for tests and benches. */
  readonly indexFrom?: number;
  /** Called before each batch of writes. */
  readonly guard?: () => Promise<JournalError | null>;
  /** Stops reading: nothing is then open. */
  readonly signal?: AbortSignal;
}

export interface OpenedJournal {
  readonly journal: Journal;
  readonly report: JournalReport;
}

/** From this length on a journal is opened through its index, and its entries are read on access. In bytes. */
const INDEX_FROM = 8 << 20;

/** Throws `JournalError` when nothing can be read at all. A newer format opens read-only. */
export async function openJournal(options: OpenJournalOptions): Promise<OpenedJournal> {
  const { path, indexFrom = INDEX_FROM, signal } = options;
  const size = await sizeOf(path);
  const opened = await (size < indexFrom ? openWhole(options) : openIndexed(options, size));
  if (!signal?.aborted) return opened;
  // It was cancelled after the last line was read.
  await opened.journal.close();
  throw signal.reason;
}

async function openWhole(options: OpenJournalOptions): Promise<OpenedJournal> {
  const { path, clock, crypto, signal } = options;
  const { entries, report, tally, tail } = await readJournal(path, options.id, crypto, signal);
  const store = await openStore(options, report, tail);
  const journal = new Journal(entries, { store, clock, crypto });
  if (store instanceof FileJournalStore && !report.sessionLost) {
    keepIndex(options, journal, store, async () => (await scanJournal(path, crypto)).columns, tally, 0);
  }
  return { journal, report };
}

async function openIndexed(options: OpenJournalOptions, size: number): Promise<OpenedJournal> {
  const { path, crypto } = options;
  const index = await loadIndex(path, size, crypto);
  const resumed = index && (await resume(options, index));
  return resumed ?? scan(options);
}

function resumeJournal(
  snapshot: JournalSnapshot,
  stored: FileEntries,
  newer: readonly Entry[],
  ports: JournalPorts,
): Journal | null {
  try {
    const journal = Journal.resume(snapshot, stored, newer, ports);
    // Forces the first read here, so that a wrong index is detected.
    void journal.context.conversation.length;
    return journal;
  } catch (thrown) {
    if (thrown instanceof JournalError) throw thrown;
    return null;
  }
}

/** Null when a visible entry does not match the index. */
async function resume(options: OpenJournalOptions, index: JournalIndex): Promise<OpenedJournal | null> {
  const { path, clock, crypto, signal } = options;
  const { snapshot } = index;
  const newer: Entry[] = [];
  const columns = new JournalColumns(snapshot.nextSeq);
  const tally = new LineTally(index.tally);
  const add = (entry: Entry, offset: number, length: number) => {
    newer.push(entry);
    columns.add(entry, offset, length);
  };
  const decode = (line: Buffer, offset: number, length: number) => tally.decode(line, offset, length, crypto, add);
  const read = await readLines(path, decode, { from: index.bytes, signal });
  const tail = tally.finish(read, decode);
  const report = reportOf(path, read.size, tally, tail, snapshot.session);
  const stored = new FileEntries(path, snapshot.nextSeq, crypto, { rows: rowsPath(path) });
  const store = await openStore(options, report, tail);
  const journal = resumeJournal(snapshot, stored, newer, { store, clock, crypto });
  if (!journal) {
    await store.close();
    return null;
  }
  if (store instanceof FileJournalStore) {
    // A wrong index is written again after the next opening, which scans the journal.
    if (stored.scanned) await dropIndex(path);
    else keepIndex(options, journal, store, async () => columns, tally, snapshot.nextSeq);
  }
  return { journal, report };
}

async function scan(options: OpenJournalOptions): Promise<OpenedJournal> {
  const { path, id, clock, crypto, signal } = options;
  await dropIndexIfWriting(options);
  const { columns, tally, bytes, tail } = await scanJournal(path, crypto, signal);
  // No line begins like a journal's: reading the file whole determines what it is.
  if (columns.count === 0) return openWhole(options);
  const stored = new FileEntries(path, columns.count, crypto, columns);
  const first = stored.read(0);
  const session = first?.type === 'session' ? first : null;
  const report = reportOf(path, bytes, tally, tail, session);
  const store = await openStore(options, report, tail);
  const journal = Journal.scan(stored, { store, clock, crypto }, session ? null : standIn(id, null, crypto));
  if (store instanceof FileJournalStore) keepIndex(options, journal, store, async () => columns, tally, 0);
  return { journal, report };
}

/** For a new session: should it grow large, it is indexed like any other. Call before the first append. */
export function indexNewJournal(
  journal: Journal,
  store: FileJournalStore,
  crypto: Crypto,
  indexFrom = INDEX_FROM,
): void {
  const columns = async () => (await scanJournal(store.name, crypto)).columns;
  keepIndex({ crypto, indexFrom }, journal, store, columns, new LineTally(), 0);
}

function keepIndex(
  { crypto, indexFrom }: Pick<OpenJournalOptions, 'crypto' | 'indexFrom'>,
  journal: Journal,
  store: FileJournalStore,
  columns: () => Promise<JournalColumns>,
  tally: LineTally,
  savedRows: number,
): void {
  const minBytes = indexFrom ?? INDEX_FROM;
  new JournalIndexKeeper({ journal, store, columns, tally, crypto, savedRows, minBytes });
}

async function openStore(options: OpenJournalOptions, report: JournalReport, tail: JournalTail): Promise<JournalStore> {
  const { path } = options;
  const refusal = options.readOnly ?? newerFormat(report);
  if (refusal) return readOnlyStore(path, refusal);
  try {
    return new FileJournalStore(path, await DiskFile.open(path), tail, options.guard);
  } catch (thrown) {
    // Readable content is shown even where nothing may be written.
    if (thrown instanceof JournalError && thrown.kind === 'noPermission') return readOnlyStore(path, thrown);
    throw thrown;
  }
}

async function dropIndexIfWriting({ path, readOnly }: OpenJournalOptions): Promise<void> {
  if (!readOnly) await dropIndex(path);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

function newerFormat({ path, format }: JournalReport): JournalError | null {
  if (format <= FORMAT_VERSION) return null;
  return new JournalError(
    'newer',
    path,
    words(
      'The session file {0} was written by a newer Palimpsest (format {1}; this one writes {2}). It can be read here; update the extension to continue it.',
      path,
      format,
      FORMAT_VERSION,
    ),
  );
}

/** A read-only store: every append is refused with `reason`. */
export function readOnlyStore(name: string, reason: JournalError): JournalStore {
  return {
    name,
    readOnly: reason,
    unwritten: 0,
    append: () => Promise.reject(reason),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
