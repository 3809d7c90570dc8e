/**
 * Scrolls to a search hit, from here or from the list of sessions: loads the rows up to it, opens its containers, and
 * marks it.
 */

import { t } from '@vscode/l10n';
import { drawSlice } from '../markdown/slices.ts';
import type { Panel } from './panel.ts';

interface Place {
  readonly rowId: string;
  readonly text: string;
  /** Index of several hits in the row; default: the first. */
  readonly nth?: number;
}

/** Distance of a search hit from the top edge, in pixels. */
const SOUGHT_AT = 80;

export class Seeker {
  readonly find: Find;
  readonly #panel: Panel;
  #sought: Place | null = null;
  #marking = false;

  constructor(panel: Panel) {
    this.#panel = panel;
    this.find = new Find(panel, this);
  }

  seek(place: Place): void {
    this.#sought = place;
    this.onRowsChanged();
  }

  /** Called when rows may have been loaded. */
  onRowsChanged(): void {
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
    markAll(this.#panel.root.querySelectorAll('.row-list [data-row]'), marked?.text ?? null);
    if (marked?.rowId) markText(this.#elementOf(marked.rowId), marked.text, marked.nth);
  }

  /** Opens a row with its parts, and its group. */
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

/** The current hit, and all others. */
const SOUGHT = 'sought';
const FOUND = 'found';

/** Parts of a row that are not searched: names of buttons, figures, headings of a card. */
const AROUND =
  '.tool-body h2, .compaction-body h2, .row-head, .row-actions, .tool-facts, .tool-outcome, .code-bar, .tool-more, .notice-actions, .approval-actions';

/** Marks the `nth` hit of `text` in the element, and returns its distance below the element's top, in pixels. */
function markText(element: Element | null, text: string, nth = 0): number {
  const ranges = element ? findText(element, text) : [];
  const range = ranges[Math.min(nth, ranges.length - 1)];
  if (!element || !range) {
    CSS.highlights.delete(SOUGHT);
    return 0;
  }
  CSS.highlights.set(SOUGHT, new Highlight(range));
  return range.getBoundingClientRect().top - element.getBoundingClientRect().top;
}

/** The same; the part of a long answer that holds it is drawn first. */
function drawText(element: Element | null, text: string, nth?: number): number {
  const below = markText(element, text, nth);
  const [hit] = CSS.highlights.get(SOUGHT) ?? [];
  return drawSlice(hit?.startContainer.parentElement ?? null) ? drawText(element, text, nth) : below;
}

/** Marks every hit in the rows on the page; null removes all marks. */
function markAll(rows: Iterable<Element>, text: string | null): void {
  const ranges = text === null ? [] : [...rows].flatMap((row) => findText(row, text));
  if (ranges.length === 0) CSS.highlights.delete(FOUND);
  else CSS.highlights.set(FOUND, new Highlight(...ranges));
  if (text === null) CSS.highlights.delete(SOUGHT);
}

/** A text may span several nodes, as in highlighted code. */
function findText(element: Element, text: string): Range[] {
  const sought = text.toLowerCase();
  if (sought === '') return [];
  const nodes: { readonly node: Text; readonly from: number }[] = [];
  let whole = '';
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element
      ? node.matches(AROUND)
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_SKIP
      : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node instanceof Text; node = walker.nextNode()) {
    nodes.push({ node, from: whole.length });
    whole += node.data.toLowerCase();
  }
  const ranges: Range[] = [];
  let first = 0;
  for (let at = whole.indexOf(sought); at >= 0; at = whole.indexOf(sought, at + sought.length)) {
    const end = at + sought.length;
    while (first < nodes.length - 1 && (nodes[first + 1]?.from ?? 0) <= at) first++;
    let last = first;
    while (last < nodes.length - 1 && (nodes[last + 1]?.from ?? 0) < end) last++;
    const [begins, ends] = [nodes[first], nodes[last]];
    if (!begins || !ends) break;
    const range = document.createRange();
    range.setStart(begins.node, Math.min(at - begins.from, begins.node.length));
    range.setEnd(ends.node, Math.min(end - ends.from, ends.node.length));
    ranges.push(range);
  }
  return ranges;
}

interface Hit {
  readonly rowId: string;
  readonly count: number;
}

/** Milliseconds after the last letter, or after a new row. */
const WAIT = 150;
const LONGEST = 1_000;

/**
 * Finding in the conversation: the query, the hits, and the current one. The extension searches, because it has all
 * rows; the panel scrolls to a row and marks the text in it.
 */
class Find {
  readonly #panel: Panel;
  readonly #seeker: Seeker;
  open = false;
  query = '';
  /** Null until they are known. */
  #hits: readonly Hit[] | null = null;
  /** Index of the current hit. */
  #at = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(panel: Panel, seeker: Seeker) {
    this.#panel = panel;
    this.#seeker = seeker;
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
    this.#panel.invalidate();
  }

  close(): void {
    this.open = false;
    this.#hits = null;
    this.#stopWaiting();
    this.#panel.invalidate();
  }

  search(query: string): void {
    this.query = query.slice(0, LONGEST);
    this.#hits = null;
    this.#askSoon();
    this.#panel.invalidate();
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
    if (isNew) this.#look();
    this.#panel.invalidate();
  }

  step(by: 1 | -1): void {
    const total = this.total ?? 0;
    if (total === 0) return;
    this.#at = (this.#at + by + total) % total;
    this.#look();
    this.#panel.invalidate();
  }

  #look(): void {
    const place = this.#place();
    if (place) this.#seeker.seek({ ...place, text: this.query });
    this.#panel.announce(place ? t('{0} of {1}', this.position, this.total ?? 0) : t('Nothing found'));
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
    const top = this.#panel.rows.indexOf(this.#panel.reader.topRow() ?? '') ?? 0;
    let before = 0;
    for (const { rowId, count } of hits) {
      const index = this.#panel.rows.indexOf(rowId);
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
    else this.#panel.post({ type: 'find', query: this.query });
  }

  #stopWaiting(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
