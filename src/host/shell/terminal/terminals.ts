/** Terminals whose shell tells where a command begins and ends: the port through which commands run in one. */

export interface TerminalOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Terminals {
  /** A new one that the person sees. Null where there is none, or where its shell tells nothing within some seconds. */
  open(options: TerminalOptions, signal: AbortSignal): Promise<IntegratedTerminal | null>;
}

export interface IntegratedTerminal {
  /** Process id of its shell. */
  readonly shell: number | undefined;
  /** Something runs in it that was not started here. */
  readonly isBusy: boolean;
  readonly isClosed: boolean;
  /** Resolves when the person has closed it, or its shell has ended. */
  readonly closed: Promise<void>;
  /** Runs a line as if it were typed. */
  execute(line: string): TerminalExecution;
  close(): void;
}

export interface TerminalExecution {
  /** All that the terminal writes meanwhile, control sequences included. */
  readonly output: AsyncIterable<string>;
  /** Resolves with the exit code, where the shell says it, when the shell is ready for the next line. */
  readonly ended: Promise<number | null>;
}
