/** `stop_command`: ends a command in the background with all that it has started. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { showCommandInOneLine } from '../text/showHidden.ts';
import type { Tool } from '../tool.ts';
import { describeOutput, requireCommand } from './readOutput.ts';

const input = z.strictObject({ id: z.string().min(1).max(40).describe('As run_command named it') });

export const stopCommand: Tool<z.infer<typeof input>> = {
  name: 'stop_command',
  toolClass: 'run',
  description: 'Stop a command that runs in the background, with all that it has started.',
  input,
  keeps: 'middle',
  offered: (_, { background }) => background !== undefined,
  async prepare({ id }, { background }) {
    const title = `${id} ${showCommandInOneLine(requireCommand(id, background).command)}`;
    return {
      title,
      approval: null,
      // A person agreed to the command; nobody needs to agree to its end.
      grant: { key: 'stop_command', standing: 'allow', allowAlways: async () => undefined },
      changes: [],
      async run() {
        const output = await background?.stop(id);
        if (!output) throw new ToolError(`${id} is gone.`);
        return describeOutput(output);
      },
    };
  },
};
