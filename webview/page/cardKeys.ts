/**
 * Decides when a key counts in a card that asks. Invariant: it counts only when the person had gone to exactly this
 * card before they pressed it: by the key that leads there, by Tab or by a click.
 */

import { isComposing } from './composing.ts';

const MAC = navigator.platform.startsWith('Mac');

/**
 * Leads to the next card that asks, from anywhere on the page. It has no other meaning: neither in a text field nor to an
 * input method, to VS Code or to a system. Nobody presses it for something else at the moment when a card appears. The page
 * takes it itself, because a key that goes through the editor would move the caret while the person types on.
 */
export const CARD_KEY = MAC ? '⌥⌘J' : 'Alt+J';

/** An element with this attribute is a card that asks; the value tells its question from every other. */
const CARD = '[data-asks]';

/** Set while the keys count, so that they are seen to. */
const ENTERED = 'data-entered';

const cardOf = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLElement>(CARD) : null);

const isField = (target: EventTarget | null) =>
  target instanceof Element && target.matches('textarea, input, select, vscode-text-field, [contenteditable]');

const hasModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey;

/** It writes, sends or presses; other keys may go on while they are held, such as Tab and the arrows. */
const isHeldInPlace = ({ key }: KeyboardEvent) => key.length === 1 || key === 'Enter';

/** It begins a text: a letter, also one of AltGr, Option or an input method. A space is for the row or button under it. */
function isWriting(event: KeyboardEvent): boolean {
  const { key, altKey, ctrlKey, metaKey } = event;
  if (isComposing(event) || key === 'Dead') return true;
  const isPlain = !hasModifier(event) || event.getModifierState('AltGraph') || (MAC && altKey && !ctrlKey && !metaKey);
  return key.length === 1 && key !== ' ' && isPlain;
}

const isPaste = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent) =>
  key.toLowerCase() === 'v' && !altKey && (MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey);

/** With Option held, a Mac names the letter that this would write. Other alphabets have none of this name. */
function isCardKey({ key, code, altKey, ctrlKey, shiftKey, metaKey }: KeyboardEvent): boolean {
  const named = key.toLowerCase() === 'j' || (code === 'KeyJ' && !/^[a-z]$/i.test(key));
  return named && altKey && metaKey === MAC && !ctrlKey && !shiftKey;
}

/** The page around the cards. */
interface CardPage {
  readonly root: HTMLElement;
  readonly answered: ReadonlySet<string>;
  readonly composer: { focus(): void };
  readonly popovers: { readonly open: string; close(): void };
  readonly reader: { follow(): void; revealElement(element: Element): void };
}

export class CardKeys {
  readonly #page: CardPage;
  /** The card that the person went to, while they are there. */
  #entered: HTMLElement | null = null;
  /** The last thing pressed was the Tab key. */
  #tabbed = false;
  /** Where the last key went down that is not a repetition. */
  #pressedIn: Element | null = null;

  constructor(page: CardPage) {
    this.#page = page;
    const capture = { capture: true };
    document.addEventListener('keydown', (event) => this.#onKeyDown(event), capture);
    document.addEventListener('pointerdown', (event) => this.#onPointerDown(event), capture);
    document.addEventListener('focusin', ({ target }) => this.#onFocusIn(cardOf(target)), capture);
    document.addEventListener('keydown', (event) => this.#writeOn(event));
    window.addEventListener('blur', () => this.#enter(null));
  }

  /** True when this key, pressed in a card, is for the card. A field in it has its own keys. */
  counts(event: KeyboardEvent): boolean {
    const card = cardOf(event.target);
    return (
      card !== null &&
      card === this.#entered &&
      !event.repeat &&
      !isComposing(event) &&
      !hasModifier(event) &&
      !isField(event.target)
    );
  }

  /** True when a card has the focus, but not a field in it. */
  get isInCard(): boolean {
    const { activeElement } = document;
    return cardOf(activeElement) !== null && !isField(activeElement);
  }

  /** The question of the card that has the focus. */
  get asked(): string | null {
    return cardOf(document.activeElement)?.dataset.asks ?? null;
  }

  #onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    if (isCardKey(event)) {
      // The editor hears of it all the same: it takes an Alt without a letter for a way into its menu.
      event.preventDefault();
      if (!event.repeat) this.#goToCard();
      return;
    }
    const target = event.target instanceof Element ? event.target : null;
    const place = cardOf(target) ?? (isField(target) ? target : null);
    if (!event.repeat) {
      this.#tabbed = event.key === 'Tab';
      this.#pressedIn = place;
    } else if (place !== this.#pressedIn && isHeldInPlace(event)) {
      // A key that is held down acts only where it went down.
      event.preventDefault();
      event.stopPropagation();
    }
  }

  #onPointerDown({ target, button }: PointerEvent): void {
    this.#tabbed = false;
    const card = cardOf(target);
    if (card !== null && button === 0) this.#enter(card);
  }

  /** Everything but Tab, the key and a click moves the focus without the person. */
  #onFocusIn(card: HTMLElement | null): void {
    if (card !== this.#entered) this.#enter(this.#tabbed ? card : null);
  }

  #enter(card: HTMLElement | null): void {
    this.#entered?.removeAttribute(ENTERED);
    this.#entered = card;
    card?.setAttribute(ENTERED, '');
  }

  /** The first card that is open, or the one after the present. Where none is drawn, the newest rows are. */
  #goToCard(): void {
    const { popovers, reader } = this.#page;
    const cards = this.#openCards();
    const here = cardOf(document.activeElement);
    const next = cards[(here === null ? 0 : cards.indexOf(here) + 1) % cards.length];
    if (!next) {
      reader.follow();
      return;
    }
    if (popovers.open !== 'none') popovers.close();
    this.#enter(next);
    next.focus({ preventScroll: true });
    reader.revealElement(next);
  }

  #openCards(): HTMLElement[] {
    const { root, answered } = this.#page;
    return [...root.querySelectorAll<HTMLElement>(CARD)].filter(({ dataset }) => !answered.has(dataset.asks ?? ''));
  }

  /** Gives the message field the focus for a letter or a paste that nothing else takes. */
  #writeOn(event: KeyboardEvent): void {
    const { target, defaultPrevented, repeat } = event;
    if (defaultPrevented || repeat || isField(target) || this.#page.popovers.open !== 'none') return;
    if (isWriting(event) || isPaste(event)) this.#page.composer.focus();
  }
}
