/**
 * Where the reader is in the conversation. Invariant: the text under the reader's eyes stays where it is, whatever is
 * added above or below; only a reader at the end is taken along.
 */

interface Listeners {
  /** The top is near: older rows are wanted. */
  readonly onTop: () => void;
  /** The reader arrived at the end or left it. */
  readonly onMove: () => void;
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
  #kept: { readonly row: Element; readonly top: number } | null = null;

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
    this.#kept = this.#following && !this.#held ? null : this.#topRow();
    if (this.#held) this.#following = false;
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
    const top = this.#following ? null : this.#topRow();
    const rowId = top?.row instanceof HTMLElement ? top.row.dataset.row : undefined;
    return top && rowId !== undefined ? { rowId, offset: top.top } : null;
  }

  goTo({ rowId, offset }: { readonly rowId: string; readonly offset: number }): void {
    const row = this.#element?.querySelector(`[data-row="${CSS.escape(rowId)}"]`);
    if (!row || !this.#element) return;
    this.#following = false;
    row.scrollIntoView({ block: 'start' });
    this.#element.scrollTop += this.#topOf(row) - offset;
    this.#listeners.onMove();
  }

  #attach(element: HTMLElement): void {
    element.addEventListener('scroll', () => this.#onScroll(element), { passive: true });
    this.#sizes.disconnect();
    this.#sizes.observe(element);
    const list = element.firstElementChild;
    if (list) this.#sizes.observe(list);
  }

  #onScroll(element: HTMLElement): void {
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= END;
    if (atEnd !== this.#following) {
      this.#following = atEnd;
      this.#listeners.onMove();
    }
    if (element.scrollTop < TOP) this.#listeners.onTop();
  }

  #settle(): void {
    const element = this.#element;
    if (!element) return;
    if (this.#following) element.scrollTop = element.scrollHeight;
    else if (this.#kept?.row.isConnected) element.scrollTop += this.#topOf(this.#kept.row) - this.#kept.top;
    this.#kept = null;
  }

  #topRow(): { row: Element; top: number } | null {
    const element = this.#element;
    if (!element) return null;
    const box = element.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + 8)?.closest('[data-row]');
    const row = hit ?? element.querySelector('[data-row]');
    return row && element.contains(row) ? { row, top: this.#topOf(row) } : null;
  }

  #topOf(row: Element): number {
    return row.getBoundingClientRect().top - (this.#element?.getBoundingClientRect().top ?? 0);
  }
}
