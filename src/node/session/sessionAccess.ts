/**
 * Opens sessions in this window: as their only writer while it holds the lock, otherwise read-only. Reports when
 * another window asks for a session or has taken it over.
 */

import { join } from 'node:path';
import type { SubagentStore } from '../../core/agent/parts/subagents.ts';
import { JournalError, messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { isThere } from '../storage/sessions/folderFacts.ts';
import {
  type LockOutcome,
  lockSession,
  refusalOf,
  type SessionLock,
  takeOver,
} from '../storage/sessions/sessionLock.ts';
import { JOURNAL, type OpenSession, type SessionStore } from '../storage/sessions/sessionStore.ts';
import { touchOpened } from '../storage/sessions/sweepBlobs.ts';

/** `read`: without asking for the lock. `takeOver`: takes the lock from any other window, on a person's request. */
export type AccessMode = 'own' | 'takeOver' | 'read';

export interface HeldSession extends OpenSession {
  /** Token of this window's lock; null when read-only. */
  readonly writer: string | null;
  /** Stores the sessions of its subagents, under the same lock. Omitted for a read-only session. */
  readonly subagents?: SubagentStore;
  /** Releases the lock. Close the journal first. */
  release(): Promise<void>;
}

/** Has a session open in this window, and is notified of other windows that want it. */
interface SessionOwner {
  /** Another window asks for the session: returns true when it was given up here. */
  giveUp(id: string): Promise<boolean>;
  /** Another window took it over. */
  lose(id: string): Promise<void>;
}

/** Milliseconds between two checks that the lock is still held. */
const LOOK_MS = 500;

export class SessionAccess {
  readonly #store: SessionStore;
  readonly #onUsed: () => Promise<void>;
  readonly #log: Log;
  #owner: SessionOwner | null = null;

  /** `onUsed` is called before a session is written or read. */
  constructor(store: SessionStore, onUsed: () => Promise<void>, log: Log) {
    this.#store = store;
    this.#onUsed = onUsed;
    this.#log = log;
  }

  /** Notifies `owner` of other windows' requests from now on. Until then nothing is given up. */
  report(owner: SessionOwner): void {
    this.#owner = owner;
  }

  /** A new session, owned by this window. */
  async create(): Promise<HeldSession> {
    await this.#onUsed();
    let lock: SessionLock | null = null;
    const session = await this.#store.create({}, { guard: async () => (await lock?.guard()) ?? null });
    const outcome = await lockSession(this.#lockOptions(session.id));
    if (outcome.kind === 'held') throw outcome.error;
    lock = outcome.lock;
    return this.#hold(session, lock);
  }

  /**
   * As its writer if possible, otherwise read-only: `journal.readOnly` gives the reason. After an abort nothing is open
   * or locked.
   */
  async open(id: string, mode: AccessMode, signal: AbortSignal): Promise<HeldSession> {
    const store = this.#store;
    const folder = store.folderOf(id);
    // A lock must not create a folder for a session that does not exist.
    const exists = await isThere(join(folder, JOURNAL));
    if (exists) await this.#onUsed();
    if (mode === 'read' || !exists)
      return free(await store.open(id, { readOnly: await refusalOf(this.#lockOptions(id)), signal }));
    const outcome = await this.#lock(id, mode);
    if (outcome.kind === 'held') return free(await store.open(id, { readOnly: outcome.error, signal }));
    const { lock } = outcome;
    try {
      await this.#touch(folder);
      return this.#hold(await store.open(id, { guard: () => lock.guard(), signal }), lock);
    } catch (thrown) {
      await lock.release();
      throw thrown;
    }
  }

  /** Where no lock can be written, for example on a full disk, the session can still be read. */
  async #lock(id: string, mode: 'own' | 'takeOver'): Promise<LockOutcome> {
    const options = this.#lockOptions(id);
    try {
      return mode === 'takeOver' ? { kind: 'owned', lock: await takeOver(options) } : await lockSession(options);
    } catch (thrown) {
      if (!(thrown instanceof JournalError)) throw thrown;
      return { kind: 'held', answered: false, error: thrown };
    }
  }

  /** This only prolongs the life of full outputs, so a failure must not keep the session closed. */
  async #touch(folder: string): Promise<void> {
    try {
      await touchOpened(folder, Date.now());
    } catch (thrown) {
      this.#log('warn', messageOf(thrown));
    }
  }

  #lockOptions(id: string) {
    return { folder: this.#store.folderOf(id), onWanted: async () => (await this.#owner?.giveUp(id)) ?? false };
  }

  #hold(session: OpenSession, lock: SessionLock): HeldSession {
    const log = this.#log;
    const check = async () => {
      try {
        if ((await lock.check()) === null) return;
        clearInterval(timer);
        this.#owner?.lose(session.id).catch((thrown: unknown) => log('error', messageOf(thrown)));
      } catch (thrown) {
        log('warn', `The lock of session ${session.id} cannot be read: ${messageOf(thrown)}`);
      }
    };
    const timer = setInterval(() => void check(), LOOK_MS);
    timer.unref();
    const release = async () => {
      clearInterval(timer);
      await lock.release();
    };
    const subagents: SubagentStore = {
      create: (parentEntry) =>
        this.#store.subagentsOf(session.id).create({ parentEntry }, { guard: () => lock.guard() }),
    };
    return { ...session, writer: lock.token, subagents, release };
  }
}

/** Wraps a read-only session. */
export function free(session: OpenSession): HeldSession {
  return { ...session, writer: null, release: async () => {} };
}
