/**
 * Finding in the conversation: the query, the hits, and the current one. The extension searches, because it has all
 * rows; the panel scrolls to a row and marks the text in it.
 */

import { t } from '@vscode/l10n';
import { formatCount } from '../../src/core/figures.ts';
import type { ToHost } from '../../src/protocol/messages.ts';

interface Hit {
  readonly rowId: string;
  readonly count: number;
}

/** Milliseconds after the last letter, or after a new row. */
const WAIT = 150;

const LONGEST = 1_000;

/** The page that has the conversation. */
interface FindPage {
  readonly rows: { indexOf(rowId: string): number | null };
  readonly reader: { topRow(): string | null };
  post(message: ToHost): void;
  announce(text: string): void;
  invalidate(): void;
}

/** Where a hit is. */
export interface HitPlace {
  readonly rowId: string;
  readonly text: string;
  /** Index of several hits in the row; default: the first. */
  readonly nth?: number;
}

export class Find {
  readonly #page: FindPage;
  readonly #goTo: (place: HitPlace) => void;
  open = false;
  query = '';
  /** Null until they are known. */
  #hits: readonly Hit[] | null = null;
  /** Index of the current hit. */
  #at = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(page: FindPage, goTo: (place: HitPlace) => void) {
    this.#page = page;
    this.#goTo = goTo;
  }

  get total(): number | null {
    return this.#hits?.reduce((sum, { count }) => sum + count, 0) ?? null;
  }

  /** From 1; 0 without hits. */
  get position(): number {
    return this.total ? this.#at + 1 : 0;
  }

  /** The text to mark, and the current hit. */
  get marked(): { readonly text: string; readonly rowId: string | null; readonly nth: number } | null {
    if (!this.open || this.query === '') return null;
    return { text: this.query, ...(this.#place() ?? { rowId: null, nth: 0 }) };
  }

  show(): void {
    this.open = true;
    if (this.query !== '') this.#ask();
    this.#page.invalidate();
  }

  close(): void {
    this.open = false;
    this.#hits = null;
    this.#stopWaiting();
    this.#page.invalidate();
  }

  search(query: string): void {
    this.query = query.slice(0, LONGEST);
    this.#hits = null;
    this.#askSoon();
    this.#page.invalidate();
  }

  /** Rows were added or removed: the hits may have changed. */
  refresh(): void {
    if (this.open && this.query !== '') this.#askSoon();
  }

  take(query: string, hits: readonly Hit[]): void {
    if (!this.open || query !== this.query) return;
    const before = this.#place();
    const isNew = this.#hits === null;
    this.#hits = hits;
    this.#at = isNew ? this.#nearest(hits) : this.#again(hits, before);
    if (isNew) this.#goToHit();
    this.#page.invalidate();
  }

  step(by: 1 | -1): void {
    const total = this.total ?? 0;
    if (total === 0) return;
    this.#at = (this.#at + by + total) % total;
    this.#goToHit();
    this.#page.invalidate();
  }

  #goToHit(): void {
    const place = this.#place();
    if (place) this.#goTo({ ...place, text: this.query });
    this.#page.announce(
      place ? t('{0} of {1}', formatCount(this.position), formatCount(this.total ?? 0)) : t('Nothing found'),
    );
  }

  #place(): { readonly rowId: string; readonly nth: number } | null {
    let left = this.#at;
    for (const { rowId, count } of this.#hits ?? []) {
      if (left < count) return { rowId, nth: left };
      left -= count;
    }
    return null;
  }

  /** The first hit at or below the top edge, else the newest one. */
  #nearest(hits: readonly Hit[]): number {
    const top = this.#page.rows.indexOf(this.#page.reader.topRow() ?? '') ?? 0;
    let before = 0;
    for (const { rowId, count } of hits) {
      const index = this.#page.rows.indexOf(rowId);
      if (index !== null && index >= top) return before;
      before += count;
    }
    return Math.max(before - 1, 0);
  }

  /** The previous hit's index among the new hits. */
  #again(hits: readonly Hit[], place: { readonly rowId: string; readonly nth: number } | null): number {
    let before = 0;
    for (const { rowId, count } of hits) {
      if (rowId === place?.rowId) return before + Math.min(place.nth, count - 1);
      before += count;
    }
    return Math.min(this.#at, Math.max(before - 1, 0));
  }

  #askSoon(): void {
    this.#stopWaiting();
    this.#timer = setTimeout(() => this.#ask(), WAIT);
  }

  #ask(): void {
    this.#stopWaiting();
    if (this.query === '') this.#hits = null;
    else this.#page.post({ type: 'find', query: this.query });
  }

  #stopWaiting(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
