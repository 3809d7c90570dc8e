/** Where the lines of one session's journal are kept. Append-only; the order of calls is the order on disk. */

import type { JournalError } from '../errors.ts';

export interface JournalStore {
  /** Path or name, for messages to a person. */
  readonly name: string;
  /** Why nothing may be appended (a newer format, another window's lock, closed); null when appending is possible. */
  readonly readOnly: JournalError | null;
  /** Number of lines accepted but not on disk: each is written, in order, before any later one. */
  readonly unwritten: number;
  /**
   * Queues one line (without line break). Resolves when it would survive a killed process. Rejects with `JournalError`
   * when it could not be written; it then stays queued and goes first with the next append or `sync`.
   */
  append(line: string): Promise<void>;
  /** Resolves when everything appended so far would survive a power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
