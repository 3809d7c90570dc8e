/**
 * The sessions a person can see: those of this window's folder, and on request those of all folders.
 * A session of another folder opens for reading, because its tools belong to the files there.
 */

import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { JournalError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import type { SessionInfo } from '../../protocol/messages.ts';
import { listPointers } from '../storage/sessions/pointerIndex.ts';
import { searchSessions } from '../storage/sessions/searchSessions.ts';
import { type OpenSession, SessionStore, type SessionStoreOptions } from '../storage/sessions/sessionStore.ts';

export type SessionScope = 'workspace' | 'all';

/** Characters shown before a hit. */
const BEFORE_HIT = 16;
/** Milliseconds without typing before the journals are read. */
const SETTLE_MS = 120;

interface Place {
  readonly store: SessionStore;
  /** Empty for this window's folder. */
  readonly workspace: string;
}

export interface SessionPlacesOptions {
  readonly own: SessionStore;
  readonly storeOptions: SessionStoreOptions;
  readonly globalStorage: string;
}

export class SessionPlaces {
  readonly #options: SessionPlacesOptions;
  #search = new AbortController();

  constructor(options: SessionPlacesOptions) {
    this.#options = options;
  }

  /**
   * Favourites first, then the newest. A newer call ends an older one, which then returns nothing; `cancelled` ends the
   * reading, and then what was read is returned.
   */
  async list(
    query: string,
    scope: SessionScope,
    current: string | undefined,
    cancelled: AbortSignal,
  ): Promise<SessionInfo[]> {
    this.#search.abort();
    this.#search = new AbortController();
    const newer = this.#search.signal;
    if (query.trim() !== '') await delay(SETTLE_MS);
    if (newer.aborted) return [];
    const signal = AbortSignal.any([newer, cancelled]);
    const places = await this.#places(scope);
    const found = await Promise.all(
      places.map(async ({ store, workspace }) =>
        (await searchSessions(store, query, signal)).map(({ session, passages }): SessionInfo => {
          const { id, title, time, messages, favourite, problem } = session;
          const passage = startNear(passages[0]?.text ?? '', query);
          const hit = passages[0]?.seq ?? null;
          return { id, title, time, messages, favourite, problem, passage, hit, workspace, current: id === current };
        }),
      ),
    );
    if (newer.aborted) return [];
    return found.flat().sort((a, b) => Number(b.favourite) - Number(a.favourite) || b.time - a.time);
  }

  /** Null for a session of this window's folder. */
  async openForeign(id: string, signal: AbortSignal): Promise<OpenSession | null> {
    if (await has(this.#options.own, id)) return null;
    for (const { store, workspace } of await this.#places('all')) {
      if (workspace === '' || !(await has(store, id))) continue;
      const reason = words(
        'This session belongs to {0}. You can read it here; open that folder to continue it.',
        workspace,
      );
      return store.open(id, { readOnly: new JournalError('noPermission', store.folderOf(id), reason), signal });
    }
    return null;
  }

  /** The store that has the session; this window's if none has it. */
  async storeOf(id: string): Promise<SessionStore> {
    if (await has(this.#options.own, id)) return this.#options.own;
    for (const { store } of await this.#places('all')) if (await has(store, id)) return store;
    return this.#options.own;
  }

  /** The stores of all folders, this window's first. */
  async stores(): Promise<SessionStore[]> {
    return (await this.#places('all')).map(({ store }) => store);
  }

  async #places(scope: SessionScope): Promise<Place[]> {
    const { own, storeOptions, globalStorage } = this.#options;
    const here = { store: own, workspace: '' };
    if (scope === 'workspace') return [here];
    const pointers = await listPointers(globalStorage);
    const others = pointers
      .filter(({ folder }) => folder !== storeOptions.folder)
      .map(({ folder, workspace }) => ({
        store: new SessionStore({ ...storeOptions, folder, workspace }),
        workspace: workspace ?? basename(folder),
      }));
    return [here, ...others];
  }
}

/** A list shows only the start of a passage, so the hit must be near it. */
function startNear(passage: string, query: string): string {
  const at = passage.toLowerCase().indexOf(query.trim().toLowerCase());
  return at > BEFORE_HIT ? `…${passage.slice(at - BEFORE_HIT).toWellFormed()}` : passage;
}

function has(store: SessionStore, id: string): Promise<boolean> {
  return access(store.folderOf(id)).then(
    () => true,
    () => false,
  );
}
