/**
 * Where the reader is in the conversation. Invariant: the text under the reader's eyes stays where it is, whatever is
 * added, drawn or measured above or below; only a reader at the end is taken along.
 */

import type { RowWindow } from './rowWindow.ts';

interface Listeners {
  /** The top is near: older rows are wanted. */
  readonly onTop: () => void;
  readonly onScroll: () => void;
  /** The reader arrived at the end or left it. */
  readonly onMove: () => void;
}

/** An entry, and how far its top is from the top edge of the conversation. */
interface Place {
  readonly key: string;
  /** Its first row, which may come to stand in another entry. */
  readonly rowId: string | undefined;
  readonly top: number;
}

/** Pixels from the end that still count as being there, and from the top at which older rows are asked for. */
const END = 32;
const TOP = 600;
/** The end itself, but for the part of a pixel that is lost. */
const VERY_END = 1;
/** Drawing what was estimated may bring more into sight. */
const MOST_PASSES = 6;
/** Margin around an element that is scrolled into view. */
const MARGIN = 8;

export class Reader {
  readonly window: RowWindow;
  readonly #listeners: Listeners;
  readonly #sizes = new ResizeObserver(() => this.#settle());
  #element: HTMLElement | null = null;
  #following = true;
  #held = false;
  /** Where the page was scrolled to last, in pixels. */
  #top = 0;
  /** The entry the reader is at: after every change of sizes it is put back there. */
  #place: Place | null = null;

  constructor(window: RowWindow, listeners: Listeners) {
    this.window = window;
    this.#listeners = listeners;
  }

  /** True while the reader is taken along. */
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
    this.#held = true;
  }

  beforeRender(): void {
    if (this.#held) this.#following = false;
    if (this.#following) this.#place = null;
    // A place that was settled is exact; one read off the page again has lost a part of a pixel.
    else if (!this.#place || this.#element?.scrollTop !== this.#top) this.#place = this.#findPlace();
  }

  afterRender(element: HTMLElement | null): void {
    if (element && element !== this.#element) this.#attach(element);
    this.#element = element;
    this.#settle();
    if (this.#held && element) {
      this.#held = false;
      this.#onScroll(element, END);
    }
    if (element && element.scrollTop < TOP) this.#listeners.onTop();
  }

  /** The row at the top edge, to be found again after a reload; null when following. */
  anchor(): { rowId: string; offset: number } | null {
    const place = this.#following ? null : this.#findPlace();
    return place?.rowId === undefined ? null : { rowId: place.rowId, offset: place.top };
  }

  /** The row at the top edge. */
  topRow(): string | null {
    return this.#findPlace()?.rowId ?? null;
  }

  /**
   * Shows a row `offset` pixels from the top edge. False when it is not loaded. With `stay` the reader is not at the end,
   * even if the page is still too short to tell: the rest of an answer may be on its way.
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

  /** Brings an entry into sight, and moves nothing when it is there already. */
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

  /** Brings all of an element into sight, or its beginning when it is larger. */
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
    // Scrolling by `#settle` says nothing about where the reader wants to be.
    const onScroll = () => element.scrollTop !== this.#top && this.#onScroll(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    this.#sizes.disconnect();
    this.#sizes.observe(element);
    const list = element.firstElementChild;
    if (list) this.#sizes.observe(list);
  }

  /**
   * A reader who is nearly at the end is taken to it only on the way down. Pulling back one who goes up, or who was brought
   * to a place, would undo slow scrolling and move a card between the press and the release of a click.
   */
  #onScroll(element: HTMLElement, end = element.scrollTop > this.#top ? END : VERY_END): void {
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= end;
    // Text may have come in since the page was scrolled to its end: only who goes up leaves it.
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

  /** Draws what is in sight, and puts the reader back in place; what is drawn for the first time gets its true size. */
  #settle(): void {
    const element = this.#element;
    // A page that is out of sight has no sizes.
    if (!element || element.clientHeight === 0) return;
    // How wide a scroll bar is depends on the platform, and is not known before the page is shown.
    const gutter = `${element.offsetWidth - element.clientWidth}px`;
    if (element.style.getPropertyValue('--gutter') !== gutter) element.style.setProperty('--gutter', gutter);
    const pulled = this.#following && !isSelecting(element);
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      const from = this.#wantedTop(element, pulled) - this.#listTop();
      const changed = this.window.mount(from, from + element.clientHeight);
      if (!changed) break;
    }
    // A session without a row has a page to be read from its beginning.
    const end = this.window.extents.count > 0 ? element.scrollHeight : 0;
    const top = pulled ? end : this.#wantedTop(element, false);
    if (Math.abs(top - element.scrollTop) >= 0.5) element.scrollTop = top;
    this.#top = element.scrollTop;
  }

  /** Where the page is to be scrolled to, by what is known of sizes. */
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

  /** Where the list begins in what is scrolled: a line about older rows may stand above it. */
  #listTop(): number {
    return this.window.list?.offsetTop ?? 0;
  }
}

/** A reader who selects text, to read or to copy it, is not pulled away from it. */
function isSelecting(element: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode);
}
