/**
 * `run_command`: one command line in the workspace folder, after a person has seen exactly that line, now or when they
 * allowed exactly its words for longer. What cannot be
 * shown is not run: controls that could hide a part of the command are refused.
 */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { ShellResult } from '../../ports.ts';
import { type CommandRule, type CommandRules, keyOfRule } from '../commandRules.ts';
import { readPlainCommand } from '../plainCommand.ts';
import { showCommand, showCommandInOneLine, showHidden, showInOneLine } from '../text/showHidden.ts';
import { createControlStripper, stripControls } from '../text/stripControls.ts';
import type { PreparedCall, Tool, ToolOutcome } from '../tool.ts';
import { describeOutput } from './readOutput.ts';

const LONGEST_TIMEOUT_SECONDS = 600;
const LONGEST_COMMAND = 20_000;
const REFUSED = /[\p{Cc}--[\t\n]]/v;

const input = z.strictObject({
  command: z.string().min(1).max(LONGEST_COMMAND).describe('Command line for the shell'),
  background: z
    .boolean()
    .default(false)
    .describe('Keep it running after the call, such as a dev server; read_output and stop_command take its id'),
  timeout_seconds: z
    .int()
    .min(1)
    .max(LONGEST_TIMEOUT_SECONDS)
    .default(120)
    .describe('Ended after this time, unless in the background'),
});
type Input = z.infer<typeof input>;

export const runCommand: Tool<Input> = {
  name: 'run_command',
  toolClass: 'run',
  description:
    'Run a shell command in the workspace folder; the user is asked, unless they allowed exactly this command before. There is no terminal and no input. ' +
    'The result begins with the exit code. Processes it leaves running are ended with it, or named: what has to run on, ' +
    'such as a server, needs `background`.',
  input,
  keeps: 'middle',
  describe: ({ command, background }) => ({ kind: 'command', command, background }),
  async prepare({ command, timeout_seconds, background }, { files, shell, commandRules, background: others }) {
    if (files.root === null) throw new ToolError('No folder is open, so no command can run. Ask the user to open one.');
    const bad = REFUSED.exec(command)?.[0];
    if (bad !== undefined) {
      throw new ToolError(
        `The command holds the control character ${showHidden(bad)}, which can hide what it does. Write it without.`,
      );
    }
    if (!command.isWellFormed()) throw new ToolError('The command holds half of a surrogate pair. Write it without.');
    if (command.trim() === '') throw new ToolError('The command is empty.');
    if (background && !others) throw new ToolError('No command can run in the background here. Run it without.');
    const title = showCommandInOneLine(command);
    const marked = background ? ({ background } as const) : {};
    const shown = {
      ...({ kind: 'command', command: showCommand(command), cwd: showInOneLine(files.root) } as const),
      ...marked,
    };
    const argv = commandRules ? readPlainCommand(command) : null;
    return {
      title,
      ...(argv && commandRules
        ? {
            approval: { title, detail: { ...shown, argv }, mayRemember: true, mayAlways: true },
            grant: grantOf({ argv, folder: files.root, ...marked }, commandRules),
          }
        : { approval: { title, detail: shown, mayRemember: false } }),
      changes: [],
      async run({ onOutput, signal }) {
        if (background && others) return describeOutput(await others.start(command, signal));
        const live = createControlStripper();
        const emit = (text: string) => {
          if (text !== '') onOutput(text);
        };
        const result = await shell.run(
          command,
          { timeoutMs: timeout_seconds * 1000, onOutput: (text) => emit(live.push(text)) },
          signal,
        );
        emit(live.end());
        return describe(result, timeout_seconds);
      },
    };
  },
};

function grantOf(rule: CommandRule, rules: CommandRules): NonNullable<PreparedCall['grant']> {
  return {
    key: keyOfRule(rule),
    standing: rules.allows(rule) ? 'allow' : null,
    allowAlways: () => rules.allow(rule),
  };
}

function describe({ ended, exitCode, output }: ShellResult, timeoutSeconds: number): ToolOutcome {
  const text = stripControls(output).trimEnd();
  const result = (first: string) => (text === '' ? `${first}\n(no output)` : `${first}\n${text}`);
  switch (ended) {
    case 'exit':
      return {
        text: result(exitCode === null ? 'ended by a signal' : `exit code ${exitCode}`),
        ephemeral: { keepNewest: 1, of: 'call' },
      };
    case 'timeout':
      return { text: result(`ended after ${timeoutSeconds} s without finishing`), isError: true };
    case 'aborted':
      return { text: result('stopped by the user before it finished'), isError: true };
  }
}
