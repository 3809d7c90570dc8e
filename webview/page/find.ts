/**
 * Finding in the conversation: what was asked for, where it stands, and which place is looked at. The extension looks, because
 * it has rows that the panel has not; the panel brings a row into sight and marks the text in it.
 */

import { t } from '@vscode/l10n';
import type { ToHost } from '../../src/protocol/messages.ts';

interface Ports {
  readonly post: (message: ToHost) => void;
  /** Brings the `nth` place of a text in a row into sight. */
  readonly seek: (place: { readonly rowId: string; readonly text: string; readonly nth: number }) => void;
  /** Draws the page again. */
  readonly draw: () => void;
  /** The row at the top edge. */
  readonly topRow: () => string | null;
  readonly indexOf: (rowId: string) => number | null;
  readonly announce: (text: string) => void;
}

export interface Hit {
  readonly rowId: string;
  readonly count: number;
}

/** Milliseconds after the last letter, or after a row came. */
const WAIT = 150;
const LONGEST = 1_000;

export class Find {
  readonly #ports: Ports;
  open = false;
  query = '';
  /** Null until they are known. */
  #hits: readonly Hit[] | null = null;
  /** Which of all places is looked at. */
  #at = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  get total(): number | null {
    return this.#hits?.reduce((sum, { count }) => sum + count, 0) ?? null;
  }

  /** Counts from 1; 0 where there is none. */
  get position(): number {
    return this.total ? this.#at + 1 : 0;
  }

  /** The text to mark, and the place that is looked at. */
  get marked(): { readonly text: string; readonly rowId: string | null; readonly nth: number } | null {
    if (!this.open || this.query === '') return null;
    return { text: this.query, ...(this.#place() ?? { rowId: null, nth: 0 }) };
  }

  show(): void {
    this.open = true;
    if (this.query !== '') this.#ask();
    this.#ports.draw();
  }

  close(): void {
    this.open = false;
    this.#hits = null;
    this.#stopWaiting();
    this.#ports.draw();
  }

  search(query: string): void {
    this.query = query.slice(0, LONGEST);
    this.#hits = null;
    this.#askSoon();
    this.#ports.draw();
  }

  /** Rows came or went: what was found may have changed. */
  refresh(): void {
    if (this.open && this.query !== '') this.#askSoon();
  }

  take(query: string, hits: readonly Hit[]): void {
    if (!this.open || query !== this.query) return;
    const before = this.#place();
    const isNew = this.#hits === null;
    this.#hits = hits;
    this.#at = isNew ? this.#nearest(hits) : this.#again(hits, before);
    if (isNew) this.#look();
    this.#ports.draw();
  }

  step(by: 1 | -1): void {
    const total = this.total ?? 0;
    if (total === 0) return;
    this.#at = (this.#at + by + total) % total;
    this.#look();
    this.#ports.draw();
  }

  #look(): void {
    const place = this.#place();
    if (place) this.#ports.seek({ ...place, text: this.query });
    this.#ports.announce(place ? t('{0} of {1}', this.position, this.total ?? 0) : t('Nothing found'));
  }

  #place(): { readonly rowId: string; readonly nth: number } | null {
    let left = this.#at;
    for (const { rowId, count } of this.#hits ?? []) {
      if (left < count) return { rowId, nth: left };
      left -= count;
    }
    return null;
  }

  /** The first place at or below the top edge, else the newest one. */
  #nearest(hits: readonly Hit[]): number {
    const top = this.#ports.indexOf(this.#ports.topRow() ?? '') ?? 0;
    let before = 0;
    for (const { rowId, count } of hits) {
      const index = this.#ports.indexOf(rowId);
      if (index !== null && index >= top) return before;
      before += count;
    }
    return Math.max(before - 1, 0);
  }

  /** The place that was looked at, among what is found now. */
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
    else this.#ports.post({ type: 'find', query: this.query });
  }

  #stopWaiting(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
