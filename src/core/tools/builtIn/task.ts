/**
 * `task`: gives a part of the work to a subagent, which has a context of its own and answers with a report. Starting one
 * asks nothing; what it would write or run is asked as if the agent itself did it, in the card of this call.
 */

import * as z from 'zod';
import { showInOneLine } from '../text/showHidden.ts';
import type { Tool } from '../tool.ts';

const input = z.strictObject({
  title: z.string().min(1).max(200).describe('What the task is about, in a few words'),
  prompt: z
    .string()
    .min(1)
    .max(50_000)
    .describe(
      'The whole task. The subagent knows nothing of this conversation: say what it must know and what to report',
    ),
  agent: z.string().max(64).optional().describe('Name of an agent in a file; leave it out for one like yourself'),
});

export const task: Tool<z.infer<typeof input>> = {
  name: 'task',
  toolClass: 'read',
  description:
    'Give a task to a subagent with a context of its own. Only its report comes back into this conversation. Use it for work that reads much of which only the conclusion matters, such as searching a large code base or reviewing a change.',
  input,
  offered: ({ subagents = false }) => subagents,
  async prepare({ title, prompt, agent }, { subagents }, toolCallId = '') {
    if (!subagents) throw new Error('Offered without a port');
    const file = await subagents.find(agent);
    return {
      title: showInOneLine(file ? `${file.name}: ${title}` : title),
      approval: null,
      changes: [],
      run: (options) => subagents.run(file, { title, prompt }, { ...options, toolCallId }),
    };
  },
};
