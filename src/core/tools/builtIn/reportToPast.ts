/**
 * `report_to_past`: a subagent leaves its report at a checkpoint of the agent that gave it the task. It is delivered
 * when the task has succeeded; everything that agent did after the checkpoint leaves its context.
 */

import * as z from 'zod';
import { defineTool } from '../tool.ts';

export const reportToPast = defineTool({
  name: 'report_to_past',
  toolClass: 'read',
  description:
    'Leave your report in the past of the agent that gave you this task: it goes back to a checkpoint of its own and finds the report there, and what it did since then leaves its context. Use it when the task asks for it, or when what you found makes needless what that agent did since. It is delivered when your task has ended.',
  input: z.strictObject({
    report: z.string().min(1).max(20_000).describe('What that agent should know: what you found out, and what is done'),
    checkpoint: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of a checkpoint of that agent, not of yours, as the task names it. Leave it out for the one right before it gave you the task',
      ),
  }),
  title: ({ checkpoint }) => checkpoint?.toString() ?? '',
  offered: ({ reports = false }) => reports,
  async prepare({ report, checkpoint }, { session }) {
    return {
      title: checkpoint?.toString() ?? '',
      approval: null,
      changes: [],
      run: async () => {
        session.reportToPast({ message: report, checkpoint });
        return { text: 'Scheduled: the report is delivered when your task has ended. End it now.' };
      },
    };
  },
});
