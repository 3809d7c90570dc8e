/** Marks a text that was searched for, without changing the page: the browser paints the marks over it. */

/** The place that is looked at, and all others. */
const SOUGHT = 'sought';
const FOUND = 'found';
/** What stands around the text of a row: names of buttons, figures, headings of a card. */
const AROUND =
  '.tool-body h2, .compaction-body h2, .row-head, .row-actions, .tool-facts, .tool-outcome, .code-bar, .tool-more, .notice-actions, .approval-actions';

/** Marks the `nth` place of `text` in the element, and gives how far below the element's top it stands, in pixels. */
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

/** Marks every place in the rows that are on the page; null takes all marks away. */
export function markAll(rows: Iterable<Element>, text: string | null): void {
  const ranges = text === null ? [] : [...rows].flatMap((row) => findText(row, text));
  if (ranges.length === 0) CSS.highlights.delete(FOUND);
  else CSS.highlights.set(FOUND, new Highlight(...ranges));
  if (text === null) CSS.highlights.delete(SOUGHT);
}

/** A text may stand in several nodes, as it does in highlighted code. */
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
