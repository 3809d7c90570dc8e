/**
 * The reader's position in the conversation. Invariant: the visible text stays in place, whatever is added, drawn or
 * measured above or below; the page follows new text only for a reader at the end.
 */

import { RESIZED, type Resized } from '../markdown/slices.ts';
import type { RowWindow } from './rowWindow.ts';

interface Listeners {
  /** Called near the top: older rows are needed. */
  readonly onTop: () => void;
  readonly onScroll: () => void;
  /** Called when the reader arrived at the end or left it. */
  readonly onMove: () => void;
}

/** An entry, and the distance of its top from the top edge of the conversation. */
interface Place {
  readonly key: string;
  /** Its first row, which may move to another entry. */
  readonly rowId: string | undefined;
  readonly top: number;
}

/** Distance in pixels from the end that still counts as the end, and from the top at which older rows are requested. */
const END = 32;
const TOP = 600;
/** The end itself, allowing for fractions of a pixel. */
const VERY_END = 1;
/** Measuring estimated entries may bring more into view. */
const MOST_PASSES = 6;
/** Margin around an element that is scrolled into view. */
const MARGIN = 8;

export class Reader {
  readonly window: RowWindow;
  readonly #listeners: Listeners;
  readonly #sizes = new ResizeObserver(() => this.#settle());
  #element: HTMLElement | null = null;
  #following = true;
  #pinned = false;
  /** The last scroll position set by the page, in pixels. */
  #top = 0;
  /** The reader's entry: every change of sizes restores its position. */
  #place: Place | null = null;

  constructor(window: RowWindow, listeners: Listeners) {
    this.window = window;
    this.#listeners = listeners;
  }

  /** True while the page follows new text. */
  get following(): boolean {
    return this.#following;
  }

  follow(): void {
    this.#following = true;
    this.#place = null;
    this.#settle();
    this.#listeners.onMove();
  }

  /** Keeps the reader in place for the next render, even at the end. */
  hold(): void {
    this.#pinned = true;
  }

  beforeRender(): void {
    if (this.#pinned) this.#following = false;
    if (this.#following) this.#place = null;
    // A settled position is exact; one measured again has lost a fraction of a pixel.
    else if (!this.#place || this.#element?.scrollTop !== this.#top) this.#place = this.#findPlace();
  }

  afterRender(element: HTMLElement | null): void {
    if (element && element !== this.#element) this.#attach(element);
    this.#element = element;
    this.#settle();
    if (this.#pinned && element) {
      this.#pinned = false;
      this.#onScroll(element, END);
    }
    if (element && element.scrollTop < TOP) this.#listeners.onTop();
  }

  /** The row at the top edge, to be restored after a reload; null when following. */
  anchor(): { rowId: string; offset: number } | null {
    const place = this.#following ? null : this.#findPlace();
    return place?.rowId === undefined ? null : { rowId: place.rowId, offset: place.top };
  }

  /** The row at the top edge. */
  topRow(): string | null {
    return this.#findPlace()?.rowId ?? null;
  }

  /**
   * Scrolls a row to `offset` pixels from the top edge. False when it is not loaded. With `stay` the reader does not
   * follow new text, even if the page is still too short to tell: the rest of an answer may be arriving.
   */
  goTo({ rowId, offset }: { readonly rowId: string; readonly offset: number }, stay = false): boolean {
    const index = this.window.indexOfRow(rowId);
    const key = index === null ? null : this.window.keyAt(index);
    if (key === null) return false;
    this.#following = false;
    this.#place = { key, rowId, top: offset };
    this.#settle();
    // At the end there is nothing further to jump to.
    if (this.#element && !stay) this.#onScroll(this.#element);
    this.#listeners.onMove();
    return true;
  }

  /** Scrolls an entry into view, unless it already is. */
  reveal(index: number): void {
    const element = this.#element;
    const entry = this.window.entryAt(index);
    if (!element || !entry) return;
    const { extents } = this.window;
    const top = extents.top(index) + this.#listTop() - element.scrollTop;
    const room = element.clientHeight - extents.size(index);
    if (top >= 0 && top <= room) return;
    this.#following = false;
    // An element larger than the page is shown from its top.
    const offset = top < 0 || room < 2 * MARGIN ? MARGIN : room - MARGIN;
    this.#place = { key: entry.key, rowId: entry.rowIds[0], top: offset };
    this.#settle();
    this.#onScroll(element, top < 0 ? VERY_END : END);
    this.#listeners.onMove();
  }

  /** Scrolls all of an element into view, or its beginning when it is larger. */
  revealElement(target: Element): void {
    const element = this.#element;
    if (!element) return;
    const frame = element.getBoundingClientRect();
    const { top, bottom } = target.getBoundingClientRect();
    const below = Math.min(bottom - frame.bottom + MARGIN, top - frame.top - MARGIN);
    const by = top < frame.top + MARGIN ? top - frame.top - MARGIN : Math.max(below, 0);
    if (by === 0) return;
    element.scrollTop += by;
    this.#onScroll(element);
  }

  #attach(element: HTMLElement): void {
    // Scrolling by `#settle` does not express the reader's intention.
    const onScroll = () => element.scrollTop !== this.#top && this.#onScroll(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener(RESIZED, (event) => this.#onResized(element, event as CustomEvent<Resized>));
    this.#sizes.disconnect();
    this.#sizes.observe(element);
    const list = element.firstElementChild;
    if (list) this.#sizes.observe(list);
  }

  /** A change above the reader, in the entry being read, moves the top of that entry, and not the text in sight. */
  #onResized(element: HTMLElement, { target, detail }: CustomEvent<Resized>): void {
    // The last scrolling may not have been told yet.
    if (element.scrollTop !== this.#top) this.#onScroll(element);
    const place = this.#following ? null : this.#place;
    if (place) {
      const isAbove = detail.top < element.getBoundingClientRect().top;
      const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]')?.dataset.row : undefined;
      const isRead = row !== undefined && this.window.indexOfRow(row) === this.#indexOf(place);
      if (!isAbove || !isRead) return;
      this.#place = { ...place, top: place.top - detail.by };
    }
    if (place || this.#following) this.#settle();
  }

  /**
   * A reader who is nearly at the end is moved there only when scrolling down. Pulling back a reader who scrolls up, or
   * was brought to a place, would undo slow scrolling and move a card between the press and the release of a click.
   */
  #onScroll(element: HTMLElement, end = element.scrollTop > this.#top ? END : VERY_END): void {
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= end;
    // Text may have arrived since the page was scrolled to its end: only scrolling up stops following.
    const following = atEnd || (this.#following && element.scrollTop >= this.#top);
    const moved = element.scrollTop !== this.#top;
    this.#top = element.scrollTop;
    if (following !== this.#following) {
      this.#following = following;
      this.#listeners.onMove();
    }
    if (following) this.#place = null;
    else if (moved || !this.#place) this.#place = this.#findPlace();
    if (moved) this.#settle();
    if (element.scrollTop < TOP) this.#listeners.onTop();
    this.#listeners.onScroll();
  }

  /** Draws the visible part, and restores the reader's position; newly drawn entries are measured. */
  #settle(): void {
    const element = this.#element;
    // A hidden page has no sizes.
    if (!element || element.clientHeight === 0) return;
    // The width of a scroll bar depends on the platform, and is unknown before the page is shown.
    const gutter = `${element.offsetWidth - element.clientWidth}px`;
    if (element.style.getPropertyValue('--gutter') !== gutter) element.style.setProperty('--gutter', gutter);
    const pulled = this.#following && !isSelecting(element);
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      const from = this.#wantedTop(element, pulled) - this.#listTop();
      const changed = this.window.mount(from, from + element.clientHeight);
      if (!changed) break;
    }
    // A session without rows has a page to be read from its beginning.
    const end = this.window.extents.count > 0 ? element.scrollHeight : 0;
    const top = pulled ? end : this.#wantedTop(element, false);
    if (Math.abs(top - element.scrollTop) >= 0.5) element.scrollTop = top;
    this.#top = element.scrollTop;
  }

  /** The desired scroll position, from the known sizes. */
  #wantedTop(element: HTMLElement, pulled: boolean): number {
    const { extents, list } = this.window;
    if (pulled) return Math.max((list ? this.#listTop() + extents.total : 0) - element.clientHeight, 0);
    const index = this.#place && this.#indexOf(this.#place);
    return this.#place && index !== null ? this.#listTop() + extents.top(index) - this.#place.top : element.scrollTop;
  }

  #findPlace(): Place | null {
    const element = this.#element;
    const { extents } = this.window;
    if (!element || extents.count === 0) return null;
    const from = element.scrollTop - this.#listTop();
    const index = extents.indexAt(from);
    const entry = this.window.entryAt(index);
    return entry && { key: entry.key, rowId: entry.rowIds[0], top: extents.top(index) - from };
  }

  #indexOf({ key, rowId }: Place): number | null {
    return this.window.indexOf(key) ?? (rowId === undefined ? null : this.window.indexOfRow(rowId));
  }

  /** Where the list begins in the scrolled content: a line about older rows may precede it. */
  #listTop(): number {
    return this.window.list?.offsetTop ?? 0;
  }
}

/** A reader who selects text, to read or to copy it, is not pulled away from it. */
function isSelecting(element: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode);
}
