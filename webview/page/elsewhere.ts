/** Sessions of other programs that the host found for this folder. Nothing is looked for before the person asks. */

import { t } from '@vscode/l10n';
import { formatCount } from '../../src/core/figures.ts';
import type { ToHost, ToPanel } from '../../src/protocol/messages.ts';

type Found = Extract<ToPanel, { type: 'sessionsHere' }>;

interface OfferedOn {
  readonly root: HTMLElement;
  post(message: ToHost): void;
  announce(text: string): void;
  invalidate(): void;
  afterRender(action: () => void): void;
}

export class Elsewhere {
  readonly #page: OfferedOn;
  /** Null until they were looked for. */
  found: Found | null = null;
  looking = false;
  /** False while only the newest are on the page. */
  all = false;

  constructor(page: OfferedOn) {
    this.#page = page;
  }

  look(): void {
    if (this.looking) return;
    this.forget();
    this.looking = true;
    // The button that was pressed may make place for the one that looks.
    this.#page.afterRender(() => this.#page.root.querySelector<HTMLElement>('.elsewhere-offer')?.focus());
    this.#page.post({ type: 'findSessionsHere' });
  }

  take(found: Found): void {
    const { root } = this.#page;
    this.looking = false;
    this.found = found;
    const { length } = found.sessions;
    this.#page.announce(
      length === 0
        ? t('No session of another program was found.')
        : t('Sessions of other programs: {0}', formatCount(length)),
    );
    // The focus is still on the button that was pressed.
    const waits = document.activeElement?.matches('.elsewhere-offer') === true;
    this.#page.afterRender(() => {
      if (waits) root.querySelector<HTMLElement>('.elsewhere button')?.focus();
    });
  }

  showAll(): void {
    const { root } = this.#page;
    const shown = root.querySelectorAll('.elsewhere .session-open').length;
    this.all = true;
    this.#page.afterRender(() => root.querySelectorAll<HTMLElement>('.elsewhere .session-open')[shown]?.focus());
  }

  /** Another session is shown. */
  forget(): void {
    this.found = null;
    this.looking = false;
    this.all = false;
  }
}
