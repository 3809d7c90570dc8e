/**
 * The sessions that a person can see: those of this window's folder, including from before it was renamed, moved or
 * opened together with others, and on request those of all folders. A session of another folder opens read-only,
 * because its tools belong to the files there; a person may continue those of an earlier folder here.
 */

import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { JournalError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import type { SessionInfo } from '../../protocol/messages.ts';
import { areKin, isThere } from '../storage/sessions/folderFacts.ts';
import { type FolderFacts, listPointers } from '../storage/sessions/pointerIndex.ts';
import {
  type OpenSession,
  SessionStore,
  type SessionStoreOptions,
  searchSessions,
} from '../storage/sessions/sessionStore.ts';

type SessionScope = 'workspace' | 'all';

/** Characters shown before a hit. */
const BEFORE_HIT = 16;
/** Milliseconds without typing before the journals are read. */
const SETTLE_MS = 120;

interface Place {
  readonly store: SessionStore;
  /** Empty for this window's folder. */
  readonly workspace: string;
  /** Its sessions can continue here: they were started in a folder of this window, or in one that is gone. */
  readonly mayGoOn: boolean;
  /** Other folders of sessions that its windows go on with. */
  readonly adopted: readonly string[];
}

interface SessionPlacesOptions {
  readonly own: SessionStore;
  readonly storeOptions: SessionStoreOptions;
  /** Folders with pointers: the editor's global storage, and the folder that a person chose. */
  readonly roots: readonly string[];
  /** The folders of this window. */
  readonly here: () => readonly FolderFacts[];
}

export class SessionPlaces {
  readonly #options: SessionPlacesOptions;
  #search = new AbortController();

  constructor(options: SessionPlacesOptions) {
    this.#options = options;
  }

  /**
   * Favourites first, then the newest. A newer call ends an older one, which then returns nothing; `cancelled` stops
   * reading and returns the sessions read so far.
   */
  async list(
    query: string,
    scope: SessionScope,
    shown: string | undefined,
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
          const { id, title, time, messages, compacted, favourite, problem } = session;
          const passage = startNear(passages[0]?.text ?? '', query);
          const hit = passages[0]?.seq ?? null;
          const current = id === shown;
          return { id, title, time, messages, compacted, favourite, problem, passage, hit, workspace, current };
        }),
      ),
    );
    if (newer.aborted) return [];
    return found.flat().sort((a, b) => Number(b.favourite) - Number(a.favourite) || b.time - a.time);
  }

  /** Null for a session of this window's folder. */
  async openForeign(id: string, signal: AbortSignal): Promise<OpenSession | null> {
    if (await has(this.#options.own, id)) return null;
    for (const { store, workspace, mayGoOn } of await this.#places('all')) {
      if (workspace === '' || !(await has(store, id))) continue;
      const reason = mayGoOn
        ? words('This session was begun in {0}. You can read it, or continue it in this folder.', workspace)
        : words('This session belongs to {0}. You can read it here; open that folder to continue it.', workspace);
      const kind = mayGoOn ? 'elsewhere' : 'noPermission';
      return store.open(id, { readOnly: new JournalError(kind, store.folderOf(id), reason), signal });
    }
    return null;
  }

  /** The store that has the session; this window's if none has it. */
  async storeOf(id: string): Promise<SessionStore> {
    if (await has(this.#options.own, id)) return this.#options.own;
    for (const { store } of await this.#places('all')) if (await has(store, id)) return store;
    return this.#options.own;
  }

  /** Where a session that can go on here was begun, and the folders of sessions that go on with it; null for any other. */
  async originOf(id: string): Promise<{ readonly workspace: string; readonly folders: readonly string[] } | null> {
    if (await has(this.#options.own, id)) return null;
    for (const { store, workspace, mayGoOn, adopted } of await this.#places('all'))
      if (mayGoOn && workspace !== '' && (await has(store, id)))
        return { workspace, folders: [store.folder, ...adopted] };
    return null;
  }

  /** The stores of all folders, this window's first. */
  async stores(): Promise<SessionStore[]> {
    return (await this.#places('all')).map(({ store }) => store);
  }

  async #places(scope: SessionScope): Promise<Place[]> {
    const { own, storeOptions, roots, here } = this.#options;
    const pointers = new Map((await Promise.all(roots.map(listPointers))).flat().map((each) => [each.folder, each]));
    for (const folder of [storeOptions.folder, ...(storeOptions.adopted?.() ?? [])]) pointers.delete(folder);
    const others = await Promise.all(
      [...pointers.values()].map(async (pointer): Promise<Place & { readonly kin: boolean }> => {
        const { folder, workspace, places, adopted = [] } = pointer;
        const theirs = places ?? (workspace === null ? [] : [{ path: workspace, id: null, origin: null }]);
        const kin = await areKin(theirs, here());
        const isGone =
          theirs.length > 0 && !(await Promise.all(theirs.map(({ path }) => isThere(path)))).includes(true);
        const store = new SessionStore({ ...storeOptions, folder, workspace, adopted: () => [] });
        const mayGoOn = here().length > 0 && (kin || isGone);
        return { store, workspace: workspace ?? basename(folder), kin, mayGoOn, adopted };
      }),
    );
    const seen = scope === 'workspace' ? others.filter(({ kin }) => kin) : others;
    return [{ store: own, workspace: '', mayGoOn: false, adopted: [] }, ...seen];
  }
}

/** A list shows only the start of a passage, so the hit must be near it. */
function startNear(passage: string, query: string): string {
  const at = passage.toLowerCase().indexOf(query.trim().toLowerCase());
  return at > BEFORE_HIT ? `…${passage.slice(at - BEFORE_HIT).toWellFormed()}` : passage;
}

const has = (store: SessionStore, id: string): Promise<boolean> => isThere(store.folderOf(id));
