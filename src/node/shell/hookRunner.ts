/**
 * Runs a person's hooks as child processes in the workspace folder, with the environment of any command: without
 * secrets.
 */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix } from 'node:path';
import type { HookRunner } from '../../core/agent/parts/hooks.ts';
import { ToolError, UserFacingError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import { systemTimers } from '../../providers/timers.ts';
import { sandboxForAll } from '../sandbox/commandSandbox.ts';
import type { ChildShellOptions } from './childShell.ts';
import { readOutputEncodings } from './codePages.ts';
import { commandEnvironment } from './commandEnvironment.ts';
import { type CommandShell, findHookShell, lacksProgram } from './commandShell.ts';
import { createOutputBuffer } from './outputBuffer.ts';
import { runChild } from './runChild.ts';

/** Nobody watches a hook live. */
const LIMITS = { keep: 20_000, live: 0 };

export function createHookRunner(options: Omit<ChildShellOptions, 'limits'>): HookRunner {
  const { folder, environment, allowedVariables = () => [], timers = systemTimers } = options;
  return {
    async run(command, { input, timeoutMs }, signal) {
      if (folder === null) throw new ToolError('No folder is open, so no hook can run.');
      const given = commandEnvironment(environment, allowedVariables());
      const system = { platform: process.platform, environment: given, exists: existsSync };
      const shell = options.shell?.() ?? findHookShell(system, '');
      const program = pathOf(command, shell);
      if (program !== null && !existsSync(program))
        throw new UserFacingError(words('its program {0} is not on the machine that this window works on', program));
      const [output, errors] = [createOutputBuffer(LIMITS, ignore), createOutputBuffer(LIMITS, ignore)];
      const encodings = await readOutputEncodings();
      const { ended, exitCode, leftBehind } = await runChild(
        command,
        {
          shell,
          folder,
          input,
          timeoutMs,
          timers,
          environment: given,
          sandbox: await sandboxForAll(options.sandbox),
          stdout: output.openStream(encodings),
          stderr: errors.openStream(encodings),
        },
        signal,
      );
      if (leftBehind) options.sandbox?.report(leftBehind);
      const missing = ended === 'exit' && lacksProgram(shell, { command, exitCode, folder }, system);
      return { ended, exitCode, output: output.text(), errors: errors.text(), ...(missing ? { missing } : {}) };
    },
  };
}

const ignore = () => undefined;

/**
 * The absolute path that a command line begins with, on any system, since a person's settings apply to other machines
 * too. Null for a name that the shell looks up, and for a path with shell expansions.
 */
function pathOf(command: string, { kind }: CommandShell): string | null {
  const [, first = ''] = /^\s*("[^"]+"|'[^']+'|[^\s;&|<>]+)/.exec(command) ?? [];
  const path = first.replace(/^(["'])(.*)\1$/, '$2');
  if (/[$`*?%()]/.test(path)) return null;
  if (path.startsWith('~/')) return join(homedir(), path.slice(2));
  if (/^[A-Za-z]:[\\/]/.test(path)) return path;
  // Git Bash has its own form of paths, such as `/c/Users`.
  return posix.isAbsolute(path) && kind !== 'gitBash' ? path : null;
}
