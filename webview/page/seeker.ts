/**
 * Scrolls to a search hit, from here or from the list of sessions: loads the rows up to it, opens its containers, and
 * marks it.
 */

import type { ToHost } from '../../src/protocol/messages.ts';
import { Find, type HitPlace } from './find.ts';
import { drawText, markAll, markText } from './markText.ts';
import type { Reader } from './reader.ts';
import type { RowList } from './rowList.ts';

/** Distance of a search hit from the top edge, in pixels. */
const SOUGHT_AT = 80;

/** The page that is searched. */
export interface SearchedPage {
  readonly root: HTMLElement;
  readonly rows: Pick<RowList, 'get' | 'indexOf' | 'more'>;
  readonly reader: Pick<Reader, 'goTo' | 'topRow' | 'window'>;
  /** Rows and parts of rows that are open. */
  readonly open: Set<string>;
  loadMany(): void;
  post(message: ToHost): void;
  announce(text: string): void;
  invalidate(): void;
  afterRender(action: () => void): void;
}

export class Seeker {
  readonly find: Find;
  readonly #page: SearchedPage;
  #sought: HitPlace | null = null;
  #marking = false;

  constructor(page: SearchedPage) {
    this.#page = page;
    this.find = new Find(page, (place) => this.seek(place));
  }

  seek(place: HitPlace): void {
    this.#sought = place;
    this.onRowsChanged();
  }

  /** Called when rows may have been loaded. */
  onRowsChanged(): void {
    const sought = this.#sought;
    if (!sought) return;
    const { rows, reader } = this.#page;
    const { rowId, text, nth } = sought;
    if (!rows.get(rowId)) {
      if (!rows.more) this.#sought = null;
      else this.#page.loadMany();
      return;
    }
    this.#sought = null;
    this.#openAll(rowId);
    this.#page.afterRender(() => {
      reader.goTo({ rowId, offset: SOUGHT_AT });
      this.#page.afterRender(() => {
        const below = drawText(this.#elementOf(rowId), text, nth);
        reader.goTo({ rowId, offset: SOUGHT_AT - below });
      });
    });
  }

  /** The rows on the page change during reading; hits are marked in all of them. */
  mark(): void {
    const { marked } = this.find;
    if (!marked && !this.#marking) return;
    this.#marking = marked !== null;
    markAll(this.#page.root.querySelectorAll('.row-list [data-row]'), marked?.text ?? null);
    if (marked?.rowId) markText(this.#elementOf(marked.rowId), marked.text, marked.nth);
  }

  /** Opens a row with its parts, and its group. */
  #openAll(rowId: string): void {
    const { open, reader } = this.#page;
    for (const part of ['', '/text', '/reasoning']) open.add(rowId + part);
    const index = reader.window.indexOfRow(rowId);
    const entry = index === null ? null : reader.window.entryAt(index);
    if (entry && entry.rowIds.length > 1) open.add(entry.key);
  }

  #elementOf(rowId: string): Element | null {
    return this.#page.root.querySelector(`[data-row="${CSS.escape(rowId)}"]`);
  }
}
