/** Marks a text that was searched for, without changing the page: the browser paints the mark over it. */

const NAME = 'sought';

/** Marks the first place of `text` in the element, and gives how far below the element's top it stands, in pixels. */
export function markText(element: Element | null, text: string): number {
  CSS.highlights.delete(NAME);
  if (text === '') return 0;
  const range = element && findText(element, text.toLowerCase());
  if (!range) return 0;
  CSS.highlights.set(NAME, new Highlight(range));
  return range.getBoundingClientRect().top - element.getBoundingClientRect().top;
}

/** A text may stand in several nodes, as it does in highlighted code. */
function findText(element: Element, sought: string): Range | null {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  let whole = '';
  for (let node = walker.nextNode(); node instanceof Text; node = walker.nextNode()) {
    nodes.push(node);
    whole += node.data.toLowerCase();
  }
  const at = whole.indexOf(sought);
  if (at < 0) return null;
  const range = document.createRange();
  let passed = 0;
  for (const node of nodes) {
    const end = passed + node.length;
    if (at >= passed && at < end) range.setStart(node, at - passed);
    if (at + sought.length <= end) {
      range.setEnd(node, at + sought.length - passed);
      break;
    }
    passed = end;
  }
  return range;
}
