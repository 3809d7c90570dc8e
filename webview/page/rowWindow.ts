/**
 * The drawn part of a long list. Only entries near the reader have elements; for others, space of their measured or
 * estimated height is reserved. Invariant: an entry with the focus or a selection keeps its elements, and an element
 * that stays is never moved in the page.
 */

import { noChange, nothing, render, type TemplateResult } from 'lit';
import { Directive, directive, type ElementPart } from 'lit/directive.js';

export interface Entry {
  readonly key: string;
  /** Its rows: one, or those of a closed group. */
  readonly rowIds: readonly string[];
  /** In pixels, until it is measured. */
  readonly estimate: number;
}

export interface Drawing {
  /** It is redrawn only when one of these has changed. */
  readonly parts: readonly unknown[];
  /** The entry's role description for assistive technology. */
  readonly label: string;
  draw(): TemplateResult;
}

export interface ShownList {
  readonly entries: readonly Entry[];
  /** Older entries exist that are not loaded, in unknown number. */
  readonly more: boolean;
  describe(index: number): Drawing;
}

interface Slot {
  readonly element: HTMLElement;
  parts: readonly unknown[];
  rowIds: readonly string[];
}

/** Drawn beyond each edge of the visible part. In pixels. */
const OVERSCAN = 400;

/** Maximum entries kept by a selection. */
const MOST_SELECTED = 300;

const EMPTY: ShownList = {
  entries: [],
  more: false,
  describe: () => ({ parts: [], label: '', draw: () => EMPTY_TEMPLATE }),
};

const EMPTY_TEMPLATE = nothing as unknown as TemplateResult;

export class RowWindow {
  readonly #onUnmount: (rowIds: readonly string[]) => void;
  readonly extents = new Extents();
  readonly #slots = new Map<string, Slot>();
  /** Heights of drawn entries. At another width they differ, but are still the best estimate. */
  readonly #measured = new Map<string, number>();
  #list: HTMLElement | null = null;
  #shown = EMPTY;
  /** The drawn entries change only together with the rest of the page. */
  #shownAgain = false;
  #entries: readonly Entry[] = [];
  #indexOfKey = new Map<string, number>();
  #indexOfRow = new Map<string, number>();
  /** The entry that the Tab key reaches. */
  #active: string | null = null;

  /** `onUnmount` gets the ids of rows that no longer have elements. */
  constructor(onUnmount: (rowIds: readonly string[]) => void) {
    this.#onUnmount = onUnmount;
  }

  /** Sets the content of `list`; `mount` draws it. */
  show(list: HTMLElement, shown: ShownList): void {
    if (list !== this.#list) {
      this.#slots.clear();
      this.#list = list;
    }
    this.#shown = shown;
    this.#shownAgain = true;
    if (shown.entries !== this.#entries) this.#take(shown.entries);
  }

  #take(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#indexOfKey = new Map(entries.map(({ key }, index) => [key, index]));
    this.#indexOfRow = new Map(entries.flatMap(({ rowIds }, index) => rowIds.map((id) => [id, index])));
    this.extents.reset(entries.map(({ key, estimate }) => this.#measured.get(key) ?? estimate));
  }

  /** Forgets all sizes: another session has other entries under the same keys. */
  clear(): void {
    this.#measured.clear();
    this.#active = null;
  }

  get list(): HTMLElement | null {
    return this.#list;
  }

  indexOf(key: string): number | null {
    return this.#indexOfKey.get(key) ?? null;
  }

  indexOfRow(rowId: string): number | null {
    return this.#indexOfRow.get(rowId) ?? null;
  }

  keyAt(index: number): string | null {
    return this.#entries[index]?.key ?? null;
  }

  entryAt(index: number): Entry | null {
    return this.#entries[index] ?? null;
  }

  /** The element of an entry, while it has one. */
  elementOf(key: string): HTMLElement | null {
    return this.#slots.get(key)?.element ?? null;
  }

  /** The entry that contains an element. */
  keyOfElement(element: Element | null): string | null {
    const slot = element?.closest<HTMLElement>('.slot');
    return slot && this.#list?.contains(slot) ? (slot.dataset.key ?? null) : null;
  }

  get active(): string | null {
    return this.#active !== null && this.#indexOfKey.has(this.#active) ? this.#active : null;
  }

  set active(key: string | null) {
    if (key === this.#active) return;
    const before = this.#slots.get(this.#active ?? '');
    if (before) before.element.tabIndex = -1;
    this.#active = key;
    const now = this.#slots.get(key ?? '');
    if (now) now.element.tabIndex = 0;
  }

  /** Creates the elements between two heights of the list. True when a size differed from its estimate. */
  mount(from: number, to: number): boolean {
    const list = this.#list;
    if (!list) return false;
    const wanted = this.extents.between(from - OVERSCAN, to + OVERSCAN, this.#kept());
    this.#removeOthers(new Set(wanted.map((index) => this.keyAt(index))));
    let at = list.firstElementChild;
    let end = 0;
    for (const index of wanted) {
      const entry = this.#entries[index] as Entry;
      const isNew = !this.#slots.has(entry.key);
      const slot = this.#slotOf(entry);
      if (slot.element === at) at = at.nextElementSibling;
      else list.insertBefore(slot.element, at);
      if (isNew || this.#shownAgain) this.#draw(slot, index);
      setPixels(slot.element, 'marginTop', this.extents.top(index) - this.extents.top(end));
      end = index + 1;
    }
    this.#shownAgain = false;
    setPixels(list, 'paddingBottom', this.extents.total - this.extents.top(end));
    return this.#measure(list, wanted);
  }

  #removeOthers(wanted: ReadonlySet<string | null>): void {
    for (const [key, { element, rowIds }] of this.#slots) {
      if (wanted.has(key)) continue;
      render(nothing, element);
      element.remove();
      this.#slots.delete(key);
      this.#onUnmount(rowIds);
    }
  }

  #slotOf({ key, rowIds }: Entry): Slot {
    const slot = this.#slots.get(key) ?? this.#makeSlot(key);
    slot.rowIds = rowIds;
    return slot;
  }

  #makeSlot(key: string): Slot {
    const element = document.createElement('div');
    element.className = 'slot';
    element.dataset.key = key;
    element.tabIndex = key === this.#active ? 0 : -1;
    element.setAttribute('role', 'article');
    const slot: Slot = { element, parts: [], rowIds: [] };
    this.#slots.set(key, slot);
    return slot;
  }

  #draw(slot: Slot, index: number): void {
    const { element } = slot;
    setAttribute(element, 'aria-posinset', String(index + 1));
    setAttribute(element, 'aria-setsize', String(this.#shown.more ? -1 : this.extents.count));
    const { parts, label, draw } = this.#shown.describe(index);
    if (parts.length === slot.parts.length && parts.every((part, at) => part === slot.parts[at])) return;
    slot.parts = parts;
    setAttribute(element, 'aria-label', label);
    render(draw(), element);
  }

  #measure(list: HTMLElement, indexes: readonly number[]): boolean {
    let changed = false;
    if (!list.isConnected) return false;
    const sizes = indexes.map((index) => this.elementOf(this.keyAt(index) ?? '')?.getBoundingClientRect().height ?? 0);
    for (const [at, index] of indexes.entries()) {
      const size = sizes[at] ?? 0;
      // A hidden page has no sizes.
      if (size === 0) continue;
      this.#measured.set(this.keyAt(index) ?? '', size);
      if (this.extents.resize(index, size)) changed = true;
    }
    return changed;
  }

  /** Entries that must keep their elements: the focused one, and those in a selection. */
  #kept(): number[] {
    const focused = this.#indexOfNode(document.activeElement);
    const kept = focused === null ? [] : [focused];
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed) return kept;
    const ends = [selection.anchorNode, selection.focusNode].flatMap((node) => this.#indexOfNode(node) ?? []);
    if (ends.length === 0) return kept;
    const [first, last] = [Math.min(...ends), Math.max(...ends)];
    for (let index = first; index <= Math.min(last, first + MOST_SELECTED); index++) kept.push(index);
    kept.push(last);
    return kept;
  }

  #indexOfNode(node: Node | null): number | null {
    const key = this.keyOfElement(node instanceof Element ? node : (node?.parentElement ?? null));
    return key === null ? null : this.indexOf(key);
  }
}

function setAttribute(element: HTMLElement, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** A script may set a style where the page's policy refuses one in markup. */
function setPixels(element: HTMLElement, name: 'marginTop' | 'paddingBottom', pixels: number): void {
  const value = pixels <= 0.01 ? '' : `${pixels}px`;
  if (element.style[name] !== value) element.style[name] = value;
}

/**
 * Puts a windowed list into a template: `<div ${windowed(window, shown)}></div>`. The window draws into the element.
 */
class Windowed extends Directive {
  render(_window: RowWindow, _shown: ShownList): unknown {
    return noChange;
  }

  override update(part: ElementPart, [window, shown]: [RowWindow, ShownList]): unknown {
    if (part.element instanceof HTMLElement) window.show(part.element, shown);
    return noChange;
  }
}

export const windowed = directive(Windowed);

/**
 * Heights and positions of the entries of a long list. An undrawn entry has an estimate. Pure. A change costs only the
 * entries after it, so that a growing last entry costs nothing.
 */
export class Extents {
  #sizes: number[] = [];
  /** The top of each entry; valid up to `#known`. */
  #tops: number[] = [0];
  #known = 0;

  get count(): number {
    return this.#sizes.length;
  }

  reset(sizes: readonly number[]): void {
    this.#sizes = [...sizes];
    this.#tops = [0];
    this.#known = 0;
  }

  /** False when it was unchanged. */
  resize(index: number, size: number): boolean {
    if (this.#sizes[index] === size || index >= this.#sizes.length) return false;
    this.#sizes[index] = size;
    this.#known = Math.min(this.#known, index);
    return true;
  }

  size(index: number): number {
    return this.#sizes[index] ?? 0;
  }

  /** The top of an entry; for the number of entries, the end of the list. */
  top(index: number): number {
    const wanted = Math.min(Math.max(index, 0), this.#sizes.length);
    for (let at = this.#known; at < wanted; at++) this.#tops[at + 1] = (this.#tops[at] ?? 0) + this.size(at);
    this.#known = Math.max(this.#known, wanted);
    return this.#tops[wanted] ?? 0;
  }

  get total(): number {
    return this.top(this.count);
  }

  /** The entry at a height; the first or last one outside the list. */
  indexAt(y: number): number {
    let low = 0;
    let high = Math.max(this.count - 1, 0);
    this.top(this.count);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.top(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The entries between two heights, and those of `kept`: in order, without duplicates. */
  between(from: number, to: number, kept: Iterable<number>): number[] {
    if (this.count === 0) return [];
    const chosen = new Set<number>();
    const last = this.indexAt(to);
    for (let index = this.indexAt(from); index <= last; index++) chosen.add(index);
    for (const index of kept) if (index >= 0 && index < this.count) chosen.add(index);
    return [...chosen].sort((a, b) => a - b);
  }
}
