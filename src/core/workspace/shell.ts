/** Command lines that run in the workspace, confined or not. Invariant: the whole process group of a command ends with it. */

import type { Words } from '../words.ts';

export interface ShellResult {
  /** Null when a signal ended it or it never started. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly ended: 'exit' | 'timeout' | 'aborted';
  /** The fate of its background processes, in lines; the end of `output`. */
  readonly left?: string;
  /** The sandbox could not be made, so nothing of the command has run. */
  readonly notRun?: true;
  /** For a confined command: what the sandbox seems to have refused. */
  readonly refused?: Words;
  /** For a confined command: guarded names that are new since it began. */
  readonly newNames?: NewNames;
}

/** Guarded names that a command made, or somebody else meanwhile. They stay where they are until a person decides. */
export interface NewNames {
  /** Absolute; never empty. */
  readonly paths: readonly string[];
  /** Where `setAside` puts them; absolute. */
  readonly place: string;
  /** Moves those that are still the same out of the folder. Returns the paths of those that stay. */
  setAside(): Promise<readonly string[]>;
}

/** Whether commands may run in a sandbox: it is switched off, it is there, or why it is not. */
export type Confinement = 'off' | 'ready' | { readonly absent: Words };

/** Runs one command line in the workspace folder; its whole process group ends on abort and timeout. */
export interface Shell {
  /** Describes its name and system in one line for the model; constant. Omitted: unknown. */
  readonly describe?: () => string;
  /**
   * Why it would not run this line as a whole in that folder, in words for the model; null when it would. `folder` is
   * absolute. Omitted: it runs any line.
   */
  readonly refuse?: (command: string, folder: string) => string | null;
  /** It reads lines as POSIX says. Omitted: unknown. */
  readonly posix?: () => boolean;
  /** Whether it can run commands in a sandbox now. Omitted: it cannot. */
  readonly confinement?: () => Promise<Confinement>;
  run(
    command: string,
    /** `timeoutMs` is null without a time limit. `folder` is absolute; default: the first open folder. */
    options: {
      readonly timeoutMs: number | null;
      readonly onOutput: (text: string) => void;
      readonly folder?: string;
      /** In the sandbox or not at all: it throws `ToolError` where that is no longer ready. */
      readonly confined?: boolean;
    },
    signal: AbortSignal,
  ): Promise<ShellResult>;
}
