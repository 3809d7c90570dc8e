/**
 * Where the reader is in the conversation. Invariant: the text under the reader's eyes stays where it is, whatever is
 * added above or below; only a reader at the end is taken along.
 */

interface Listeners {
  /** The top is near: older rows are wanted. */
  readonly onTop: () => void;
  readonly onScroll: () => void;
  /** The reader arrived at the end or left it. */
  readonly onMove: () => void;
}

interface Place {
  readonly row: HTMLElement;
  /** Pixels from the top edge of the conversation. */
  readonly top: number;
}

/** Pixels from the end that still count as being there, and from the top at which older rows are asked for. */
const END = 32;
const TOP = 600;

export class Reader {
  readonly #listeners: Listeners;
  readonly #sizes = new ResizeObserver(() => this.#settle());
  #element: HTMLElement | null = null;
  #following = true;
  #held = false;
  /** Where the page was scrolled to last, in pixels. */
  #top = 0;
  /** The row the reader is at, and where it stands: after every change of sizes it is put back there. */
  #place: Place | null = null;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
  }

  /** True while the reader is taken along. */
  get following(): boolean {
    return this.#following;
  }

  follow(): void {
    this.#following = true;
    this.#settle();
    this.#listeners.onMove();
  }

  /** Keeps the reader in place for the next render, even at the end. */
  hold(): void {
    this.#held = true;
  }

  beforeRender(): void {
    if (this.#held) this.#following = false;
    this.#place = this.#following ? null : this.#findPlace();
  }

  afterRender(element: HTMLElement | null): void {
    if (element && element !== this.#element) this.#attach(element);
    this.#element = element;
    this.#settle();
    if (this.#held && element) {
      this.#held = false;
      this.#onScroll(element);
    }
    if (element && element.scrollTop < TOP) this.#listeners.onTop();
  }

  /** The row at the top edge, to be found again after a reload; null when following. */
  anchor(): { rowId: string; offset: number } | null {
    const place = this.#following ? null : this.#findPlace();
    const rowId = place?.row.dataset.row;
    return place && rowId !== undefined ? { rowId, offset: place.top } : null;
  }

  goTo({ rowId, offset }: { readonly rowId: string; readonly offset: number }): void {
    const row = this.#element?.querySelector<HTMLElement>(`[data-row="${CSS.escape(rowId)}"]`);
    if (!row) return;
    this.#following = false;
    this.#place = { row, top: offset };
    this.#settle();
    this.#listeners.onMove();
  }

  #attach(element: HTMLElement): void {
    element.addEventListener('scroll', () => this.#onScroll(element), { passive: true });
    // How wide a scroll bar is depends on the platform; nothing where it lies over the text.
    element.style.setProperty('--gutter', `${element.offsetWidth - element.clientWidth}px`);
    this.#sizes.disconnect();
    this.#sizes.observe(element);
    const list = element.firstElementChild;
    if (list) this.#sizes.observe(list);
  }

  #onScroll(element: HTMLElement): void {
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= END;
    // Text may have come in since the page was scrolled to its end: only who goes up leaves it.
    const following = atEnd || (this.#following && element.scrollTop >= this.#top);
    this.#top = element.scrollTop;
    if (following !== this.#following) {
      this.#following = following;
      this.#listeners.onMove();
    }
    this.#place = following ? null : this.#findPlace();
    if (element.scrollTop < TOP) this.#listeners.onTop();
    this.#listeners.onScroll();
  }

  /** Rows out of sight have estimated sizes: what comes near gets its true one, and everything below moves. */
  #settle(): void {
    const element = this.#element;
    if (!element) return;
    if (this.#following) {
      if (!isSelecting(element)) element.scrollTop = element.scrollHeight;
    } else if (this.#place?.row.isConnected) element.scrollTop += this.#topOf(this.#place.row) - this.#place.top;
    this.#top = element.scrollTop;
  }

  #findPlace(): Place | null {
    const element = this.#element;
    if (!element) return null;
    const { left, top, width, height } = element.getBoundingClientRect();
    for (let y = 4; y < height; y += 16) {
      const hits = document.elementsFromPoint(left + width / 2, top + y);
      const row = hits.find((hit) => element.contains(hit))?.closest<HTMLElement>('[data-row]');
      if (row) return { row, top: this.#topOf(row) };
    }
    return null;
  }

  #topOf(row: Element): number {
    return row.getBoundingClientRect().top - (this.#element?.getBoundingClientRect().top ?? 0);
  }
}

/** A reader who selects text, to read or to copy it, is not pulled away from it. */
function isSelecting(element: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode);
}
