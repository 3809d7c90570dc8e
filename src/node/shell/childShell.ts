/** The shell of the workspace folder: each command line is a child process with limited output. */

import { existsSync } from 'node:fs';
import type { Timers } from '../../core/clock.ts';
import { ToolError } from '../../core/errors.ts';
import { type Words, words } from '../../core/words.ts';
import type { Shell } from '../../core/workspace/shell.ts';
import { systemTimers } from '../../providers/timers.ts';
import { type CommandSandbox, requireSandbox } from '../sandbox/commandSandbox.ts';
import { SandboxRefusal } from '../sandbox/sandboxRefusal.ts';
import { readOutputEncodings } from './codePages.ts';
import { commandEnvironment } from './commandEnvironment.ts';
import { type CommandShell, describeShell, findShell, readsPosix, refuseCommand } from './commandShell.ts';
import type { System } from './findProgram.ts';
import { type BufferLimits, createOutputBuffer } from './outputBuffer.ts';
import { runChild } from './runChild.ts';

export interface ChildShellOptions {
  /** The absolute folder that commands run in; null when no folder is open. */
  readonly folder: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables passed to commands although they look like secrets. Default: none. */
  readonly allowedVariables?: () => readonly string[];
  readonly limits?: BufferLimits;
  /** Default: the first one found. */
  readonly shell?: () => CommandShell;
  /** They measure a command's time limit. */
  readonly timers?: Timers;
  /** Omitted: no command can be confined. */
  readonly sandbox?: CommandSandbox;
  /** True: what a command leaves running ends with it, as in a sandbox. Default: a daemon stays. */
  readonly endsDaemons?: boolean;
}

export const LIMITS: BufferLimits = { keep: 1_000_000, live: 200_000 };

export function createChildShell(options: ChildShellOptions): Shell {
  const {
    folder,
    environment,
    allowedVariables = () => [],
    limits = LIMITS,
    timers = systemTimers,
    endsDaemons = false,
  } = options;
  const shell = options.shell ?? findOwnShell;
  return {
    describe: () => describeShell(shell(), process.platform),
    posix: () => readsPosix(shell()),
    refuse: (command, where) => refuseCommand(shell(), command, where),
    ...(options.sandbox ? { confinement: () => options.sandbox?.confinement() ?? Promise.resolve('off') } : {}),
    async run(command, { timeoutMs, onOutput, folder: other, confined }, signal) {
      if (folder === null) throw new ToolError('No folder is open, so no command can run.');
      const sandbox = confined ? await requireSandbox(options.sandbox) : undefined;
      const output = createOutputBuffer(limits, onOutput);
      const encodings = await readOutputEncodings();
      const child = {
        shell: shell(),
        folder: other ?? folder,
        timeoutMs,
        timers,
        environment: commandEnvironment(environment, allowedVariables()),
        stdout: output.openStream(encodings),
        stderr: output.openStream(encodings),
        sandbox,
        endsDaemons,
      };
      try {
        const { ended, exitCode, left, leftBehind } = await runChild(command, child, signal);
        const result = { exitCode, output: output.text() + left, ended, ...(left === '' ? {} : { left }) };
        if (!sandbox) options.sandbox?.onDidRunOutside();
        if (!sandbox || !options.sandbox || !leftBehind) return result;
        const { explainRefusal } = await import('../sandbox/explainRefusal.ts');
        const refused = explainRefusal(result, OWN_SYSTEM);
        const newNames = options.sandbox.newNames(leftBehind);
        if (leftBehind.unseen !== null) options.sandbox.report({ names: [], unseen: leftBehind.unseen });
        return { ...result, ...(refused ? { refused } : {}), ...(newNames ? { newNames } : {}) };
      } catch (thrown) {
        if (!(thrown instanceof SandboxRefusal)) throw thrown;
        return { exitCode: null, output: '', ended: 'exit', notRun: true, refused: notRun(thrown.words) };
      }
    },
  };
}

const notRun = (reason: Words) => [
  ...reason,
  ...words('The command has not run. If you allow it, it runs outside of the sandbox.'),
];

/** The system of this machine. */
const OWN_SYSTEM: System = { platform: process.platform, environment: process.env, exists: existsSync };

const findOwnShell = () => findShell(OWN_SYSTEM, '');
