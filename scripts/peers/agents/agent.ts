/** What a driver says of its agent: where npm has it, what it must find before it starts, and how it is asked. */

export interface Agent {
  /** As `--agents` takes it. */
  readonly id: string;
  readonly title: string;
  /** On npm; its executable is `program`. */
  readonly package: string;
  readonly program: string;
  /** It cannot start before the script that npm runs after an installation. */
  readonly needsInstallScript?: true;
  /** It is asked once for each part of the session, each time as a new process that goes on with the same session. */
  prepare(place: AgentPlace): PreparedAgent;
}

/** Absolute paths, all in the folder of one run. */
export interface AgentPlace {
  /** The executable that npm linked. */
  readonly program: string;
  readonly home: string;
  readonly workspace: string;
  /** Of the scripted model; any key will do. */
  readonly url: string;
  readonly model: string;
  /** In tokens. */
  readonly window: number;
}

export interface PreparedAgent {
  /** Texts by path, relative to the home. */
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** The program with its arguments; `part` from 0. */
  command(prompt: string, part: number): readonly string[];
}

/** Tokens that an answer may have, where an agent wants to know. */
export const MOST_OUTPUT = 4_096;
