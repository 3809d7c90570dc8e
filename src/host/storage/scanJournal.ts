/**
 * Finds where every entry of a large journal lies, reading line starts and ends only: as fast as the disk, and without
 * the file in memory. Lines whose start is unusual are decoded whole. Checksums are checked when an entry is read.
 */

import type { ItemKind } from '../../core/context/item.ts';
import { decodeBytes } from '../../core/journal/codec.ts';
import type { Entry } from '../../core/journal/entry.ts';
import { type EntryFacts, factsOf } from '../../core/journal/storedEntries.ts';
import type { Crypto } from '../../core/ports.ts';
import type { JournalTail } from './fileJournalStore.ts';
import { JournalColumns } from './journalColumns.ts';
import { type LineTally, tallyLines } from './lineTally.ts';
import { type LinesRead, readLines, readLinesSync } from './readLines.ts';

export interface ScannedJournal {
  readonly columns: JournalColumns;
  readonly tally: LineTally;
  /** Length of the file. */
  readonly bytes: number;
  readonly tail: JournalTail;
  readonly torn: Uint8Array | null;
}

const HEAD_BYTES = 220;
const TAIL_BYTES = 48;
const HEAD =
  /^\{"seq":(\d+),(?:"parent":(\d+|null),)?"time":"([^"]+)","type":"([A-Za-z]+)"(?:,"message":\{"role":"([a-z]+)"(?:,"kind":"([A-Za-z]+)")?)?/;
const TOKENS = /,"tokens":(\d+),"crc":"[0-9a-f]{8}"\}$/;

/** Throws `JournalError` when the file cannot be read. */
export async function scanJournal(path: string, crypto: Crypto): Promise<ScannedJournal> {
  const columns = new JournalColumns();
  const tally = tallyLines();
  const read = await readLines(path, (line, offset) => takeLine(line, offset, columns, tally, crypto));
  return finish(read, columns, tally, crypto);
}

/** The same without yielding. */
export function scanJournalSync(path: string, crypto: Crypto): ScannedJournal {
  const columns = new JournalColumns();
  const tally = tallyLines();
  const read = readLinesSync(path, (line, offset) => takeLine(line, offset, columns, tally, crypto));
  return finish(read, columns, tally, crypto);
}

function finish({ size, rest }: LinesRead, columns: JournalColumns, tally: LineTally, crypto: Crypto): ScannedJournal {
  // The newest line may be half of what was meant: it is decoded whole, and what does not check is torn.
  const copy = rest && Buffer.from(rest.bytes);
  const decoded = rest && decodeBytes(rest.bytes, crypto);
  const whole = decoded?.kind === 'entry';
  if (rest && whole) {
    tally.lines++;
    add(decoded.entry, factsOf(decoded.entry), rest.offset, rest.bytes.length, columns, tally);
  }
  return {
    columns,
    tally,
    bytes: size,
    tail: { length: whole || !rest ? size : rest.offset, needsBreak: whole },
    torn: whole ? null : copy,
  };
}

function takeLine(line: Buffer, offset: number, columns: JournalColumns, tally: LineTally, crypto: Crypto): void {
  tally.lines++;
  const { length } = line;
  const facts = readHead(line);
  if (facts) {
    add(facts, facts, offset, length, columns, tally);
    return;
  }
  const decoded = decodeBytes(line, crypto);
  if (decoded.kind === 'entry') add(decoded.entry, factsOf(decoded.entry), offset, length, columns, tally);
  else tally.damaged.push({ line: tally.lines, offset, length, reason: decoded.reason });
}

function add(
  { seq }: { readonly seq: number },
  facts: EntryFacts,
  offset: number,
  length: number,
  columns: JournalColumns,
  tally: LineTally,
): void {
  if (tally.place(seq, columns.place(seq) !== null, offset, length)) columns.add(seq, facts, { offset, length });
}

/** Null when the line must be decoded whole. */
function readHead(line: Buffer): (EntryFacts & Pick<Entry, 'seq'>) | null {
  const head = HEAD.exec(line.toString('latin1', 0, HEAD_BYTES));
  if (!head) return null;
  const [, seq, parent, time = '', type, role, kind] = head;
  const message = type === 'message';
  const tokens = message ? TOKENS.exec(line.toString('latin1', Math.max(0, line.length - TAIL_BYTES))) : null;
  if (message && (!role || !tokens || (role === 'user' && !kind))) return null;
  return {
    seq: Number(seq),
    type: type as Entry['type'],
    parent: parent === undefined ? undefined : parent === 'null' ? null : Number(parent),
    time: Date.parse(time),
    kind: message ? kindOfRole(role, kind) : null,
    tokens: tokens ? Number(tokens[1]) : 0,
  };
}

function kindOfRole(role: string | undefined, kind: string | undefined): ItemKind {
  if (role === 'assistant') return 'assistant';
  return role === 'tool' ? 'toolResult' : (kind as ItemKind);
}
