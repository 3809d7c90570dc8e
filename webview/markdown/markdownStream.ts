/**
 * An element that grows with a growing Markdown text. Closed blocks are rendered once; a chunk costs only the open
 * tail: of a list its newest items, and inside a code fence only the chunk itself.
 */

import type { Token, Tokens } from 'marked';
import { asContinued, closesFence, findOpenFence, fitsList, isCode, settleItems, splitBlocks } from './blocks.ts';
import type { CodeText } from './codeText.ts';
import { codeBlock, renderSafely } from './renderBlock.ts';
import { Slices, sliceInside, WHOLE_BLOCK } from './slices.ts';

interface Fence {
  readonly marker: string;
  readonly language: string;
  readonly code: CodeText;
  /** The last line so far, without line break, and the length already shown. */
  line: string;
  shown: number;
}

/** The first items of the list that the tail continues. */
interface GrowingList {
  token: Tokens.List;
  readonly element: Element;
  /** The element with the line break after it. */
  readonly nodes: readonly ChildNode[];
  readonly slices: Slices;
}

export class MarkdownStream {
  readonly element: HTMLElement;
  #tail = '';
  #open: Node[] = [];
  readonly #slices = new Slices();
  #fence: Fence | null = null;
  #list: GrowingList | null = null;
  /** The block of code that was closed last: it is finished once something follows it. */
  #closedFence: Element | null = null;
  #length = 0;
  #defines = false;

  constructor() {
    this.element = document.createElement('div');
    this.element.className = 'markdown';
  }

  static of(text: string): MarkdownStream {
    const stream = new MarkdownStream();
    stream.append(text);
    return stream;
  }

  /** Number of characters so far. */
  get length(): number {
    return this.#length;
  }

  /** True when a later link definition would have changed cached blocks. */
  get stale(): boolean {
    return this.#defines;
  }

  append(text: string): void {
    this.#length += text.length;
    const clean = text.replaceAll('\r', '');
    if (this.#fence) this.#growFence(this.#fence, clean);
    else {
      this.#tail += clean;
      this.#renderTail();
    }
  }

  #renderTail(): void {
    const { closed, open, tail, defines } = splitBlocks(this.#tail);
    this.#defines ||= defines;
    for (const node of this.#open) node.parentNode?.removeChild(node);
    this.#open = [];
    const first = closed[0] ?? open;
    if (this.#list && first && !fitsList(this.#list.token, first)) {
      this.#readListAgain(this.#list);
      return;
    }
    for (const token of closed) {
      const list = this.#list;
      const nodes = this.#add(token);
      list?.slices.add(nodes);
      this.#finish(list ? list.nodes : nodes);
      this.#list = null;
    }
    this.#tail = tail;
    if (!open) return;
    const fence = isCode(open) ? findOpenFence(tail) : null;
    if (fence) {
      const block = codeBlock(fence.language, '', fence.info);
      this.element.append(block.element);
      this.#tail = '';
      this.#fence = { ...fence, ...block, line: '', shown: 0 };
      this.#growFence(this.#fence, fence.code);
      return;
    }
    this.#open = this.#add(this.#settle(open));
  }

  /** Keeps items that no longer change, and returns the open rest. */
  #settle(open: Token): Token {
    const settled = settleItems(open, this.#tail);
    if (!settled) return open;
    const { items, rest, tail } = settled;
    const nodes = this.#add(items, true);
    const element = nodes.find((node) => node instanceof Element);
    if (this.#list) {
      this.#list.token = { ...this.#list.token, raw: this.#list.token.raw + items.raw };
      this.#list.slices.add(nodes);
    } else if (element) {
      this.#list = { token: items, element, nodes, slices: new Slices(WHOLE_BLOCK) };
      this.#list.slices.add([...element.childNodes]);
    }
    this.#tail = tail;
    return rest;
  }

  /** An item that makes its list loose changes the items before it. */
  #readListAgain({ token, nodes }: GrowingList): void {
    for (const node of nodes) node.remove();
    this.#list = null;
    this.#tail = token.raw + this.#tail;
    this.#renderTail();
  }

  /** Appends a block, or the items of a growing list to that list. `grows`: further items follow. */
  #add(token: Token, grows = false): ChildNode[] {
    if (this.#closedFence) this.#finish([this.#closedFence]);
    this.#closedFence = null;
    const list = this.#list;
    const fragment = renderSafely(list ? asContinued(list.token, token) : token);
    sliceInside(fragment, list || grows ? fragment.firstElementChild : null);
    // The line break before the first item exists already.
    const nodes = list ? [...(fragment.firstElementChild?.childNodes ?? [])].slice(1) : [...fragment.childNodes];
    (list?.element ?? this.element).append(...nodes);
    return nodes;
  }

  #growFence(fence: Fence, added: string): void {
    const lines = (fence.line + added).split('\n');
    const last = lines.pop() ?? '';
    for (const [index, line] of lines.entries()) {
      if (closesFence(line, fence.marker)) {
        fence.code.finish(fence.language);
        this.#closedFence = fence.code.element.closest('.code');
        this.#fence = null;
        this.#tail = [...lines.slice(index + 1), last].join('\n');
        this.#renderTail();
        return;
      }
      fence.code.append(`${line.slice(fence.shown)}\n`);
      fence.shown = 0;
    }
    fence.line = last;
    // A possible closing fence is held back until the next characters decide.
    if (/^ {0,3}[`~]*$/.test(last)) return;
    fence.code.append(last.slice(fence.shown));
    fence.shown = last.length;
  }

  /** No later text changes these blocks, so that the page may leave them aside while they are out of sight. */
  #finish(nodes: readonly ChildNode[]): void {
    for (const node of nodes) if (node instanceof Element) node.classList.add('finished');
    this.#slices.add(nodes);
  }
}
