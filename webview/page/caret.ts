/**
 * Where the focus goes by itself: to what asks something, else to where one types. It is never taken from somebody who
 * writes, nor from another part of the editor, and no key answers a card that has just appeared under a typing hand.
 */

import type { Panel } from './panel.ts';

/** Milliseconds before a new card takes keys. */
const SETTLE = 500;

/** When each card appeared, by its id. */
const shownAt = new Map<string, number>();

/** A card that asks something was drawn. The first time it takes the focus, where nobody is writing. */
export function onCardShown(panel: Panel, id: string, element: Element | undefined): void {
  if (!(element instanceof HTMLElement) || shownAt.has(id)) return;
  shownAt.set(id, performance.now());
  if (!document.hasFocus() || isWriting(panel) || !panel.reader.following) return;
  panel.afterRender(() => {
    // Of several that appear together the first is answered first.
    if (!document.activeElement?.closest('[data-asks]')) element.focus({ preventScroll: true });
  });
}

/** Whether a key means the card: not one with a modifier, one that is held, or one that was meant for what stood here before. */
export function isKeyFor(id: string, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return false;
  return isSettled(id);
}

/** The card has been there long enough to be meant. */
export function isSettled(id: string): boolean {
  return performance.now() - (shownAt.get(id) ?? 0) >= SETTLE;
}

/** Focuses the next open question, else the composer. Cards carry `data-asks`; answered ones are skipped. */
export function placeCaret(panel: Panel): void {
  const cards = [...panel.root.querySelectorAll<HTMLElement>('[data-asks]')];
  const open = cards.find(({ dataset }) => !panel.answered.has(dataset.asks ?? ''));
  if (open && panel.reader.following) open.focus({ preventScroll: true });
  else panel.composer.focus();
}

/** Nothing has the focus: what was there has left the page, or the page has just been entered. */
export function isCaretLost(): boolean {
  return document.hasFocus() && (document.activeElement === null || document.activeElement === document.body);
}

/** There is text in the field that has the focus, or something is open that does. */
function isWriting({ popovers, renaming }: Panel): boolean {
  const { value } = (document.activeElement ?? {}) as { readonly value?: unknown };
  return popovers.open !== 'none' || renaming !== null || (typeof value === 'string' && value !== '');
}
