/**
 * The text of a code block. A long one is held in slices of lines, and only those near the reader have colours, so that a
 * block costs what is seen of it. Invariant: the element's text is always the whole code.
 */

import { sanitize } from './sanitize.ts';

/** A part of the panel in a script of its own, which is loaded when it is first needed. */
export class LazyScript<T> {
  readonly #import: () => Promise<T>;
  readonly #without: string;
  #loaded: T | null = null;
  #loading: Promise<void> | undefined;

  /** `without`: what the log says if it cannot be loaded. */
  constructor(load: () => Promise<T>, without: string) {
    this.#import = load;
    this.#without = without;
  }

  /** Runs now, or later when the script is there; never if it cannot be loaded. */
  use(run: (script: T, later: boolean) => void): void {
    if (this.#loaded) {
      run(this.#loaded, false);
      return;
    }
    this.#loading ??= this.#import().then((loaded) => {
      this.#loaded = loaded;
    });
    this.#loading.then(
      () => {
        if (this.#loaded) run(this.#loaded, true);
      },
      (error) => console.warn(this.#without, error),
    );
  }
}

// Named as it lies beside the panel's script.
const colours = new LazyScript(() => import('./colours.js'), 'Palimpsest: code is shown without colours.');

/** Lines of a slice. A shorter block is one text without slices. */
const LINES = 24;

/** In characters. Shorter code has its colours at once, longer code while the page is idle. */
const AT_ONCE = 8_000;

/** Slices that are coloured before anybody knows which of them are seen. */
const FIRST = 4;

export class CodeText {
  readonly element = document.createElement('code');
  #text = document.createTextNode('');
  /** Complete lines of the last slice. */
  #lines = 0;
  #slices: HTMLElement[] = [];

  constructor(text: string) {
    // A script from right to left around it neither turns nor reorders code.
    this.element.dir = 'ltr';
    this.element.append(this.#text);
    this.append(text);
  }

  append(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (this.#lines === LINES) this.#beginSlice();
      const line = text.indexOf('\n', at);
      const end = line < 0 ? text.length : line + 1;
      if (line >= 0) this.#lines++;
      this.#text.appendData(text.slice(at, end));
      at = end;
    }
  }

  #beginSlice(): void {
    if (this.#slices.length === 0) this.#slices.push(wrap(this.#text));
    this.#text = document.createTextNode('');
    this.#slices.push(wrap(this.#text));
    this.element.replaceChildren(...this.#slices);
    this.#lines = 0;
  }

  /** Gives the code its colours. Nothing is appended afterwards. */
  finish(language: string): void {
    this.#text.data = this.#text.data.replace(/\n$/, '');
    const parts = this.#slices.length > 0 ? this.#slices : [this.element];
    const texts = parts.map(({ textContent }) => textContent ?? '');
    if (!language) return;
    colours.use(({ colourSlices, isKnownLanguage }) => {
      if (!isKnownLanguage(language)) return;
      const slices = parts.map((part, n) => new Slice(part, texts[n] ?? ''));
      const coloured = colourSlices(texts, language);
      if (texts.reduce((sum, { length }) => sum + length, 0) <= AT_ONCE) {
        for (const [n, html] of [...coloured].entries()) slices[n]?.take(html, n < FIRST);
      } else colourWhenIdle(slices, coloured);
      if (parts.length > 1) for (const slice of slices) slice.follow();
    });
  }
}

class Slice {
  readonly #element: HTMLElement;
  readonly #text: string;
  #html: string | null = null;
  #near = false;
  #coloured = false;

  constructor(element: HTMLElement, text: string) {
    this.#element = element;
    this.#text = text;
  }

  /** `near`: it is shown as near to the reader until more is known. */
  take(html: string | null, near = this.#near): void {
    this.#html = html;
    this.#near = near;
    this.#show();
  }

  follow(): void {
    followNear(this.#element, (near) => {
      this.#near = near;
      this.#show();
    });
  }

  #show(): void {
    if (this.#near === this.#coloured || this.#html === null) return;
    // New nodes would end a selection in it.
    if (document.getSelection()?.containsNode(this.#element, true)) return;
    this.#coloured = this.#near;
    this.#element.replaceChildren(this.#near ? sanitize(this.#html) : this.#text);
    this.#element.dispatchEvent(new CustomEvent(REDRAWN, { bubbles: true }));
  }
}

/** Told by an element of an answer whose nodes were replaced: marks in its text have to be set again. */
export const REDRAWN = 'palimpsest-redrawn';

function colourWhenIdle(slices: readonly Slice[], colours: Iterator<string | null>): void {
  let at = 0;
  const go = (deadline: IdleDeadline) => {
    do {
      const { done, value } = colours.next();
      if (done) return;
      slices[at++]?.take(value);
    } while (deadline.timeRemaining() > 0);
    requestIdleCallback(go);
  };
  requestIdleCallback(go);
}

function wrap(text: Text): HTMLElement {
  const slice = document.createElement('span');
  slice.className = 'slice';
  slice.append(text);
  return slice;
}

/** Those told whether an element is within sight of the reader. An element that left the page is forgotten. */
const listeners = new WeakMap<Element, (near: boolean) => void>();

let observer: IntersectionObserver | undefined;

/** Calls `onNear` soon, and whenever it changes. */
export function followNear(element: Element, onNear: (near: boolean) => void): void {
  listeners.set(element, onNear);
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting);
    },
    // Early, so that an element is ready when it is scrolled into sight.
    { scrollMargin: '120px' },
  );
  // Observed once more, it tells where it is now.
  observer.unobserve(element);
  observer.observe(element);
}
