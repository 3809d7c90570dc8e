/** The open list or overlay, with its filter and selection. */

import type { SessionInfo, ToHost } from '../../src/protocol/messages.ts';

export type Popover = 'none' | 'meter' | 'strategy' | 'model' | 'mode' | 'history' | 'help';

/** The page under the open list. */
interface CoveredPage {
  readonly root: HTMLElement;
  readonly composer: { focus(): void };
  post(message: ToHost): void;
  invalidate(): void;
  afterRender(action: () => void): void;
}

export class Popovers {
  readonly #page: CoveredPage;
  open: Popover = 'none';
  /** Text in the filter of the open list. */
  filter = '';
  /** True when the open list also shows the choices under *More*. */
  more = false;
  /** Null until the host has listed them. */
  sessions: readonly SessionInfo[] | null = null;
  /** The query that they match. */
  #listed = '';
  /** Opens the first session as soon as those of the present query are known. */
  #opensFirst = false;
  /** The scope of the history. */
  scope: 'workspace' | 'all' = 'workspace';

  constructor(page: CoveredPage) {
    this.#page = page;
  }

  /** Opens a popover, or closes it if it is open, and moves the focus into it or back to the composer. */
  show(popover: Popover): void {
    this.open = this.open === popover ? 'none' : popover;
    this.filter = '';
    this.more = false;
    if (this.open === 'history') this.listSessions();
    const opened = this.open;
    this.#page.afterRender(() => {
      const { root, composer } = this.#page;
      if (opened === 'none') composer.focus();
      else
        (
          root.querySelector<HTMLElement>('.popover [data-first]') ??
          root.querySelector<HTMLElement>('.popover button:not(:disabled)')
        )?.focus();
    });
  }

  /** Closes it and sends a request: the rest happens elsewhere. */
  leave(request: ToHost): void {
    this.show('none');
    this.#page.post(request);
  }

  /** Closes without moving the focus: something else was clicked. */
  close(): void {
    this.open = 'none';
    this.filter = '';
    this.#page.invalidate();
  }

  get #query(): string {
    return this.filter.slice(0, 1_000);
  }

  /** Requests the sessions that match the history's filter and scope. */
  listSessions(): void {
    this.#opensFirst = false;
    this.#page.post({ type: 'listSessions', query: this.#query, scope: this.scope });
  }

  takeSessions(query: string, sessions: readonly SessionInfo[]): void {
    this.sessions = sessions;
    this.#listed = query;
    if (this.#opensFirst) this.openFirst();
  }

  /** Opens the first of the sessions that match what is typed, which the host may still be looking for. */
  openFirst(): void {
    const [first] = this.sessions ?? [];
    this.#opensFirst = this.open === 'history' && this.#listed !== this.#query;
    if (this.open === 'history' && !this.#opensFirst && first) this.openSession(first);
  }

  /** At the search hit, if there is one. */
  openSession({ id, hit }: SessionInfo): void {
    const text = this.#query.trim();
    const at = hit === null || text === '' ? {} : { hit: { entry: hit, text } };
    this.leave({ type: 'openSession', sessionId: id, ...at });
  }
}
