/**
 * The entries of the conversation: one for each row, except that many consecutive read-only calls are one line until it is
 * opened. Rebuilt only when rows were added or removed.
 */

import type { Row, RowOf } from '../../src/protocol/rows.ts';
import type { RowList } from '../page/rowList.ts';
import type { Entry } from '../page/rowWindow.ts';
import { heightOf } from './rows/viewRow.ts';

export interface RowEntry extends Entry {
  /** `head`: the line of a group; `member`: a row of an opened group. */
  readonly kind: 'row' | 'head' | 'member';
  /** The rows of the group that it represents. */
  readonly members: readonly string[];
}

/** Minimum number of consecutive calls that become one line. */
const MANY = 6;

export class EntryList {
  #made = '';
  #sessionId = '';
  #entries: readonly RowEntry[] = [];
  /** The first rows of groups: a group stays a group. */
  readonly #grouped = new Set<string>();

  /** `running`: the last calls may still grow in number, and stay ungrouped. */
  of(rows: RowList, open: ReadonlySet<string>, running: boolean, sessionId: string): readonly RowEntry[] {
    if (sessionId !== this.#sessionId) this.#grouped.clear();
    this.#sessionId = sessionId;
    const opened = [...open].filter((id) => id.startsWith(GROUP));
    const made = `${rows.version} ${running} ${opened.join(' ')}`;
    if (made !== this.#made) {
      this.#made = made;
      this.#entries = makeEntries(rows, open, running, this.#grouped);
    }
    return this.#entries;
  }
}

const GROUP = 'group:';

const HEAD_HEIGHT = 26;

function makeEntries(rows: RowList, open: ReadonlySet<string>, running: boolean, known: Set<string>): RowEntry[] {
  const entries: RowEntry[] = [];
  const all = rows.all;
  for (let at = 0; at < all.length; ) {
    const end = endOfRun(all, at);
    const run = all.slice(at, Math.max(end, at + 1));
    const first = run[0] as Row;
    const growing = running && end === all.length && !known.has(first.id);
    const grouped = run.length >= MANY && !growing;
    const key = `${GROUP}${first.id}`;
    if (grouped) {
      known.add(first.id);
      const members = run.map(({ id }) => id);
      // An opened group's rows have entries of their own.
      const rowIds = open.has(key) ? [] : members;
      entries.push({ kind: 'head', key, rowIds, members, estimate: HEAD_HEIGHT });
    }
    if (!grouped || open.has(key))
      for (const row of run)
        entries.push({
          kind: grouped ? 'member' : 'row',
          key: rows.keyOf(row.id),
          rowIds: [row.id],
          members: [],
          estimate: heightOf(row),
        });
    at += run.length;
  }
  return entries;
}

/** The end of the calls from `start` on that may share a line. */
function endOfRun(rows: readonly Row[], start: number): number {
  let end = start;
  while (isQuiet(rows[end])) end++;
  return end;
}

/** A call that changed nothing and has no question. */
function isQuiet(row: Row | undefined): row is RowOf<'tool'> {
  return (
    row?.type === 'tool' &&
    row.detail.kind === 'none' &&
    row.approval === null &&
    (row.status === 'done' || row.status === 'failed') &&
    row.opens !== 'session'
  );
}
