/** Which list or overlay is open over the page, and what was typed and chosen in it. */

import type { SessionInfo } from '../../src/protocol/messages.ts';
import type { Panel } from './panel.ts';

export type Popover = 'none' | 'meter' | 'strategy' | 'model' | 'mode' | 'history' | 'help';

export class Popovers {
  readonly #panel: Panel;
  open: Popover = 'none';
  /** Typed into the filter of the open list. */
  filter = '';
  /** Whether the open list also shows the choices it first leaves out. */
  more = false;
  /** Null until the host has listed them. */
  sessions: readonly SessionInfo[] | null = null;
  /** The sessions that the history lists. */
  scope: 'workspace' | 'all' = 'workspace';

  constructor(panel: Panel) {
    this.#panel = panel;
  }

  /** Opens a popover, or closes it if it is the open one, and moves the focus into it or back to the composer. */
  show(popover: Popover): void {
    this.open = this.open === popover ? 'none' : popover;
    this.filter = '';
    this.more = false;
    if (this.open === 'history') this.listSessions();
    const opened = this.open;
    this.#panel.afterRender(() => {
      const { root, composer } = this.#panel;
      if (opened === 'none') composer.focus();
      else
        (
          root.querySelector<HTMLElement>('.popover [data-first]') ??
          root.querySelector<HTMLElement>('.popover button:not(:disabled)')
        )?.focus();
    });
  }

  /** Closes without moving the focus: something else was clicked. */
  close(): void {
    this.open = 'none';
    this.filter = '';
    this.#panel.invalidate();
  }

  /** Asks for the sessions that match the history's filter and scope. */
  listSessions(): void {
    this.#panel.post({ type: 'listSessions', query: this.filter.slice(0, 1_000), scope: this.scope });
  }
}
