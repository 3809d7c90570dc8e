/** The shell of the workspace folder: each command line is a child process, and its output is kept within limits. */

import { ToolError } from '../../core/errors.ts';
import type { Shell, Timers } from '../../core/ports.ts';
import { systemTimers } from '../../providers/timers.ts';
import { commandEnvironment } from './commandEnvironment.ts';
import { type BufferLimits, createOutputBuffer } from './outputBuffer.ts';
import { runChild } from './runChild.ts';

export interface ChildShellOptions {
  /** The absolute folder that commands run in; null when no folder is open. */
  readonly folder: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that commands get though they look like secrets. By default none. */
  readonly allowedVariables?: () => readonly string[];
  readonly limits?: BufferLimits;
  /** Commands end also when this process is killed. */
  readonly watched?: boolean;
  /** They measure a command's time limit. */
  readonly timers?: Timers;
}

const LIMITS: BufferLimits = { keep: 1_000_000, live: 200_000 };

export function createChildShell(options: ChildShellOptions): Shell {
  const {
    folder,
    environment,
    allowedVariables = () => [],
    limits = LIMITS,
    watched = false,
    timers = systemTimers,
  } = options;
  return {
    async run(command, { timeoutMs, onOutput }, signal) {
      if (folder === null) throw new ToolError('No folder is open, so no command can run.');
      const output = createOutputBuffer(limits, onOutput);
      const { ended, exitCode, left } = await runChild(
        command,
        {
          ...{ folder, timeoutMs, timers, watched },
          environment: commandEnvironment(environment, allowedVariables()),
          ...{ stdout: output.openStream(), stderr: output.openStream() },
        },
        signal,
      );
      return { exitCode, output: output.text() + left, ended, ...(left === '' ? {} : { left }) };
    },
  };
}
