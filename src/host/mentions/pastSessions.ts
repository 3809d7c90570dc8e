/** The other sessions of this workspace, as mentions know them: their titles, and what was said in one. */

import { JournalError } from '../../core/errors.ts';
import { describeSession } from '../../core/mentions/describeSession.ts';
import { words } from '../../core/words.ts';
import type { SessionStore } from '../storage/sessions/sessionStore.ts';
import { type SessionSummary, titleInLine } from '../storage/sessions/sessionSummary.ts';

export class PastSessions {
  readonly #store: SessionStore;
  readonly #current: () => string | undefined;

  constructor(store: SessionStore, current: () => string | undefined) {
    this.#store = store;
    this.#current = current;
  }

  /** Newest first, each title once; without what cannot be read. */
  async titles(signal: AbortSignal): Promise<readonly string[]> {
    return [...new Set((await this.#readable(signal)).map(titleInLine))].filter((title) => title !== '');
  }

  /** Of the newest session with this title. */
  async textOf(title: string, signal: AbortSignal): Promise<string | null> {
    const summary = (await this.#readable(signal)).find((each) => titleInLine(each) === title || each.id === title);
    if (!summary) return null;
    const reason = words('It can only be read here.');
    const folder = this.#store.folderOf(summary.id);
    const readOnly = new JournalError('noPermission', folder, reason);
    const { journal } = await this.#store.open(summary.id, { readOnly, signal });
    try {
      return describeSession(journal.context);
    } finally {
      await journal.close();
    }
  }

  async #readable(signal: AbortSignal): Promise<readonly SessionSummary[]> {
    const current = this.#current();
    return (await this.#store.list(signal)).filter(({ id, problem }) => id !== current && !problem);
  }
}
