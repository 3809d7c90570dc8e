/**
 * Commands that keep running while the conversation continues, such as a dev server: the port through which tools
 * start, read and stop them.
 */

import type { ShellResult } from '../ports.ts';

export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** Null while it runs. */
  readonly ended: Pick<ShellResult, 'ended' | 'exitCode'> | null;
}

/** A command's output since it was last read. */
export interface BackgroundOutput {
  readonly command: BackgroundCommand;
  readonly text: string;
  /** Number of characters before `text` that were dropped before being read. */
  readonly leftOut: number;
}

/** Background commands end with the window at the latest. An unknown command yields null. */
export interface BackgroundCommands {
  list(): readonly BackgroundCommand[];
  /**
   * Resolves when the command has ended, or has had a moment for its first output. Throws `ToolError` when it cannot
   * start.
   */
  start(
    command: string,
    signal: AbortSignal,
    where?: { readonly folder?: string; readonly confined?: boolean },
  ): Promise<BackgroundOutput>;
  /** Waits at most `waitMs` for new output. */
  read(id: string, waitMs: number, signal: AbortSignal): Promise<BackgroundOutput | null>;
  /** Resolves when all of its processes have ended. */
  stop(id: string): Promise<BackgroundOutput | null>;
}
