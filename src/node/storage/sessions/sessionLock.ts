/**
 * One writer for each session, be it a window of the editor or another program. The lock is a file with the owner's token;
 * a newcomer writes `want`, and an idle owner releases it. No clock decides anything: an owner is gone when its process is,
 * or when a person says so.
 */

import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JournalError } from '../../../core/errors.ts';
import { nodeCrypto } from '../disk/fileBlobStore.ts';
import { patiently, rename, unlink } from '../disk/patientDisk.ts';
import { codeOf, storageError } from '../disk/storageError.ts';
import { type Here, inspectSystem, judgeOwner, type LockOwner } from './lockOwner.ts';
import { heldError, lostError } from './lockWords.ts';

export interface LockOptions {
  /** The session's folder. */
  readonly folder: string;
  /** As others are told who has the session; omitted for a window of the editor. */
  readonly program?: string | undefined;
  /**
   * Another window wants the session. Close it and return true to release it; false keeps it (a turn runs, or the view
   * is visible). Called about twice a second while somebody waits.
   */
  readonly onWanted: () => Promise<boolean>;
  /** Milliseconds that a newcomer waits for an owner to release it. */
  readonly waitMs?: number;
  readonly wait?: (ms: number) => Promise<unknown>;
  /** Default: as the system reports it. */
  readonly here?: () => Here;
}

export type LockOutcome =
  | { readonly kind: 'owned'; readonly lock: SessionLock }
  /** Open elsewhere: read-only, or `takeOver` on the person's request. `answered`: the owner is alive and keeps it. */
  | { readonly kind: 'held'; readonly answered: boolean; readonly error: JournalError };

interface LockFile extends LockOwner {
  readonly token: string;
}

const POLL_MS = 400;
const WAIT_MS = 1_600;
const HALF_WRITTEN_MS = 50;
const pathsOf = (folder: string) => ({
  lock: join(folder, 'lock'),
  want: join(folder, 'lock.want'),
  kept: join(folder, 'lock.kept'),
});

/** Takes the lock when nobody has it, its owner is gone, or the owner releases it in time. */
export async function lockSession(options: LockOptions): Promise<LockOutcome> {
  const { folder, wait = delay, waitMs = WAIT_MS } = options;
  const { want, kept } = pathsOf(folder);
  const token = nodeCrypto.randomHex(16);
  const owned = (): LockOutcome => ({ kind: 'owned', lock: new SessionLock(token, options) });
  let taken = await tryTake(folder, token, options);
  if (taken === true) return owned();
  await unlinkQuietly(kept);
  await writeNamed(want, token);
  try {
    for (let waited = 0; waited < waitMs; waited += POLL_MS / 2) {
      await wait(POLL_MS / 2);
      taken = await tryTake(folder, token, options);
      if (taken === true) return owned();
      if ((await readText(kept)) === token) return { kind: 'held', answered: true, error: await refusalOf(options) };
    }
    // A live owner would have answered.
    if (taken === 'doubtful' && (await takeFromGone(folder, token, hereOf(options)))) return owned();
    return { kind: 'held', answered: false, error: await refusalOf(options) };
  } finally {
    if ((await readText(want)) === token) await unlinkQuietly(want);
  }
}

/** Takes the lock from its owner, on the person's request. The owner notices before its next write. */
export async function takeOver(options: LockOptions): Promise<SessionLock> {
  const token = nodeCrypto.randomHex(16);
  await replaceLock(options.folder, token, hereOf(options));
  return new SessionLock(token, options);
}

export class SessionLock {
  readonly token: string;
  readonly #options: LockOptions;
  readonly #lock: string;
  readonly #timer: NodeJS.Timeout;
  /**
   * The lock file's stamp when this window was last seen to own it; empty at first, because another window may have
   * been quicker.
   */
  #stamp = '';
  #asking = false;

  constructor(token: string, options: LockOptions) {
    this.token = token;
    this.#options = options;
    this.#lock = pathsOf(options.folder).lock;
    this.#timer = setInterval(() => void this.checkWanted(), POLL_MS);
    this.#timer.unref();
  }

  /** Call before each batch of writes: null while this window owns the session. Costs one `stat`. */
  async guard(): Promise<JournalError | null> {
    const stamp = stampOf(this.#lock);
    if (stamp !== '' && stamp === this.#stamp) return null;
    const owner = await readLock(this.#lock);
    if (owner?.token === this.token) {
      // The stamp from before the read: a later one might be another window's.
      this.#stamp = stamp;
      return null;
    }
    return this.#isDeleted() && (await this.#takeBack()) ? null : lostError(refusedOf(this.#options), owner);
  }

  /** Null while no other window has the session. Writes nothing. */
  async check(): Promise<JournalError | null> {
    return this.#isDeleted() ? null : this.guard();
  }

  #isDeleted(): boolean {
    return !existsSync(this.#lock) && !existsSync(join(this.#options.folder, 'journal.jsonl'));
  }

  /** A lock deleted while open has no other owner: its owner writes it again. */
  async #takeBack(): Promise<boolean> {
    return (await tryTake(this.#options.folder, this.token, this.#options)) === true;
  }

  /** Answers a waiting newcomer. Called by a timer. */
  async checkWanted(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const { want, kept } = pathsOf(this.#options.folder);
      const newcomer = await readText(want);
      if (newcomer === null) return;
      if (await this.#options.onWanted()) await this.release();
      else await writeFile(kept, newcomer);
    } catch {
      // The folder is gone or inaccessible: the newcomer gets no answer and asks its person.
    } finally {
      this.#asking = false;
    }
  }

  /** Releases the lock. Close the journal first. `folder`: where the session's folder was moved to. */
  async release(folder = this.#options.folder): Promise<void> {
    clearInterval(this.#timer);
    const { lock } = pathsOf(folder);
    if ((await readLock(lock))?.token === this.token) await unlinkQuietly(lock);
  }
}

/** True when this window now has the lock; `doubtful` when its owner may be gone. */
async function tryTake(folder: string, token: string, options: LockOptions): Promise<boolean | 'doubtful'> {
  const { wait = delay } = options;
  const { lock } = pathsOf(folder);
  const here = () => hereOf(options);
  try {
    await mkdir(folder, { recursive: true });
    await patiently(() => writeFile(lock, contentOf(token, here()), { flag: 'wx' }));
    return true;
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw storageError(lock, thrown);
  }
  let owner = await readLock(lock);
  if (!owner) {
    // Another window may be writing it just now.
    await wait(HALF_WRITTEN_MS);
    owner = await readLock(lock);
  }
  const verdict = owner ? judgeOwner(owner, here()) : 'gone';
  if (verdict !== 'gone') return verdict === 'doubtful' ? verdict : false;
  return takeFromGone(folder, token, here());
}

/** Its owner is gone, or died while writing it. Of several newcomers the last rename wins, and each checks who won. */
async function takeFromGone(folder: string, token: string, here: Here): Promise<boolean> {
  await replaceLock(folder, token, here);
  await delay(20);
  return (await readLock(pathsOf(folder).lock))?.token === token;
}

async function replaceLock(folder: string, token: string, here: Here): Promise<void> {
  const { lock } = pathsOf(folder);
  const temporary = `${lock}.${token}`;
  try {
    await writeFile(temporary, contentOf(token, here));
    await rename(temporary, lock);
  } catch (thrown) {
    await unlinkQuietly(temporary);
    throw storageError(lock, thrown);
  }
}

function contentOf(token: string, { owner }: Here): string {
  return JSON.stringify({ token, ...owner } satisfies LockFile);
}

/** Null when there is none, or it is incomplete. */
async function readLock(path: string): Promise<LockFile | null> {
  try {
    const value = JSON.parse((await readText(path)) ?? 'null') as Partial<LockFile> | null;
    const whole = typeof value?.token === 'string' && typeof value.pid === 'number' && typeof value.host === 'string';
    const named = value?.program === undefined || typeof value.program === 'string';
    return whole && named ? (value as LockFile) : null;
  } catch {
    return null;
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null;
    throw storageError(path, thrown);
  }
}

async function writeNamed(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((thrown: unknown) => {
    throw storageError(path, thrown);
  });
}

async function unlinkQuietly(path: string): Promise<void> {
  await unlink(path).catch((thrown: unknown) => {
    if (codeOf(thrown) !== 'ENOENT') throw storageError(path, thrown);
  });
}

/** Changes whenever the lock file is replaced or removed. */
function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.ino}:${stats.ctimeNs}` : '';
}

/** Why it may only be read here: names who has the lock now, without asking for it. */
export async function refusalOf(options: LockOptions): Promise<JournalError> {
  return heldError(refusedOf(options), await readLock(pathsOf(options.folder).lock));
}

function refusedOf(options: LockOptions) {
  const { folder } = options;
  return { folder, session: basename(folder), lock: pathsOf(folder).lock, here: hereOf(options).owner };
}

function hereOf({ here = inspectSystem, program }: LockOptions): Here {
  const found = here();
  return program === undefined ? found : { ...found, owner: { ...found.owner, program } };
}
