/**
 * Renames and deletes like `node:fs/promises`. On Windows a file held open by an indexer, a virus scanner or a dev
 * server can be neither renamed nor deleted, usually for a moment: there they are retried for about a second.
 */

import * as fs from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from './storageError.ts';

export type Renaming = Pick<typeof fs, 'rename' | 'unlink' | 'rmdir' | 'rm'>;

export interface PatientDisk extends Renaming {
  /** Retries while another program holds the file open. */
  patiently<T>(deed: () => Promise<T>): Promise<T>;
}

export interface Patience {
  readonly disk: Renaming;
  readonly windows: boolean;
  /** In milliseconds. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

const PATIENT_MS = 1_000;
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 160;

/** Windows reports a file that is open elsewhere like one that is inaccessible. */
const HELD: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY']);

export function createPatientDisk({ disk, windows, now, wait }: Patience): PatientDisk {
  const patiently = async <T>(deed: () => Promise<T>): Promise<T> => {
    const until = now() + PATIENT_MS;
    for (let pause = FIRST_WAIT_MS; ; pause = Math.min(2 * pause, LONGEST_WAIT_MS)) {
      try {
        return await deed();
      } catch (thrown) {
        if (!windows || !HELD.has(codeOf(thrown) ?? '') || now() >= until) throw thrown;
      }
      await wait(pause);
    }
  };
  return {
    patiently,
    rename: (from, to) => patiently(() => disk.rename(from, to)),
    unlink: (path) => patiently(() => disk.unlink(path)),
    rmdir: (path, options) => patiently(() => disk.rmdir(path, options)),
    rm: (path, options) => patiently(() => disk.rm(path, options)),
  };
}

export const { rename, unlink, rmdir, rm, patiently } = createPatientDisk({
  disk: fs,
  windows: process.platform === 'win32',
  now: () => performance.now(),
  wait: delay,
});
