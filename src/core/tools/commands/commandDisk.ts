/** The port to the disk through which a command that only reads is judged before it runs. */

import type { Words } from '../../words.ts';
import type { HiddenNames } from './readingCommands.ts';

/** The things that a reading command would meet on the disk. Folders are real paths inside the workspace. */
export interface CommandDisk {
  /**
   * All names that any shell might put in place of a pattern of `*` and `?`; null if there are too many, or links among
   * the folders on the way.
   */
  expand(pattern: string, folder: string): Promise<readonly string[] | null>;
  /** The name of a file that may hold secrets, or of a folder full of them; null if there is none. */
  secretUnder(folder: string, hidden: HiddenNames): Promise<{ readonly name: string } | 'tooMany' | null>;
  /** The things that git would do there besides reading. */
  repository(folder: string): Promise<RepositoryFacts>;
  /** The program lies in an open folder, where the workspace could have put it, or nowhere. */
  isForeign(program: string, folder: string): Promise<boolean>;
}

export interface RepositoryFacts {
  /** Why git would do more than read here; null if it only reads. */
  readonly fault: Words | null;
  /** The real path of its work tree; null where there is no repository. */
  readonly top: string | null;
  /** A tracked file that may hold secrets. */
  readonly secret: string | null;
}
