/** A file beside its earlier state. */

import type { FileVersion } from './fileKeeper.ts';
import type { Conflict } from './restorePlan.ts';

export interface ChangedFile {
  readonly path: string;
  /** Its path then, where it has been renamed. */
  readonly renamedFrom: string | null;
  /** As it was then, or as it was reviewed; null where it did not exist. */
  readonly before: FileVersion | null;
  /** As it is now, in an editor too; null where it is gone. */
  readonly now: FileVersion | null;
  /** SHA-256 of its present bytes. */
  readonly hash: string | null;
  /** Topmost folder that was made for it. */
  readonly newFolder: string | null;
  /** Null where a version is no text: it can be taken back only as a whole. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
  /** Set where it includes changes that somebody else made after the agent. */
  readonly conflict: Conflict | null;
  /** Blob of what the agent left, where all later changes are somebody else's. */
  readonly agentLeft: string | null;
}

export type Compared = Omit<ChangedFile, 'conflict' | 'agentLeft'>;

export const NOTHING = new Uint8Array();
