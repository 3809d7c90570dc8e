/**
 * The sessions of one workspace: a folder each, `<folder>/<id>/journal.jsonl` with its `blobs/` next to it. Whatever writes
 * a session has its lock, and nothing that only reads needs it. Listing reads a cached summary and only the bytes appended
 * since; searching reads the journals. A deleted session is moved to the trash, never erased.
 */

import { existsSync } from 'node:fs';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../core/clock.ts';
import type { Message } from '../../../core/context/message.ts';
import type { Crypto } from '../../../core/crypto.ts';
import { isAbort, type JournalError } from '../../../core/errors.ts';
import type { BlobStore } from '../../../core/journal/blobStore.ts';
import { FORMAT_VERSION, type SessionEntry } from '../../../core/journal/entry.ts';
import { Journal } from '../../../core/journal/journal.ts';
import { FileBlobStore } from '../disk/fileBlobStore.ts';
import { rename, rm } from '../disk/patientDisk.ts';
import { readLines } from '../disk/readLines.ts';
import { codeOf, readFolder, storageError } from '../disk/storageError.ts';
import { DiskFile, FileJournalStore } from '../journal/fileJournalStore.ts';
import { indexNewJournal, type OpenJournalOptions, openJournal } from '../journal/openJournal.ts';
import type { JournalReport } from '../journal/readJournal.ts';
import { lockSession, type SessionLock, takeOver } from './sessionLock.ts';
import { FAVOURITE, readSummary, type SessionSummary } from './sessionSummary.ts';

export const JOURNAL = 'journal.jsonl';

/** Session folders, which contain bodies, the index and saved files. */
const OWNER_ONLY = 0o700;
const ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

export const isSessionId = (id: string): boolean => ID.test(id);

export interface OpenSession {
  readonly id: string;
  readonly folder: string;
  readonly journal: Journal;
  readonly blobs: BlobStore;
  /** Findings while reading; null for a new session. */
  readonly report: JournalReport | null;
}

export interface SessionStoreOptions {
  /** From `sessionsFolder`. Created on the first write. */
  readonly folder: string;
  /** Further folders of sessions that this workspace continues. New ones are never created there. */
  readonly adopted?: () => readonly string[];
  /** Recorded in new sessions: the workspace folder, or null. */
  readonly workspace: string | null;
  /** Recorded in new sessions, such as `palimpsest/0.1.0`. */
  readonly engine: string;
  /** As others are told who has a session: null for a window of the editor. Default: `engine`. */
  readonly program?: string | null;
  readonly clock: Clock;
  readonly crypto: Crypto;
}

export type NewSession = Pick<SessionEntry, 'parentEntry' | 'importedFrom'>;

/** With neither `readOnly` nor `guard` the session's lock is taken, and released when its journal is closed. */
export interface SessionOpening extends Pick<OpenJournalOptions, 'signal'> {
  /** Why it may only be read, for which no lock is needed. */
  readonly readOnly?: JournalError;
  /** Of a lock that the caller has: called before each batch of writes. */
  readonly guard?: () => Promise<JournalError | null>;
  /** Takes the lock from the one who has it, who then writes no more. */
  readonly takeOver?: boolean;
}

const SUBAGENTS = 'subagents';

/** The folders of the sessions below a session's folder. */
export async function listSubagents(folder: string): Promise<string[]> {
  const path = join(folder, SUBAGENTS);
  return (await listIds(path)).map((id) => join(path, id));
}

export class SessionStore {
  readonly #options: SessionStoreOptions;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** A new session, its first line on disk. Ids sort by creation time. */
  async create(facts: NewSession = {}, { guard }: Pick<SessionOpening, 'guard'> = {}): Promise<OpenSession> {
    const { clock, crypto, workspace, engine } = this.#options;
    const stamp = new Date(clock.now())
      .toISOString()
      .slice(0, 19)
      .replace(/[^0-9]/g, '');
    const id = `${stamp}-${crypto.randomHex(4)}`;
    const folder = this.folderOf(id);
    const path = join(folder, JOURNAL);
    let store: FileJournalStore;
    let lock: SessionLock | null = null;
    try {
      await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
      if (!guard) lock = await this.#lock(folder);
      const tail = { length: 0, needsBreak: false };
      store = new FileJournalStore(path, await DiskFile.open(path, 'new'), tail, guard ?? guardOf(lock));
    } catch (thrown) {
      await lock?.release();
      throw storageError(path, thrown);
    }
    const journal = new Journal([], { store, clock, crypto });
    releaseWith(journal, lock);
    indexNewJournal(journal, store, crypto);
    const nonce = crypto.randomHex(8);
    try {
      await journal.append({ type: 'session', format: FORMAT_VERSION, id, workspace, engine, nonce, ...facts });
    } catch (thrown) {
      // Otherwise a session that never began would be listed as an empty file for ever.
      await journal.close().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
      throw thrown;
    }
    return { id, folder, journal, blobs: new FileBlobStore(join(folder, 'blobs')), report: null };
  }

  /**
   * Throws `JournalError` when nothing of the session can be read, and of the kind `locked` when it is to be written and
   * somebody else has it; the signal's reason when it is aborted.
   */
  async open(id: string, { takeOver: takes = false, ...given }: SessionOpening = {}): Promise<OpenSession> {
    const { clock, crypto } = this.#options;
    const folder = this.folderOf(id);
    const path = join(folder, JOURNAL);
    await requireThere(path);
    const lock = given.readOnly || given.guard ? null : await this.#lock(folder, takes);
    try {
      const guard = given.guard ?? guardOf(lock);
      const { journal, report } = await openJournal({ path, id, clock, crypto, ...given, guard });
      releaseWith(journal, lock);
      return { id, folder, journal, blobs: new FileBlobStore(join(folder, 'blobs')), report };
    } catch (thrown) {
      await lock?.release();
      throw thrown;
    }
  }

  /** Runs `act` on the session's folder while nobody else can write it. Throws if somebody has it, or it does not exist. */
  async whileOwned<T>(id: string, act: (folder: string) => Promise<T>): Promise<T> {
    const folder = this.folderOf(id);
    await requireThere(folder);
    const lock = await this.#lock(folder);
    try {
      return await act(folder);
    } finally {
      await lock.release();
    }
  }

  /**
   * Newest first. A session that could not be read, or was skipped because of the signal, is listed with its `problem`.
   */
  async list(signal?: AbortSignal): Promise<SessionSummary[]> {
    const ids = await this.#ids();
    const summaries = await Promise.all(ids.map((id) => readSummary(id, this.folderOf(id), JOURNAL, signal)));
    return summaries.sort((a, b) => b.time - a.time);
  }

  /** Marks or unmarks a session as a favourite, open or not. */
  async setFavourite(id: string, favourite: boolean): Promise<void> {
    const path = join(this.folderOf(id), FAVOURITE);
    try {
      if (favourite) await writeFile(path, '');
      else await rm(path, { force: true });
    } catch (thrown) {
      throw storageError(path, thrown);
    }
  }

  /**
   * Gives a title to a session that is not open; an open one takes it through its own journal. Throws if somebody has it.
   */
  async rename(id: string, title: string): Promise<void> {
    const { journal } = await this.open(id);
    try {
      await journal.append({ type: 'title', title });
    } finally {
      await journal.close();
    }
  }

  /**
   * Moves the session's folder to the trash next to the sessions and returns its new path. Close it first; throws if
   * somebody has it. `before` runs once it is certain that nobody has.
   */
  async remove(id: string, before: () => Promise<void> = async () => undefined): Promise<string> {
    const from = this.folderOf(id);
    const trash = join(dirname(dirname(from)), 'trash');
    const to = join(trash, `${id}.${this.#options.clock.now()}`);
    await requireThere(from);
    const lock = await this.#lock(from);
    let place = from;
    try {
      await before();
      await mkdir(trash, { recursive: true, mode: OWNER_ONLY });
      await rename(from, to);
      place = to;
    } catch (thrown) {
      throw storageError(from, thrown);
    } finally {
      await lock.release(place);
    }
    return to;
  }

  /** Restores a session from the trash; `trashed` is the result of `remove`. */
  async restore(id: string, trashed: string): Promise<void> {
    try {
      await rename(trashed, this.folderOf(id));
    } catch (thrown) {
      throw storageError(trashed, thrown);
    }
  }

  /** Sessions of subagents are below their parent's folder, so the parent's trash and lock apply to them too. */
  subagentsOf(id: string): SessionStore {
    return new SessionStore({ ...this.#options, folder: join(this.folderOf(id), SUBAGENTS), adopted: () => [] });
  }

  /** Throws for an invalid id: ids also come from the panel. */
  folderOf(id: string): string {
    if (!isSessionId(id)) throw new Error(`Not the id of a session: ${JSON.stringify(id)}`);
    const own = join(this.#options.folder, id);
    const adopted = this.#options.adopted?.() ?? [];
    if (adopted.length === 0 || existsSync(own)) return own;
    return adopted.map((folder) => join(folder, id)).find((path) => existsSync(path)) ?? own;
  }

  async #lock(folder: string, takes = false): Promise<SessionLock> {
    const { engine, program = engine } = this.#options;
    const options = { folder, program: program ?? undefined, onWanted: async () => false };
    if (takes) return takeOver(options);
    const outcome = await lockSession(options);
    if (outcome.kind === 'held') throw outcome.error;
    return outcome.lock;
  }

  async #ids(): Promise<string[]> {
    const folders = [this.#options.folder, ...(this.#options.adopted?.() ?? [])];
    return [...new Set((await Promise.all(folders.map(listIds))).flat())];
  }
}

/** A lock must not create a folder for a session that does not exist. */
async function requireThere(path: string): Promise<void> {
  await access(path).catch((thrown: unknown) => {
    throw storageError(path, thrown);
  });
}

const guardOf = (lock: SessionLock | null) => async () => (await lock?.guard()) ?? null;

function releaseWith(journal: Journal, lock: SessionLock | null): void {
  if (lock) journal.onClosed(() => lock.release());
}

async function listIds(folder: string): Promise<string[]> {
  const found = await readFolder(folder);
  return found.filter((item) => item.isDirectory() && isSessionId(item.name)).map((item) => item.name);
}

/** Waiting messages. */
export const QUEUE = 'queue.json';

/** Drafts, a file for each page. */
export const DRAFT = 'draft.';

export async function removeKept(folder: string, holds: (bytes: Buffer) => boolean = () => true): Promise<void> {
  for (const path of await filesIn(folder)) if (holds(await readFile(path))) await rm(path, { force: true });
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => name.startsWith(DRAFT) || name.startsWith(QUEUE)).map((name) => join(folder, name));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

export interface SessionMatch {
  readonly session: SessionSummary;
  /** Passages around the hits, newest first; empty when only the title matched. */
  readonly passages: readonly { readonly seq: number; readonly text: string }[];
}

const PASSAGES = 3;
const AROUND = 60;

/**
 * Searches titles and texts, reading the stored journals directly, and ignoring case; newest sessions first. When the signal is aborted, returns the hits so far, and without a query every
 * session.
 */
export async function searchSessions(store: SessionStore, query: string, signal: AbortSignal): Promise<SessionMatch[]> {
  const sought = query.trim().toLowerCase();
  const sessions = await store.list(signal);
  if (sought === '') return sessions.map((session) => ({ session, passages: [] }));
  const matches: SessionMatch[] = [];
  for (const session of sessions) {
    if (signal.aborted) break;
    const passages = session.problem
      ? []
      : await searchJournal(join(store.folderOf(session.id), JOURNAL), sought, signal);
    if (passages.length > 0 || session.title.toLowerCase().includes(sought)) matches.push({ session, passages });
  }
  return matches;
}

async function searchJournal(
  path: string,
  sought: string,
  signal: AbortSignal,
): Promise<{ seq: number; text: string }[]> {
  // In JSON form, with escaped quotes and line breaks.
  const escaped = JSON.stringify(sought).slice(1, -1).toLowerCase();
  const found: { seq: number; text: string }[] = [];
  const take = (line: Buffer) => {
    if (!line.includes('"type":"message"')) return;
    const text = line.toString();
    if (!text.toLowerCase().includes(escaped)) return;
    const passage = passageOf(text, sought);
    if (passage) found.push(passage);
    if (found.length > PASSAGES) found.shift();
  };
  try {
    await readLines(path, take, { signal });
  } catch (thrown) {
    if (!isAbort(thrown)) throw thrown;
  }
  return found.reverse();
}

/** Null when the hit is outside the message text, or the line is damaged. */
function passageOf(line: string, sought: string): { seq: number; text: string } | null {
  try {
    const { seq, message } = JSON.parse(line) as { seq: number; message: Message };
    const at = message.text.toLowerCase().indexOf(sought);
    if (at < 0) return null;
    const from = Math.max(0, at - AROUND);
    const cut = message.text
      .slice(from, at + sought.length + AROUND)
      .toWellFormed()
      .replace(/\s+/g, ' ');
    return { seq, text: cut.trim() };
  } catch {
    return null;
  }
}
