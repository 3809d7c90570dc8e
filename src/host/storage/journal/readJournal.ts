/**
 * Reads a journal's file in chunks and says exactly what it found: entries, damaged lines, gaps, doubles and a torn end.
 * It never writes, so a read-only window may use it, and never needs the file in one string.
 */

import { JournalError } from '../../../core/errors.ts';
import { decodeBytes } from '../../../core/journal/codec.ts';
import { type Entry, FORMAT_VERSION, type SessionEntry } from '../../../core/journal/entry.ts';
import type { Crypto } from '../../../core/ports.ts';
import { readLines } from '../disk/readLines.ts';
import type { JournalTail } from './fileJournalStore.ts';
import { type DamagedLine, tallyLines } from './lineTally.ts';

export interface JournalReport {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
  /** Lines left out, in file order: not whole, or a `seq` that was there before. */
  readonly damaged: readonly DamagedLine[];
  /** Entries that are missing, by `seq`, both ends included. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  /** Length of the torn last line. */
  readonly tornBytes: number;
  /** Format version of the file. */
  readonly format: number;
  /** The first line was lost; a stand-in for it is used in memory. */
  readonly sessionLost: boolean;
}

export interface ReadJournal {
  readonly entries: readonly Entry[];
  readonly report: JournalReport;
  readonly tail: JournalTail;
  readonly torn: Uint8Array | null;
}

/**
 * `id` stands in for the session's own when its first line is lost. Throws `JournalError`: `missing`, `noPermission`,
 * `empty`, `foreign` (another program's JSON lines) or `damaged` (not one line is whole).
 */
export async function readJournal(path: string, id: string, crypto: Crypto): Promise<ReadJournal> {
  const entries: Entry[] = [];
  const tally = tallyLines();
  let foreign = false;
  const take = (bytes: Uint8Array, offset: number): boolean => {
    tally.lines++;
    const { length } = bytes;
    const decoded = decodeBytes(bytes, crypto);
    if (decoded.kind === 'damaged') {
      if (entries.length === 0) foreign ||= isJson(bytes);
      tally.damaged.push({ line: tally.lines, offset, length, reason: decoded.reason });
      return false;
    }
    const { entry } = decoded;
    if (tally.place(entry.seq, offset, length)) entries.push(entry);
    return true;
  };
  const { size, rest } = await readLines(path, take);
  if (size === 0) throw emptyError(path);
  // A last line that checks lacks only its break: it is whole and stays.
  const copy = rest && Buffer.from(rest.bytes);
  const needsBreak = rest !== null && take(rest.bytes, rest.offset);
  if (rest && !needsBreak) {
    tally.damaged.pop();
    tally.lines--;
  }
  if (entries.length === 0) throw foreign ? foreignError(path) : garbageError(path);
  const session = entries.find((entry) => entry.type === 'session');
  if (!session) entries.unshift(standIn(id, entries[0] ?? null, crypto));
  return {
    entries,
    report: {
      path,
      bytes: size,
      lines: tally.lines,
      damaged: tally.damaged,
      gaps: tally.gaps,
      tornBytes: needsBreak ? 0 : (copy?.length ?? 0),
      format: session?.type === 'session' ? session.format : FORMAT_VERSION,
      sessionLost: !session,
    },
    tail: { length: needsBreak || !rest ? size : rest.offset, needsBreak },
    torn: needsBreak ? null : copy,
  };
}

function isJson(bytes: Uint8Array): boolean {
  try {
    return typeof JSON.parse(Buffer.from(bytes).toString()) === 'object';
  } catch {
    return false;
  }
}

/** Used in memory when a journal's first line was lost. */
export function standIn(id: string, first: Entry | null, crypto: Crypto): SessionEntry {
  const time = first?.time ?? new Date(0).toISOString();
  const nonce = crypto.randomHex(8);
  return { seq: 0, time, type: 'session', format: FORMAT_VERSION, id, workspace: null, engine: 'unknown', nonce };
}

function emptyError(path: string): JournalError {
  return new JournalError(
    'empty',
    path,
    `The session file ${path} is empty: nothing was ever written to it, or it was emptied. Delete the session, or put back a copy of the file.`,
  );
}

function foreignError(path: string): JournalError {
  return new JournalError(
    'foreign',
    path,
    `The file ${path} holds JSON lines of another program, not a session of Palimpsest. Use Import Session to read it.`,
  );
}

function garbageError(path: string): JournalError {
  return new JournalError(
    'damaged',
    path,
    `The session file ${path} holds no readable line. Put back a copy of the file, or delete the session; the damaged file is left as it is.`,
  );
}
