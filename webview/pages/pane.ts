/**
 * A drawn page: the host's description, the open sections, and the connection to the host. The editor may discard a
 * hidden tab, so the open sections and the scroll position are stored with the tab.
 */

import { render, type TemplateResult } from 'lit';
import { decodeToPage, type FromPage, type Page, type PageBlock } from '../../src/protocol/pages.ts';

type PageInput = Extract<PageBlock, { kind: 'input' }>;

/** From the last key to the message to the host. */
const PAUSE_MS = 250;

interface Kept {
  /** Sections that differ from their initial state. */
  readonly turned: readonly string[];
  readonly top: number;
  /** The selected one of several pages. The host learns it when the editor restores the tab after a reload. */
  readonly tab?: string | undefined;
}

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

export class Pane {
  readonly #root: HTMLElement;
  readonly #view: (pane: Pane, page: Page) => TemplateResult;
  readonly #editor = acquireVsCodeApi();
  readonly #turned: Set<string>;
  readonly #typed = new Map<string, { readonly version: number; readonly text: string }>();
  readonly #unsaid = new Map<string, string>();
  #pause = 0;
  #page: Page | null = null;
  #frame = 0;
  /** The scroll position before the tab was hidden; used once. */
  #returnTo: number;

  constructor(root: HTMLElement, view: (pane: Pane, page: Page) => TemplateResult) {
    this.#root = root;
    this.#view = view;
    const { turned, top } = readKept(this.#editor.getState());
    this.#turned = new Set(turned);
    this.#returnTo = top;
    window.addEventListener('message', (event: MessageEvent<unknown>) => this.#take(event.data));
    window.addEventListener('pagehide', () => {
      this.sendTyped();
      this.#keep();
    });
    root.addEventListener('scroll', () => this.#keep(), { capture: true, passive: true });
    this.#post({ type: 'ready' });
  }

  choose(row: string, option: string): void {
    this.#post({ type: 'choose', row, option });
  }

  /** The text of an input: the person's own, as long as it belongs to this version of the page. */
  typed({ id, version, text }: PageInput): string {
    const typed = this.#typed.get(id);
    return typed?.version === version ? typed.text : text;
  }

  /** The host is notified once the person pauses. */
  type({ id, version }: PageInput, text: string): void {
    this.#typed.set(id, { version, text });
    this.#unsaid.set(id, text);
    clearTimeout(this.#pause);
    this.#pause = window.setTimeout(() => this.sendTyped(), PAUSE_MS);
  }

  sendTyped(): void {
    clearTimeout(this.#pause);
    for (const [id, text] of this.#unsaid) this.#post({ type: 'write', id, text });
    this.#unsaid.clear();
  }

  act(id: string): void {
    // Text typed before a button was pressed reaches the host first.
    this.sendTyped();
    this.#post({ type: 'act', id });
  }

  /** Sends the value of a field at once. */
  write(id: string, text: string): void {
    this.#post({ type: 'write', id, text });
  }

  showTab(id: string): void {
    if (id === this.#page?.tabs?.chosen) return;
    this.sendTyped();
    this.#post({ type: 'tab', id });
  }

  openText(): void {
    this.#post({ type: 'text' });
  }

  isOpen(id: string, begins: boolean): boolean {
    return begins !== this.#turned.has(id);
  }

  turn(id: string, begins: boolean, open: boolean): void {
    if (this.isOpen(id, begins) === open) return;
    if (!this.#turned.delete(id)) this.#turned.add(id);
    this.#keep();
    this.#invalidate();
  }

  #take(value: unknown): void {
    const decoded = decodeToPage(value);
    if (decoded.kind === 'refused') {
      console.error(`Palimpsest: a message from the extension does not fit. ${decoded.reason}`);
      return;
    }
    const message = decoded.value;
    if (message.type === 'page') {
      const before = this.#page?.tabs?.chosen;
      this.#page = message.page;
      // Another page is shown from its beginning.
      if (before !== undefined && before !== message.page.tabs?.chosen) this.#scrolled()?.scrollTo(0, 0);
      this.#keep();
    } else if (this.#page) {
      const blocks = [...this.#page.blocks];
      for (const { at, block } of message.blocks) blocks[at] = block;
      this.#page = { ...this.#page, title: message.title, subtitle: message.subtitle, blocks };
    }
    this.#invalidate();
  }

  #invalidate(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.#page) return;
      const focused = this.#root.contains(document.activeElement);
      render(this.#view(this, this.#page), this.#root);
      const scrolled = this.#scrolled();
      // The pressed button is gone: keep the keyboard on the page.
      if (focused && !this.#root.contains(document.activeElement)) scrolled?.focus({ preventScroll: true });
      if (scrolled && this.#returnTo > 0) scrolled.scrollTop = this.#returnTo;
      this.#returnTo = 0;
    });
  }

  #scrolled(): HTMLElement | null {
    return this.#root.querySelector('.report');
  }

  #keep(): void {
    const top = this.#scrolled()?.scrollTop ?? this.#returnTo;
    const kept: Kept = { turned: [...this.#turned], top, tab: this.#page?.tabs?.chosen };
    this.#editor.setState(kept);
  }

  #post(message: FromPage): void {
    this.#editor.postMessage(message);
  }
}

/** An older version of the page may have stored it. */
function readKept(value: unknown): Kept {
  const { turned, top } = (value ?? {}) as { readonly turned?: unknown; readonly top?: unknown };
  return {
    turned: Array.isArray(turned) ? turned.map(String) : [],
    top: typeof top === 'number' ? top : 0,
  };
}
