/**
 * A growing Markdown text as an element that grows with it. Closed blocks are rendered once; a chunk costs only the
 * open tail, and inside of a code fence only the chunk itself.
 */

import { closesFence, findOpenFence, isCode, splitBlocks } from './blocks.ts';
import { highlightCode } from './highlight.ts';
import { codeBlock, renderBlock } from './renderBlock.ts';

interface Fence {
  readonly marker: string;
  readonly language: string;
  readonly code: HTMLElement;
  readonly text: Text;
  /** The last line so far, without break, and how much of it is shown. */
  line: string;
  shown: number;
}

export class MarkdownStream {
  readonly element: HTMLElement;
  #tail = '';
  #open: Node[] = [];
  #fence: Fence | null = null;
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

  /** Characters taken so far. */
  get length(): number {
    return this.#length;
  }

  /** True when blocks were cached that a later link definition would have changed. */
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
    for (const token of closed) this.element.append(renderBlock(token));
    this.#tail = tail;
    if (!open) return;
    const fence = isCode(open) ? findOpenFence(tail) : null;
    if (fence) {
      const block = codeBlock(fence.language, '');
      this.element.append(block.element);
      this.#tail = '';
      this.#fence = { ...fence, ...block, line: '', shown: 0 };
      this.#growFence(this.#fence, fence.code);
      return;
    }
    const fragment = renderBlock(open);
    this.#open = [...fragment.childNodes];
    this.element.append(fragment);
  }

  #growFence(fence: Fence, added: string): void {
    const lines = (fence.line + added).split('\n');
    const last = lines.pop() ?? '';
    for (const [index, line] of lines.entries()) {
      if (closesFence(line, fence.marker)) {
        fence.text.data = fence.text.data.replace(/\n$/, '');
        highlightCode(fence.code, fence.language);
        this.#fence = null;
        this.#tail = [...lines.slice(index + 1), last].join('\n');
        this.#renderTail();
        return;
      }
      fence.text.appendData(`${line.slice(fence.shown)}\n`);
      fence.shown = 0;
    }
    fence.line = last;
    // A line that may become the closing fence is held back until it is told apart.
    if (/^ {0,3}[`~]*$/.test(last)) return;
    fence.text.appendData(last.slice(fence.shown));
    fence.shown = last.length;
  }
}
