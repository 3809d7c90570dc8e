/** `Shell` from a script: each command must be in it, and answers as the script says. */

import type { Shell, ShellResult } from '../../../src/core/workspace/shell.ts';

export interface MemoryShell extends Shell {
  /** The commands run so far, in order. */
  readonly ran: readonly string[];
}

export interface ScriptedCommand {
  readonly exitCode?: number | null;
  /** Live output, chunk by chunk; the result contains all of it. */
  readonly output?: readonly string[];
  readonly ended?: ShellResult['ended'];
}

export function createMemoryShell(script: Readonly<Record<string, ScriptedCommand>> = {}): MemoryShell {
  const ran: string[] = [];
  return {
    ran,
    posix: () => true,
    async run(command, { onOutput }, signal) {
      const scripted = script[command];
      if (!scripted) throw new Error(`The script has no command ${JSON.stringify(command)}`);
      if (signal.aborted) return { exitCode: null, output: '', ended: 'aborted' };
      ran.push(command);
      const { exitCode = 0, output = [], ended = 'exit' } = scripted;
      for (const chunk of output) onOutput(chunk);
      return { exitCode, output: output.join(''), ended };
    },
  };
}
