/**
 * Long prose in slices: only those near the reader have their elements, the others one element with the same text, so that
 * an answer costs what is seen of it. Invariant: the text on the page is always the whole text, in its order. An answer of
 * usual length is left as it is.
 */

import { followNear, REDRAWN } from './codeText.ts';

/** In elements: of an answer that stays whole, of a list, table or quote that does, and of one slice. */
const WHOLE_ANSWER = 1_000;
export const WHOLE_BLOCK = 400;
const SLICE = 150;

/** A paragraph, item or table row of more elements is shown as plain text: it cannot be taken apart. */
const PIECE = 600;

/** Told by an element whose content got taller or shorter. */
export const RESIZED = 'palimpsest-resized';

/** `top` as of `getBoundingClientRect`, before; both in pixels. */
export interface Resized {
  readonly top: number;
  readonly by: number;
}

const sliceOf = new WeakMap<Element, Slice>();

/** Draws the slice that an element stands for, if it stands for one. True when it did. */
export function drawSlice(element: Element | null): boolean {
  const standIn = element?.closest('.away');
  const slice = standIn && sliceOf.get(standIn);
  if (!slice) return false;
  slice.onNear(true);
  return true;
}

/** Blocks that follow each other in one parent, which may still grow at its end. */
export class Slices {
  readonly #limit: number;
  readonly #closed: Slice[] = [];
  #nodes: ChildNode[] = [];
  #weight = 0;
  #total = 0;
  #items = 0;

  constructor(limit = WHOLE_ANSWER) {
    this.#limit = limit;
  }

  add(nodes: readonly ChildNode[]): void {
    for (const node of nodes) {
      const weight = weigh(node);
      if (this.#weight + weight > SLICE) this.#close();
      this.#nodes.push(node);
      if (node instanceof HTMLLIElement) this.#items++;
      this.#weight += weight;
      this.#total += weight;
    }
    if (this.#total <= this.#limit) return;
    for (const slice of this.#closed.splice(0)) slice.follow();
  }

  #close(): void {
    if (this.#weight > 0) this.#closed.push(new Slice(this.#nodes, this.#items));
    this.#nodes = [];
    this.#weight = 0;
  }
}

/** Puts long lists, tables and quotes in slices, at any depth; but not `except`, which still grows. */
export function sliceInside(root: ParentNode, except: Element | null = null): void {
  for (const piece of root.querySelectorAll('p, h1, h2, h3, h4, h5, h6, td, th, li'))
    if (weigh(piece) > PIECE && !piece.querySelector('ul, ol, p, .code'))
      piece.replaceChildren(piece.textContent ?? '');
  // The innermost first: what it puts away does not count for what is around it.
  for (const block of [...root.querySelectorAll('ul, ol, blockquote, tbody')].reverse()) {
    if (block === except || weigh(block) <= WHOLE_BLOCK) continue;
    new Slices(WHOLE_BLOCK).add([...block.childNodes]);
    // Columns must not follow what happens to be drawn.
    const table = block instanceof HTMLTableSectionElement ? block.closest('table') : null;
    if (!table) continue;
    table.classList.add('sliced');
    table.style.setProperty('--columns', String(table.rows[0]?.cells.length ?? 1));
  }
}

class Slice {
  readonly #nodes: readonly ChildNode[];
  readonly #items: number;
  #standIn: HTMLElement | null = null;
  /** Its elements that are within sight. */
  #seen = new Set<Element>();

  /** `items` of its list up to its end. */
  constructor(nodes: readonly ChildNode[], items: number) {
    this.#nodes = nodes;
    this.#items = items;
  }

  follow(): void {
    const first = this.#elements()[0];
    if (!first) return;
    // Nobody has seen what is not on the page yet.
    if (first.isConnected) this.#followElements();
    else this.#putAway();
  }

  /** `near`: it is within sight. */
  onNear(near: boolean): void {
    if (near) this.#draw();
    else if (!this.#isInUse()) this.#putAway();
  }

  #followElements(): void {
    const elements = this.#elements();
    // Until each has told where it is.
    this.#seen = new Set(elements);
    for (const element of elements)
      followNear(element, (near) => {
        if (near) this.#seen.add(element);
        else this.#seen.delete(element);
        if (this.#seen.size === 0) this.onNear(false);
      });
  }

  #putAway(): void {
    const [first] = this.#nodes;
    if (!first?.parentNode || this.#standIn?.isConnected) return;
    const standIn = this.#makeStandIn(first.parentNode);
    const elements = this.#elements();
    const [top, bottom] = [elements[0]?.getBoundingClientRect().top, elements.at(-1)?.getBoundingClientRect().bottom];
    const height = (bottom ?? 0) - (top ?? 0);
    if (height > 0) standIn.style.blockSize = `${height}px`;
    this.#swap(first.parentNode, () => {
      first.before(standIn);
      for (const node of this.#nodes) node.remove();
      return standIn;
    });
    followNear(standIn, (near) => this.onNear(near));
  }

  #draw(): void {
    const standIn = this.#standIn;
    const parent = standIn?.parentNode;
    if (!standIn || !parent || document.getSelection()?.containsNode(standIn, true)) return;
    this.#swap(parent, () => {
      standIn.replaceWith(...this.#nodes);
      return this.#elements()[0];
    });
    this.#followElements();
  }

  #swap(parent: ParentNode, change: () => Element | undefined): void {
    if (!(parent instanceof Element)) return void change();
    const before = parent.getBoundingClientRect();
    const top = (this.#standIn?.isConnected ? this.#standIn : this.#elements()[0])?.getBoundingClientRect().top ?? 0;
    const element = change();
    const by = parent.getBoundingClientRect().height - before.height;
    if (!element?.isConnected) return;
    if (by !== 0) element.dispatchEvent(new CustomEvent<Resized>(RESIZED, { bubbles: true, detail: { top, by } }));
    element.dispatchEvent(new CustomEvent(REDRAWN, { bubbles: true }));
  }

  #makeStandIn(parent: ParentNode): HTMLElement {
    if (this.#standIn) return this.#standIn;
    const text = this.#nodes.map(textOf).join('');
    const list = parent instanceof HTMLUListElement || parent instanceof HTMLOListElement;
    const rows = parent instanceof HTMLTableSectionElement;
    const standIn = document.createElement(list ? 'li' : rows ? 'tr' : 'div');
    standIn.className = 'away';
    // The browser counts items, and does not see those that are away.
    if (standIn instanceof HTMLLIElement && parent instanceof HTMLOListElement)
      standIn.value = parent.start + this.#items - 1;
    if (rows) {
      const cell = document.createElement('td');
      cell.colSpan = this.#elements()[0]?.childElementCount ?? 1;
      cell.textContent = text;
      standIn.append(cell);
    } else standIn.textContent = text;
    sliceOf.set(standIn, this);
    this.#standIn = standIn;
    return standIn;
  }

  /** Other nodes would end a selection, and take the focus away. */
  #isInUse(): boolean {
    const selection = document.getSelection();
    return this.#elements().some(
      (element) => element.contains(document.activeElement) || selection?.containsNode(element, true),
    );
  }

  #elements(): readonly Element[] {
    return this.#nodes.filter((node) => node instanceof Element);
  }
}

function weigh(node: ParentNode | ChildNode): number {
  return node instanceof Element ? 1 + node.querySelectorAll('*').length : 0;
}

/** As it is searched: without the bars of code. */
function textOf(node: ChildNode): string {
  if (!(node instanceof Element) || !node.querySelector('.code-bar')) return node.textContent ?? '';
  return [...node.childNodes]
    .map((child) => (child instanceof Element && child.matches('.code-bar') ? '' : textOf(child)))
    .join('');
}
