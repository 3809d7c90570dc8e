/**
 * Reads a journal's file in chunks and says exactly what it found: entries, damaged lines, gaps, doubles and a torn end.
 * It never writes, so a read-only window may use it, and never needs the file in one string.
 */

import { open } from 'node:fs/promises';
import { JournalError } from '../../core/errors.ts';
import { type DecodedLine, decodeBytes } from '../../core/journal/codec.ts';
import { type Entry, FORMAT_VERSION } from '../../core/journal/entry.ts';
import type { Crypto } from '../../core/ports.ts';
import type { JournalTail } from './fileJournalStore.ts';
import { storageError } from './storageError.ts';

const CHUNK = 1 << 20;
const LINE_BREAK = 10;

export interface DamagedLine {
  /** From 1. */
  readonly line: number;
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
  readonly reason: Extract<DecodedLine, { kind: 'damaged' }>['reason'] | 'doubled' | 'outOfOrder';
}

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
  const damaged: DamagedLine[] = [];
  const gaps: { from: number; to: number }[] = [];
  let next = 0;
  let lines = 0;
  let foreign = false;
  const take = (bytes: Uint8Array, offset: number): boolean => {
    lines++;
    const decoded = decodeBytes(bytes, crypto);
    if (decoded.kind === 'damaged') {
      if (entries.length === 0) foreign ||= isJson(bytes);
      damaged.push({ line: lines, offset, length: bytes.length, reason: decoded.reason });
      return false;
    }
    const { entry } = decoded;
    if (entry.seq < next) {
      const known = entries.some(({ seq }) => seq === entry.seq);
      damaged.push({ line: lines, offset, length: bytes.length, reason: known ? 'doubled' : 'outOfOrder' });
      return true;
    }
    if (entry.seq > next) gaps.push({ from: next, to: entry.seq - 1 });
    next = entry.seq + 1;
    entries.push(entry);
    return true;
  };
  const { size, rest } = await readLines(path, take);
  if (size === 0) throw emptyError(path);
  // A last line that checks lacks only its break: it is whole and stays.
  const copy = rest && Buffer.from(rest.bytes);
  const needsBreak = rest !== null && take(rest.bytes, rest.offset);
  if (rest && !needsBreak) {
    damaged.pop();
    lines--;
  }
  if (entries.length === 0) throw foreign ? foreignError(path) : garbageError(path);
  const session = entries.find((entry) => entry.type === 'session');
  if (!session) entries.unshift(standIn(id, entries[0], crypto));
  return {
    entries,
    report: {
      path,
      bytes: size,
      lines,
      damaged,
      gaps,
      tornBytes: needsBreak ? 0 : (copy?.length ?? 0),
      format: session?.type === 'session' ? session.format : FORMAT_VERSION,
      sessionLost: !session,
    },
    tail: { length: needsBreak || !rest ? size : rest.offset, needsBreak },
    torn: needsBreak ? null : copy,
  };
}

interface Lines {
  readonly size: number;
  /** What follows the last line break; null when nothing does. */
  readonly rest: { readonly bytes: Buffer; readonly offset: number } | null;
}

async function readLines(path: string, take: (bytes: Uint8Array, offset: number) => void): Promise<Lines> {
  try {
    await using file = await open(path, 'r');
    let pieces: Buffer[] = [];
    let position = 0;
    let lineStart = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, position);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      let from = 0;
      for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, from)) {
        const end = chunk.subarray(from, at);
        take(pieces.length > 0 ? Buffer.concat([...pieces, end]) : end, lineStart);
        pieces = [];
        from = at + 1;
        lineStart = position + from;
      }
      if (from < bytesRead) pieces.push(chunk.subarray(from));
      position += bytesRead;
    }
    const rest = pieces.length > 0 ? { bytes: Buffer.concat(pieces), offset: lineStart } : null;
    return { size: position, rest };
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

function isJson(bytes: Uint8Array): boolean {
  try {
    return typeof JSON.parse(Buffer.from(bytes).toString()) === 'object';
  } catch {
    return false;
  }
}

function standIn(id: string, first: Entry | undefined, crypto: Crypto): Entry {
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
