/**
 * Brings a text into sight that was searched for, here or in the list of sessions: loads the rows up to it, opens what it
 * stands in, and marks it.
 */

import type { ToHost } from '../../src/protocol/messages.ts';
import { Find } from './find.ts';
import { markAll, markText } from './markText.ts';
import type { Reader } from './reader.ts';
import type { RowList } from './rowList.ts';

interface Place {
  readonly rowId: string;
  readonly text: string;
  /** Which of several places in the row; by default the first. */
  readonly nth?: number;
}

/** What is known of the panel here. */
interface Ports {
  readonly root: HTMLElement;
  readonly rows: RowList;
  readonly reader: Reader;
  readonly open: Set<string>;
  post(message: ToHost): void;
  invalidate(): void;
  afterRender(action: () => void): void;
  announce(text: string): void;
  /** Asks for as many older rows as can be had at once. */
  loadMany(): void;
}

/** Pixels from the top edge at which a text stands that was searched for. */
const SOUGHT_AT = 80;

export class Seeker {
  readonly find: Find;
  readonly #panel: Ports;
  #sought: Place | null = null;
  #marking = false;

  constructor(panel: Ports) {
    this.#panel = panel;
    this.find = new Find({
      post: (message) => panel.post(message),
      seek: (place) => this.seek(place),
      draw: () => panel.invalidate(),
      topRow: () => panel.reader.topRow(),
      indexOf: (rowId) => panel.rows.indexOf(rowId),
      announce: (text) => panel.announce(text),
    });
  }

  seek(place: Place): void {
    this.#sought = place;
    this.goOn();
  }

  /** Rows may have been loaded. */
  goOn(): void {
    const sought = this.#sought;
    if (!sought) return;
    const { rows, reader } = this.#panel;
    const { rowId, text, nth } = sought;
    if (!rows.get(rowId)) {
      if (!rows.more) this.#sought = null;
      else this.#panel.loadMany();
      return;
    }
    this.#sought = null;
    this.#openAll(rowId);
    this.#panel.afterRender(() => {
      reader.goTo({ rowId, offset: SOUGHT_AT });
      this.#panel.afterRender(() => {
        const below = markText(this.#elementOf(rowId), text, nth);
        reader.goTo({ rowId, offset: SOUGHT_AT - below });
      });
    });
  }

  /** The rows on the page change while one reads; what is sought is marked in all of them. */
  mark(): void {
    const { marked } = this.find;
    if (!marked && !this.#marking) return;
    this.#marking = marked !== null;
    markAll(this.#panel.root.querySelectorAll('.row-list [data-row]'), marked?.text ?? null);
    if (marked?.rowId) markText(this.#elementOf(marked.rowId), marked.text, marked.nth);
  }

  /** Opens a row with its parts, and the group that it stands in. */
  #openAll(rowId: string): void {
    const { open, reader } = this.#panel;
    for (const part of ['', '/text', '/reasoning']) open.add(rowId + part);
    const index = reader.window.indexOfRow(rowId);
    const entry = index === null ? null : reader.window.entryAt(index);
    if (entry && entry.rowIds.length > 1) open.add(entry.key);
  }

  #elementOf(rowId: string): Element | null {
    return this.#panel.root.querySelector(`[data-row="${CSS.escape(rowId)}"]`);
  }
}
