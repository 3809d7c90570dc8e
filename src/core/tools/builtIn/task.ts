/**
 * `task`: gives a part of the work to a subagent, which has a context of its own and answers with a report. Starting
 * one needs no approval; its writes and commands are approved like the agent's own, in the card of this call.
 */

import * as z from 'zod';
import { showInOneLine } from '../text/showHidden.ts';
import { defineTool } from '../tool.ts';

export const task = defineTool({
  name: 'task',
  alsoCalled: ['agent', 'custom-agent', 'runsubagent'],
  toolClass: 'read',
  opens: 'session',
  description:
    'Give a task to a subagent with a context of its own. Only its report comes back into this conversation. Use it for work that reads much of which only the conclusion matters, such as searching a large code base or reviewing a change.',
  input: z.strictObject({
    title: z.string().min(1).max(200).describe('What the task is about, in a few words'),
    prompt: z
      .string()
      .min(1)
      .max(50_000)
      .describe(
        'The whole task. The subagent knows nothing of this conversation: say what it must know and what to report',
      ),
    agent: z.string().max(64).optional().describe('Name of an agent in a file; leave it out for one like yourself'),
  }),
  offered: ({ subagents = false }) => subagents,
  async prepare({ title, prompt, agent }, { subagents }, toolCallId = '') {
    if (!subagents) throw new Error('Offered without a port');
    const found = await subagents.find(agent);
    return {
      title: showInOneLine(found.name === null ? title : `${found.name}: ${title}`),
      approval: null,
      changes: [],
      run: (options) => found.run({ title, prompt }, { ...options, toolCallId }),
    };
  },
});
