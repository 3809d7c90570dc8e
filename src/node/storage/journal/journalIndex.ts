/**
 * The derived index of a large journal: `<journal>.rows` locates each entry, `<journal>.index` lists the visible ones.
 * It is written after the journal was synced, verified against the journal when read, and discarded when in doubt.
 */

import { open, readFile, writeFile } from 'node:fs/promises';
import type { Crypto } from '../../../core/crypto.ts';
import { decodeBytes } from '../../../core/journal/codec.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import type { Journal, JournalSnapshot } from '../../../core/journal/journal.ts';
import { rename, unlink } from '../disk/patientDisk.ts';
import type { FileJournalStore, StoreFollower } from './fileJournalStore.ts';
import { type JournalColumns, ROW_BYTES, readRow } from './journalColumns.ts';
import type { LineCounts, LineTally } from './readJournal.ts';

/** It rises with each type of entry whose newest one the snapshot holds: an earlier version did not look for it. */
const VERSION = 4;
/** Number of new rows before the index is written again during a session. */
const MIN_NEW_ROWS = 64;

export interface JournalIndex {
  /** Length of the part of the journal that the index covers; ends with a line break. */
  readonly bytes: number;
  readonly tally: LineCounts;
  readonly snapshot: JournalSnapshot;
}

export const rowsPath = (journal: string) => `${journal}.rows`;
const indexPath = (journal: string) => `${journal}.index`;

/** Null when there is no index, or it does not match the journal of `size` bytes. */
export async function loadIndex(journal: string, size: number, crypto: Crypto): Promise<JournalIndex | null> {
  try {
    const text = await readFile(indexPath(journal), 'utf8');
    const end = text.indexOf('\n');
    if (Number.parseInt(text.slice(0, end), 16) !== crypto.crc32(text.slice(end + 1))) return null;
    const index = JSON.parse(text.slice(end + 1)) as JournalIndex & { readonly version: number };
    if (index.version !== VERSION || index.bytes > size) return null;
    return (await fitsJournal(journal, index, crypto)) ? index : null;
  } catch {
    // Missing or damaged: it is derived, so the journal is read instead.
    return null;
  }
}

/** The newest covered line must be in the journal at the indexed position, with the indexed content. */
async function fitsJournal(journal: string, { bytes, snapshot }: JournalIndex, crypto: Crypto): Promise<boolean> {
  const newest = snapshot.nextSeq - 1;
  await using rows = await open(rowsPath(journal), 'r');
  const row = Buffer.alloc(ROW_BYTES);
  await rows.read(row, 0, ROW_BYTES, newest * ROW_BYTES);
  const place = readRow(row, 0)?.place;
  if (!place) return false;
  const { offset, length } = place;
  if (offset + length + 1 !== bytes) return false;
  await using file = await open(journal, 'r');
  const line = Buffer.alloc(length + 1);
  const { bytesRead } = await file.read(line, 0, length + 1, offset);
  if (bytesRead !== length + 1 || line.at(-1) !== 10) return false;
  const decoded = decodeBytes(line.subarray(0, length), crypto);
  return decoded.kind === 'entry' && decoded.entry.seq === newest;
}

/** Removes the index, before something rewrites the journal. */
export async function dropIndex(journal: string): Promise<void> {
  for (const path of [indexPath(journal), rowsPath(journal)]) await unlink(path).catch(() => undefined);
}

/** Keeps the index of an open journal up to date: rows as lines reach the disk, the file after a sync. */
export class JournalIndexKeeper implements StoreFollower {
  readonly #journal: Journal;
  readonly #store: FileJournalStore;
  /** Rows of entries not in the index file yet, beginning with `base`; loaded once, when first saved. */
  readonly #load: () => Promise<JournalColumns>;
  #columns: JournalColumns | null = null;
  readonly #tally: LineTally;
  readonly #crypto: Crypto;
  readonly #minBytes: number;
  /** Entries not yet confirmed on disk. */
  readonly #underway: Entry[] = [];
  /** Rows added since the columns were last used: appending does not load them. */
  #added: { readonly entry: Entry; readonly offset: number; readonly length: number }[] = [];
  #savedRows: number;
  #savedBefore: boolean;
  #broken = false;

  /** `savedRows` are in the file already. Journals under `minBytes` are read whole and need no index. */
  constructor(options: {
    readonly journal: Journal;
    readonly store: FileJournalStore;
    readonly columns: () => Promise<JournalColumns>;
    readonly tally: LineTally;
    readonly crypto: Crypto;
    readonly savedRows: number;
    readonly minBytes: number;
  }) {
    this.#journal = options.journal;
    this.#store = options.store;
    this.#load = options.columns;
    this.#tally = options.tally;
    this.#crypto = options.crypto;
    this.#savedRows = options.savedRows;
    this.#savedBefore = options.savedRows > 0;
    this.#minBytes = options.minBytes;
    options.journal.listen((entry) => this.#underway.push(entry));
    options.store.follow(this);
  }

  written(offset: number, length: number): void {
    const entry = this.#underway.shift();
    if (!entry) return;
    this.#tally.accept(entry.seq, offset, length);
    this.#added.push({ entry, offset, length });
  }

  async synced(): Promise<void> {
    if (this.#store.length < this.#minBytes || this.#underway.length > 0) return;
    if (this.#savedBefore && this.#added.length < MIN_NEW_ROWS) return;
    await this.save();
  }

  /** Never rejects: derived data must not block the original. */
  async save(): Promise<void> {
    const name = this.#store.name;
    // Damage may be repaired while the session is closed: until then the journal itself is read at each opening.
    if (this.#tally.counts.damaged.some(({ reason }) => reason !== 'doubled')) return;
    if (this.#broken || (this.#added.length === 0 && this.#savedBefore)) return;
    try {
      this.#columns ??= await this.#load();
      const columns = this.#columns;
      // Loading took time: lines that reached the disk meanwhile are covered too; pending ones wait for the next save.
      if (this.#underway.length > 0) return;
      for (const { entry, offset, length } of this.#added.splice(0)) {
        if (entry.seq >= columns.count) columns.add(entry, offset, length);
      }
      const index: JournalIndex & { readonly version: number } = {
        version: VERSION,
        bytes: this.#store.length,
        tally: this.#tally.counts,
        snapshot: this.#journal.snapshot(),
      };
      const from = Math.max(columns.base, Math.min(this.#savedRows, columns.count));
      const rows = columns.rowsFrom(from);
      await writeAt(rowsPath(name), rows, from * ROW_BYTES);
      const text = JSON.stringify(index);
      await writeFile(`${indexPath(name)}.tmp`, `${this.#crypto.crc32(text).toString(16)}\n${text}`);
      await rename(`${indexPath(name)}.tmp`, indexPath(name));
      this.#savedRows = columns.count;
      this.#savedBefore = true;
    } catch {
      // A full disk or an inaccessible folder: the next opening reads the journal instead.
      this.#broken = true;
      await dropIndex(name);
    }
  }
}

async function writeAt(path: string, bytes: Uint8Array, position: number): Promise<void> {
  await using file = await open(path, position === 0 ? 'w' : 'r+');
  await file.write(bytes, 0, bytes.length, position);
}
