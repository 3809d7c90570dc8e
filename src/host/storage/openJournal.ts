/**
 * Opens a session's journal for reading and, where allowed, for appending. Whatever can be read is read; what cannot is
 * counted in the report and left on disk.
 */

import { JournalError } from '../../core/errors.ts';
import { FORMAT_VERSION } from '../../core/journal/entry.ts';
import { Journal } from '../../core/journal/journal.ts';
import type { Clock, Crypto, JournalStore } from '../../core/ports.ts';
import { FileJournalStore, openJournalFile } from './fileJournalStore.ts';
import { type JournalReport, readJournal } from './readJournal.ts';

export interface OpenJournalOptions {
  readonly path: string;
  /** The session's id, known from its folder. */
  readonly id: string;
  readonly clock: Clock;
  readonly crypto: Crypto;
  /** Why this window may only read; left out when it may write. */
  readonly readOnly?: JournalError;
  /** Asked before each batch of writes. */
  readonly guard?: () => Promise<JournalError | null>;
}

export interface OpenedJournal {
  readonly journal: Journal;
  readonly report: JournalReport;
}

/** Throws `JournalError` when nothing can be read at all. A newer format opens read-only. */
export async function openJournal(options: OpenJournalOptions): Promise<OpenedJournal> {
  const { path, clock, crypto } = options;
  const { entries, report, tail, torn } = await readJournal(path, options.id, crypto);
  const refusal = options.readOnly ?? newerFormat(report);
  const store = refusal
    ? readOnlyStore(path, refusal)
    : new FileJournalStore(path, await openJournalFile(path, tail, torn), tail, options.guard);
  return { journal: new Journal(entries, { store, clock, crypto }), report };
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
