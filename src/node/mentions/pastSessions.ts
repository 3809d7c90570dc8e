/** The other sessions of this workspace for mentions: their titles, and the text of one. */

import { JournalError } from '../../core/errors.ts';
import { describeSession } from '../../core/mentions/describeSession.ts';
import { words } from '../../core/words.ts';
import type { SessionStore } from '../storage/sessions/sessionStore.ts';
import { type SessionSummary, titleInLine } from '../storage/sessions/sessionSummary.ts';

export class PastSessions {
  readonly #store: SessionStore;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** Newest first, without duplicates, unreadable sessions, or the `current` one. */
  async titles(current: string | undefined, signal: AbortSignal): Promise<readonly string[]> {
    return [...new Set((await this.#readable(current, signal)).map(titleInLine))].filter((title) => title !== '');
  }

  /** Text of the newest session with this title, which is not the `current` one. */
  async textOf(title: string, current: string | undefined, signal: AbortSignal): Promise<string | null> {
    const found = await this.#readable(current, signal);
    const summary = found.find((each) => titleInLine(each) === title || each.id === title);
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

  async #readable(current: string | undefined, signal: AbortSignal): Promise<readonly SessionSummary[]> {
    return (await this.#store.list(signal)).filter(({ id, problem }) => id !== current && !problem);
  }
}
