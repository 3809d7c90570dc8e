/** `read_output`: what a command in the background has written since it was last read. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { BackgroundCommand, BackgroundOutput } from '../backgroundCommands.ts';
import { showCommandInOneLine, showInOneLine } from '../text/showHidden.ts';
import type { Tool, ToolOutcome, ToolPorts } from '../tool.ts';

const LONGEST_WAIT_SECONDS = 60;

const input = z.strictObject({
  id: z.string().min(1).max(40).describe('As run_command named it'),
  wait_seconds: z.int().min(0).max(LONGEST_WAIT_SECONDS).default(0).describe('How long to wait for something new'),
});

export const readOutput: Tool<z.infer<typeof input>> = {
  name: 'read_output',
  // Nothing starts here: a person agreed to the command, so any mode may read what it writes. Where no command may start,
  // as in a workspace that is not trusted, there is none to read.
  toolClass: 'read',
  description: 'Read what a command in the background has written since it was last read, and whether it still runs.',
  input,
  keeps: 'middle',
  offered: (_, { background }) => background !== undefined,
  async prepare({ id, wait_seconds }, { background }) {
    const { command } = requireCommand(id, background);
    return {
      title: `${id} ${showCommandInOneLine(command)}`,
      approval: null,
      changes: [],
      async run({ signal }) {
        const output = await background?.read(id, wait_seconds * 1_000, signal);
        if (!output) throw new ToolError(`${id} is gone.`);
        return describeOutput(output);
      },
    };
  },
};

/** Throws with the commands that there are. */
export function requireCommand(id: string, background: ToolPorts['background']): BackgroundCommand {
  const all = background?.list() ?? [];
  const found = all.find((each) => each.id === id);
  if (found) return found;
  const names = all.map((each) => `${each.id} (${showCommandInOneLine(each.command).slice(0, 80)})`).join(', ');
  throw new ToolError(
    `No command ${showInOneLine(id)} runs in the background. They end with the window. There are: ${names || 'none'}.`,
  );
}

export function describeOutput({ command, text, leftOut }: BackgroundOutput): ToolOutcome {
  const cut = leftOut > 0 ? `… ${leftOut} characters were not read in time …\n` : '';
  const body = text.trimEnd() === '' ? '(nothing new)' : text.trimEnd();
  return { text: `${describeState(command)}\n${cut}${body}`, headed: true };
}

function describeState({ id, ended }: BackgroundCommand): string {
  if (!ended) return `running in the background as ${id}`;
  if (ended.ended === 'aborted') return `${id} was stopped`;
  return ended.exitCode === null ? `${id} ended by a signal` : `exit code ${ended.exitCode} (${id})`;
}
