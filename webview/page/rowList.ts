/** The rows of the panel, in transcript order. Invariant: a row object is replaced, never changed, except its order. */

import type { ToPanel } from '../../src/protocol/messages.ts';
import { LIVE_ROW, type Row, type RowOf } from '../../src/protocol/rows.ts';

export class RowList {
  #rows: Row[] = [];
  #positions = new Map<string, number>();
  /** Keys of rows whose id changed: a complete answer keeps the key that it streamed with. */
  #keys = new Map<string, string>();
  #streams = 0;
  /** Changes when a row is added, removed or replaced, but not when text is added to one. */
  version = 0;
  more = false;

  get all(): readonly Row[] {
    return this.#rows;
  }

  get(id: string): Row | null {
    return this.#rows[this.#positions.get(id) ?? -1] ?? null;
  }

  indexOf(id: string): number | null {
    return this.#positions.get(id) ?? null;
  }

  /** The person's message that a row answers, while it is loaded. */
  questionBefore(id: string): RowOf<'user'> | null {
    for (let at = (this.indexOf(id) ?? 0) - 1; at >= 0; at--) {
      const row = this.#rows[at];
      if (row?.type === 'user') return row;
    }
    return null;
  }

  /** Stable as long as the row is in the list. */
  keyOf(id: string): string {
    return this.#keys.get(id) ?? id;
  }

  /** Applies the rows in a message, if it has any. */
  apply(message: ToPanel): void {
    switch (message.type) {
      case 'show':
        this.#set(message.rows);
        this.more = message.more;
        break;
      case 'rows':
        for (const row of message.rows) this.#put(row);
        this.version++;
        break;
      case 'removeRows':
        this.#set(this.#rows.filter((row) => !message.ids.includes(row.id)));
        break;
      case 'olderRows':
        // Only when they adjoin the present rows: an answer for another session or an older request does not.
        if (this.#rows[0]?.id !== message.beforeId) return;
        this.#set([...message.rows, ...this.#rows]);
        this.more = message.more;
        break;
      case 'delta':
        this.#grow(message.rowId, message.text, message.reasoning);
    }
  }

  #set(rows: readonly Row[]): void {
    this.#rows = [...rows];
    this.#positions = new Map(rows.map((row, position) => [row.id, position]));
    this.version++;
    for (const id of this.#keys.keys()) if (!this.#positions.has(id)) this.#keys.delete(id);
    if (this.#positions.has(LIVE_ROW)) this.#nameStream();
  }

  #put(row: Row): void {
    const position = this.#positions.get(row.id) ?? this.#placeOfStream(row) ?? this.#rows.length;
    this.#rows[position] = row;
    this.#positions.set(row.id, position);
    if (row.id === LIVE_ROW) this.#nameStream();
  }

  #nameStream(): void {
    if (!this.#keys.has(LIVE_ROW)) this.#keys.set(LIVE_ROW, `${LIVE_ROW}${++this.#streams}`);
  }

  /** A complete answer replaces the row that streamed it: the two are never visible together. */
  #placeOfStream(row: Row): number | null {
    const position = this.#positions.get(LIVE_ROW);
    if (row.type !== 'assistant' || row.live || position === undefined) return null;
    this.#positions.delete(LIVE_ROW);
    this.#keys.set(row.id, this.keyOf(LIVE_ROW));
    this.#keys.delete(LIVE_ROW);
    return position;
  }

  #grow(id: string, text: string, reasoning: string): void {
    const row = this.get(id);
    if (row?.type === 'assistant') this.#put({ ...row, text: row.text + text, reasoning: row.reasoning + reasoning });
    else if (row?.type === 'tool') this.#put({ ...row, result: row.result + text });
  }
}
