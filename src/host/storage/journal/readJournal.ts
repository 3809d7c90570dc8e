/**
 * Reads a journal's file in chunks and reports exactly what it found: entries, damaged lines, gaps, duplicate lines and
 * a torn end. It never writes, so a read-only window may use it, and never needs the file in one string.
 */

import { JournalError } from '../../../core/errors.ts';
import { type Entry, FORMAT_VERSION, type SessionEntry } from '../../../core/journal/entry.ts';
import type { Crypto } from '../../../core/ports.ts';
import { words } from '../../../core/words.ts';
import { readLines } from '../disk/readLines.ts';
import type { JournalTail } from './fileJournalStore.ts';
import { type LineCounts, LineTally } from './lineTally.ts';

/** The findings in the file. */
export interface JournalReport extends Omit<LineCounts, 'next'> {
  readonly path: string;
  readonly bytes: number;
  /** Length of the torn last line. */
  readonly tornBytes: number;
  /** Format version of the file. */
  readonly format: number;
  /** The first line was lost; memory holds a substitute. */
  readonly sessionLost: boolean;
}

export function reportOf(
  path: string,
  bytes: number,
  tally: LineTally,
  tail: JournalTail,
  session: SessionEntry | null,
): JournalReport {
  const { lines, damaged, gaps } = tally.counts;
  return {
    path,
    bytes,
    lines,
    damaged: [...damaged],
    gaps: [...gaps],
    tornBytes: tail.torn?.length ?? 0,
    format: session?.format ?? FORMAT_VERSION,
    sessionLost: !session,
  };
}

export interface ReadJournal {
  readonly entries: readonly Entry[];
  readonly report: JournalReport;
  readonly tally: LineTally;
  readonly tail: JournalTail;
}

/**
 * `id` replaces the session's own when its first line is lost. Throws `JournalError`: `missing`, `noPermission`,
 * `empty`, `foreign` (another program's JSON lines) or `damaged` (no line is valid). The signal stops reading.
 */
export async function readJournal(
  path: string,
  id: string,
  crypto: Crypto,
  signal?: AbortSignal,
): Promise<ReadJournal> {
  const entries: Entry[] = [];
  const tally = new LineTally();
  const add = (entry: Entry) => entries.push(entry);
  const decode = (line: Buffer, offset: number, length: number) => tally.decode(line, offset, length, crypto, add);
  const read = await readLines(path, decode, { signal });
  if (read.size === 0) throw emptyError(path);
  const tail = tally.finish(read, decode);
  if (entries.length === 0) throw (await holdsJson(path, signal)) ? foreignError(path) : garbageError(path);
  const session = entries.find((entry) => entry.type === 'session') ?? null;
  if (!session) entries.unshift(standIn(id, entries[0] ?? null, crypto));
  return { entries, report: reportOf(path, read.size, tally, tail, session), tally, tail };
}

async function holdsJson(path: string, signal?: AbortSignal): Promise<boolean> {
  let found = false;
  const look = (line: Buffer) => {
    found ||= isJson(line);
  };
  const { rest } = await readLines(path, look, { signal });
  if (rest) look(rest.bytes);
  return found;
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
    words(
      'The session file {0} is empty: nothing was ever written to it, or it was emptied. Delete the session, or put back a copy of the file.',
      path,
    ),
  );
}

function foreignError(path: string): JournalError {
  return new JournalError(
    'foreign',
    path,
    words(
      'The file {0} holds JSON lines of another program, not a session of Palimpsest. Use Import Session to read it.',
      path,
    ),
  );
}

function garbageError(path: string): JournalError {
  return new JournalError(
    'damaged',
    path,
    words(
      'The session file {0} has no readable line. Put back a copy of the file, or delete the session; the damaged file is left as it is.',
      path,
    ),
  );
}
