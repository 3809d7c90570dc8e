/** Leads to a row that the person's own act made: in view, and with the focus, unless they went on to something else. */

import type { Reader } from './reader.ts';

interface LedPage {
  readonly reader: Pick<Reader, 'reveal' | 'window'>;
  /** The person is writing, choosing or answering, and keys count there. */
  readonly isBusy: boolean;
  afterRender(action: () => void): void;
}

/** Milliseconds in which the page gets the focus after it was requested. */
const FOCUS_WITHIN = 1_000;

/** The row has been told to the page. */
export function leadTo(page: LedPage, rowId: string): void {
  const { reader } = page;
  page.afterRender(() => {
    const index = reader.window.indexOfRow(rowId);
    const key = index === null ? null : reader.window.keyAt(index);
    if (index === null || key === null) return;
    reader.reveal(index);
    reader.window.active = key;
    const focus = () => {
      if (!page.isBusy) reader.window.elementOf(key)?.focus({ preventScroll: true });
    };
    page.afterRender(() => {
      if (document.hasFocus()) focus();
      else window.addEventListener('focus', focus, { once: true, signal: AbortSignal.timeout(FOCUS_WITHIN) });
    });
  });
}
