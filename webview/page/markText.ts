/** Marks of a search: hits of a text in rows, as highlights that change no node of the page. */

import { drawSlice } from '../markdown/slices.ts';

/** The current hit, and all others. */
const SOUGHT = 'sought';

const FOUND = 'found';

/** Parts of a row that are not searched: names of buttons, figures, headings of a card. */
const AROUND =
  '.tool-body h2, .compaction-body h2, .row-head, .row-actions, .tool-facts, .tool-outcome, .code-bar, .tool-more, .notice-actions, .approval-actions';

/** Marks the `nth` hit of `text` in the element, and returns its distance below the element's top, in pixels. */
export function markText(element: Element | null, text: string, nth = 0): number {
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
export function drawText(element: Element | null, text: string, nth?: number): number {
  const below = markText(element, text, nth);
  const [hit] = CSS.highlights.get(SOUGHT) ?? [];
  return drawSlice(hit?.startContainer.parentElement ?? null) ? drawText(element, text, nth) : below;
}

/** Marks every hit in the rows on the page; null removes all marks. */
export function markAll(rows: Iterable<Element>, text: string | null): void {
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
