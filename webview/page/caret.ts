/**
 * Automatic focus: on a question, otherwise on the composer. It is never taken from a person who is typing, nor from
 * another part of the editor, and no key answers a card that has just appeared while typing.
 */

import type { ToHost } from '../../src/protocol/messages.ts';
import type { Panel } from './panel.ts';

/** Milliseconds before a new card accepts keys. */
const SETTLE = 500;

/** When each card appeared, by its id. */
const shownAt = new Map<string, number>();

/** Called when a question card was drawn. The first time it takes the focus, if nobody is typing. */
export function onCardShown(panel: Panel, id: string, element: Element | undefined): void {
  if (!(element instanceof HTMLElement) || shownAt.has(id)) return;
  shownAt.set(id, performance.now());
  if (!document.hasFocus() || isWriting(panel) || !panel.reader.following) return;
  panel.afterRender(() => {
    // Of several that appear together the first gets the focus.
    if (!document.activeElement?.closest('[data-asks]')) element.focus({ preventScroll: true });
  });
}

/**
 * True when a key is meant for the card: without modifier, not repeated, and not meant for the previous element in its
 * place.
 */
export function isKeyFor(id: string, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return false;
  return isSettled(id);
}

/** True when the card has been visible long enough for a deliberate key. */
export function isSettled(id: string): boolean {
  return performance.now() - (shownAt.get(id) ?? 0) >= SETTLE;
}

/** Answers a question, which then gives up the focus. A second answer has no effect. */
export function answerOnce(panel: Panel, id: string, answer: ToHost): void {
  if (panel.answered.has(id)) return;
  panel.answered.add(id);
  panel.post(answer);
  placeCaret(panel);
}

/** Focuses the next open question, else the composer. Cards carry `data-asks`; answered ones are skipped. */
export function placeCaret(panel: Panel): void {
  const cards = [...panel.root.querySelectorAll<HTMLElement>('[data-asks]')];
  const open = cards.find(({ dataset }) => !panel.answered.has(dataset.asks ?? ''));
  if (open && panel.reader.following) open.focus({ preventScroll: true });
  else panel.composer.focus();
}

/** True when nothing has the focus: its element has left the page, or the page has just been entered. */
export function isCaretLost(): boolean {
  return document.hasFocus() && (document.activeElement === null || document.activeElement === document.body);
}

/** True when the focused field contains text, or something editable is open. */
function isWriting({ popovers, renaming }: Panel): boolean {
  const { value } = (document.activeElement ?? {}) as { readonly value?: unknown };
  return popovers.open !== 'none' || renaming !== null || (typeof value === 'string' && value !== '');
}
