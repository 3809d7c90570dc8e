/**
 * Keys in the conversation. Its rows are one Tab stop: the row visited last. Arrow keys move between rows, even undrawn
 * ones; Enter opens a row, or edits a message; Tab visits the row's own controls, and then leaves.
 */

import { isComposing } from '../page/composing.ts';
import type { Panel } from '../page/panel.ts';

/** Elements in a row that the Tab key reaches. */
const STOPS = 'button:not([disabled]), [tabindex="0"], input, textarea, vscode-button, vscode-text-field';
const OPENERS = '.tool-toggle, .compaction-toggle, [aria-expanded]';

/** Of the row that has the focus by a key. */
const SHOWN = 'by-key';

/** The last key was Tab, and no pointer was used since: the focus comes from the keyboard. */
let tabbed = false;

export function noteKey({ key }: KeyboardEvent): void {
  tabbed = key === 'Tab';
}

export function notePointer(): void {
  tabbed = false;
}

/** Makes the Tab key lead to the row focused last. */
export function onFocusIn(panel: Panel, { target, currentTarget, relatedTarget }: FocusEvent): void {
  const { window } = panel.reader;
  const key = window.keyOfElement(target instanceof Element ? target : null);
  const came = tabbed && window.keyOfElement(relatedTarget instanceof Element ? relatedTarget : null) === null;
  const atRows = key !== null || target === currentTarget;
  if (came && atRows && key !== activeKey(panel)) focusActive(panel);
  else if (key !== null) window.active = key;
}

export function onRowKey(panel: Panel, event: KeyboardEvent): void {
  const { window } = panel.reader;
  const { target } = event;
  if (isComposing(event) || event.ctrlKey || event.metaKey || event.altKey || !(target instanceof HTMLElement)) return;
  const key = window.keyOfElement(target);
  const slot = key === null ? null : window.elementOf(key);
  if (event.key === 'Tab') {
    if (slot) leaveByTab(slot, target, event.shiftKey);
    return;
  }
  if (target !== slot && target !== event.currentTarget) return;
  const at = window.indexOf(key ?? activeKey(panel) ?? '') ?? window.extents.count - 1;
  switch (event.key) {
    case 'ArrowDown':
      focusRow(panel, at + (slot ? 1 : 0));
      break;
    case 'ArrowUp':
      focusRow(panel, at - (slot ? 1 : 0));
      break;
    case 'Home':
      focusRow(panel, 0);
      break;
    case 'End':
      focusRow(panel, window.extents.count - 1);
      break;
    case 'Enter':
    case ' ':
      if (!slot) return;
      (slot.querySelector<HTMLElement>(OPENERS) ?? slot.querySelector<HTMLElement>('.edit-message'))?.click();
      break;
    default:
      return;
  }
  event.preventDefault();
}

/**
 * After the last control of a row, and before the row itself, Tab leaves the rows instead of moving to the next one.
 */
function leaveByTab(slot: HTMLElement, target: HTMLElement, back: boolean): void {
  const stops = [...slot.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.checkVisibility());
  const last = stops.at(-1) ?? slot;
  const leaves = back ? target === slot : target === last || (stops.length === 0 && target === slot);
  if (!leaves) return;
  // The key continues from the new focus.
  const conversation = slot.closest<HTMLElement>('.conversation');
  const edge = back ? conversation : conversation?.querySelector<HTMLElement>('.rows-end');
  edge?.focus({ preventScroll: true });
}

/** Before the Tab key has visited a row, the newest one for a reader at the end, else the one at the top edge. */
function activeKey(panel: Panel): string | null {
  const { window, following } = panel.reader;
  if (window.active !== null) return window.active;
  const row = following ? null : panel.reader.topRow();
  const index = row === null ? window.extents.count - 1 : window.indexOfRow(row);
  return index === null ? null : window.keyAt(index);
}

/** Focuses the reader's row. */
export function focusActive(panel: Panel): void {
  const index = panel.reader.window.indexOf(activeKey(panel) ?? '');
  if (index !== null) focusRow(panel, index);
}

function focusRow(panel: Panel, wanted: number): void {
  const { reader } = panel;
  const index = Math.min(Math.max(wanted, 0), reader.window.extents.count - 1);
  const key = reader.window.keyAt(index);
  if (key === null) return;
  reader.reveal(index);
  reader.window.active = key;
  const element = reader.window.elementOf(key);
  element?.focus({ preventScroll: true });
  // The browser shows no ring where the mouse was used last, even if a key of a command led here.
  element?.classList.add(SHOWN);
  element?.addEventListener('blur', () => element.classList.remove(SHOWN), { once: true });
}
