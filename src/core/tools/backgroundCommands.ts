/**
 * Commands that run on while the conversation goes on, such as a dev server: the port through which tools start, read and
 * stop them.
 */

import type { ShellResult } from '../ports.ts';

export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** Null while it runs. */
  readonly ended: Pick<ShellResult, 'ended' | 'exitCode'> | null;
}

/** What a command has written since it was last read. */
export interface BackgroundOutput {
  readonly command: BackgroundCommand;
  readonly text: string;
  /** Characters before `text` that were not read in time and are gone. */
  readonly leftOut: number;
}

/** They end with the window at the latest. A command that is not known is null. */
export interface BackgroundCommands {
  list(): readonly BackgroundCommand[];
  /** Returns when it has ended or has had a moment to say how it begins. Throws `ToolError` when it cannot start. */
  start(command: string, signal: AbortSignal, folder?: string): Promise<BackgroundOutput>;
  /** Waits at most `waitMs` for something new. */
  read(id: string, waitMs: number, signal: AbortSignal): Promise<BackgroundOutput | null>;
  /** Returns when nothing of it runs any more. */
  stop(id: string): Promise<BackgroundOutput | null>;
}
