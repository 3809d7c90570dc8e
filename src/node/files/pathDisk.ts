/** The questions that the guard of paths asks the disk. */

import type { Stats } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { isSystemError } from '../../core/errors.ts';

/** The disk operations of the guard; tests replace them with a disk that ignores case. */
export interface PathDisk {
  realpath(path: string): Promise<string>;
  lstat(path: string): Promise<Stats>;
  readdir(path: string): Promise<string[]>;
  /** Names of the links in a folder; none for what is no folder that can be read. */
  links(path: string): Promise<readonly string[]>;
  /** Device and inode; null when nothing is there, or they are unavailable. */
  identify(path: string): Promise<string | null>;
  /** `realpath` returns names in the disk's spelling, not as requested. */
  readonly spells: boolean;
}

export const nodeDisk: PathDisk = {
  realpath,
  lstat,
  readdir,
  async links(path) {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
    } catch (thrown) {
      if (isSystemError(thrown)) return [];
      throw thrown;
    }
  },
  async identify(path) {
    try {
      const { dev, ino } = await lstat(path, { bigint: true });
      return `${dev}:${ino}`;
    } catch (thrown) {
      if (isSystemError(thrown)) return null;
      throw thrown;
    }
  },
  spells: process.platform !== 'linux',
};
