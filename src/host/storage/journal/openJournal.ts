/**
 * Opens a session's journal for reading and, where allowed, for appending. Whatever can be read is read; what cannot is
 * counted in the report and left on disk.
 */

import { stat } from 'node:fs/promises';
import { JournalError } from '../../../core/errors.ts';
import { decodeBytes } from '../../../core/journal/codec.ts';
import { type Entry, FORMAT_VERSION } from '../../../core/journal/entry.ts';
import { Journal, type JournalPorts, type JournalSnapshot } from '../../../core/journal/journal.ts';
import { factsOf } from '../../../core/journal/storedEntries.ts';
import type { Clock, Crypto, JournalStore } from '../../../core/ports.ts';
import { DiskFile } from '../disk/diskFile.ts';
import { readLines } from '../disk/readLines.ts';
import { storageError } from '../disk/storageError.ts';
import { FileEntries } from './fileEntries.ts';
import { FileJournalStore, type JournalTail } from './fileJournalStore.ts';
import { JournalColumns } from './journalColumns.ts';
import { dropIndex, type JournalIndex, JournalIndexKeeper, loadIndex, rowsPath } from './journalIndex.ts';
import { type LineTally, tallyLines } from './lineTally.ts';
import { type JournalReport, readJournal, standIn } from './readJournal.ts';
import { scanJournal } from './scanJournal.ts';

export interface OpenJournalOptions {
  readonly path: string;
  /** The session's id, known from its folder. */
  readonly id: string;
  readonly clock: Clock;
  readonly crypto: Crypto;
  /** Why this window may only read; left out when it may write. */
  readonly readOnly?: JournalError;
  /** Length in bytes from which the index is used; for tests and benches. */
  readonly indexFrom?: number;
  /** Asked before each batch of writes. */
  readonly guard?: () => Promise<JournalError | null>;
}

export interface OpenedJournal {
  readonly journal: Journal;
  readonly report: JournalReport;
}

/** From this length on a journal is opened through its index, and its entries are read when looked at. In bytes. */
export const INDEX_FROM = 8 << 20;

/** Throws `JournalError` when nothing can be read at all. A newer format opens read-only. */
export async function openJournal(options: OpenJournalOptions): Promise<OpenedJournal> {
  const size = await sizeOf(options.path);
  return size < (options.indexFrom ?? INDEX_FROM) ? openWhole(options) : openIndexed(options, size);
}

async function openWhole(options: OpenJournalOptions): Promise<OpenedJournal> {
  const { path, clock, crypto } = options;
  const { entries, report, tail, torn } = await readJournal(path, options.id, crypto);
  const store = await openStore(options, report, tail, torn);
  const journal = new Journal(entries, { store, clock, crypto });
  if (store instanceof FileJournalStore && !report.sessionLost) {
    const tally = tallyLines({
      ...report,
      next: journal.nextSeq,
      damaged: [...report.damaged],
      gaps: [...report.gaps],
    });
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
    // Asked for now, so that an index that is wrong shows here.
    void journal.context.conversation.length;
    return journal;
  } catch (thrown) {
    if (thrown instanceof JournalError) throw thrown;
    return null;
  }
}

/** Null when something visible is not what the index says. */
async function resume(options: OpenJournalOptions, index: JournalIndex): Promise<OpenedJournal | null> {
  const { path, clock, crypto } = options;
  const { snapshot } = index;
  const newer: Entry[] = [];
  const rows = new JournalColumns(snapshot.nextSeq);
  const tally = tallyLines(index.tally);
  const take = (line: Buffer, offset: number): boolean => {
    tally.lines++;
    const { length } = line;
    const decoded = decodeBytes(line, crypto);
    if (decoded.kind === 'damaged') {
      tally.damaged.push({ line: tally.lines, offset, length, reason: decoded.reason });
      return false;
    }
    const { entry } = decoded;
    if (tally.place(entry.seq, offset, length)) {
      newer.push(entry);
      rows.add(entry.seq, factsOf(entry), { offset, length });
    }
    return true;
  };
  const { size, rest } = await readLines(path, take, index.bytes);
  const copy = rest && Buffer.from(rest.bytes);
  const needsBreak = rest !== null && take(rest.bytes, rest.offset);
  if (rest && !needsBreak) {
    tally.damaged.pop();
    tally.lines--;
  }
  const tail = { length: needsBreak || !rest ? size : rest.offset, needsBreak };
  const report = reportOf(path, size, tally, needsBreak ? 0 : (copy?.length ?? 0), snapshot.session.format);
  const stored = new FileEntries(path, snapshot.nextSeq, crypto, { rows: rowsPath(path) });
  const store = await openStore(options, report, tail, needsBreak ? null : copy);
  const journal = resumeJournal(snapshot, stored, newer, { store, clock, crypto });
  if (!journal) {
    await store.close();
    return null;
  }
  if (store instanceof FileJournalStore) {
    // An index that is wrong after all is written anew the next time, when the journal is scanned.
    if (stored.scanned) await dropIndex(path);
    else keepIndex(options, journal, store, async () => rows, tally, snapshot.nextSeq);
  }
  return { journal, report };
}

async function scan(options: OpenJournalOptions): Promise<OpenedJournal> {
  const { path, id, clock, crypto } = options;
  await dropIndexIfWriting(options);
  const { columns, tally, bytes, tail, torn } = await scanJournal(path, crypto);
  // Not one line begins as ours do: reading it whole says what the file is.
  if (columns.count === 0) return openWhole(options);
  const { count } = columns;
  const stored = new FileEntries(path, count, crypto, { scanned: columns });
  const first = stored.read(0);
  const session = first?.type === 'session' ? first : null;
  const report = {
    ...reportOf(path, bytes, tally, torn?.length ?? 0, session?.format ?? FORMAT_VERSION),
    sessionLost: !session,
  };
  const store = await openStore(options, report, tail, torn);
  const journal = Journal.scan(stored, { store, clock, crypto }, session ? null : standIn(id, null, crypto));
  if (store instanceof FileJournalStore) keepIndex(options, journal, store, async () => columns, tally, 0);
  return { journal, report };
}

function reportOf(
  path: string,
  bytes: number,
  { lines, damaged, gaps }: LineTally,
  tornBytes: number,
  format: number,
): JournalReport {
  return { path, bytes, lines, damaged: [...damaged], gaps: [...gaps], tornBytes, format, sessionLost: false };
}

/** For a session that was just made: should it grow large, it is indexed like any other. Call before the first append. */
export function indexNewJournal(
  journal: Journal,
  store: FileJournalStore,
  crypto: Crypto,
  indexFrom = INDEX_FROM,
): void {
  const columns = async () => (await scanJournal(store.name, crypto)).columns;
  keepIndex({ crypto, indexFrom }, journal, store, columns, tallyLines(), 0);
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

async function openStore(
  options: OpenJournalOptions,
  report: JournalReport,
  tail: JournalTail,
  torn: Uint8Array | null,
): Promise<JournalStore> {
  const { path } = options;
  const refusal = options.readOnly ?? newerFormat(report);
  if (refusal) return readOnlyStore(path, refusal);
  try {
    return new FileJournalStore(path, await DiskFile.open(path), { ...tail, torn }, options.guard);
  } catch (thrown) {
    // What can be read is shown, also where nothing may be written.
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
    `The session file ${path} was written by a newer Palimpsest (format ${format}; this one writes ${FORMAT_VERSION}). It can be read here; update the extension to go on with it.`,
  );
}

/** A store for reading only: every append is refused with `reason`. */
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
