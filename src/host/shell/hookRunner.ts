/** Runs a person's hooks as child processes of the workspace folder, with the environment of any command: without secrets. */

import type { HookRunner } from '../../core/agent/hooks.ts';
import { ToolError } from '../../core/errors.ts';
import { systemTimers } from '../../providers/timers.ts';
import { commandEnvironment } from './commandEnvironment.ts';
import type { ChildShellOptions } from './runChild.ts';
import { createOutputBuffer, runChild } from './runChild.ts';

type HookRunnerOptions = Pick<ChildShellOptions, 'folder' | 'environment' | 'allowedVariables' | 'timers'>;

/** Nobody watches a hook live. */
const LIMITS = { keep: 20_000, live: 0 };

export function createHookRunner(options: HookRunnerOptions): HookRunner {
  const { folder, environment, allowedVariables = () => [], timers = systemTimers } = options;
  return {
    async run(command, { input, timeoutMs }, signal) {
      if (folder === null) throw new ToolError('No folder is open, so no hook can run.');
      const [output, errors] = [createOutputBuffer(LIMITS, ignore), createOutputBuffer(LIMITS, ignore)];
      const { ended, exitCode } = await runChild(
        command,
        {
          ...{ folder, input, timeoutMs, timers },
          environment: commandEnvironment(environment, allowedVariables()),
          ...{ stdout: output.openStream(), stderr: errors.openStream() },
        },
        signal,
      );
      return { ended, exitCode, output: output.text(), errors: errors.text() };
    },
  };
}

const ignore = () => undefined;
