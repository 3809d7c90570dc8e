/**
 * `compact_context`: the model asks for a compaction. It runs at the next quiescent point, so the call only schedules
 * it: a context cannot change its shape while a call is unanswered.
 */

import * as z from 'zod';
import { defineTool } from '../tool.ts';

export const compactContext = defineTool({
  name: 'compact_context',
  toolClass: 'read',
  description:
    'Ask for older parts of this conversation to be compacted, for instance when a long task is finished and its details are no longer needed. Nothing is lost: what goes can be recalled.',
  input: z.strictObject({
    keep: z.string().max(2_000).optional().describe('What must not be lost, in a few words'),
  }),
  offered: ({ agentTool }) => agentTool,
  async prepare({ keep }, { session }) {
    return {
      title: keep ?? '',
      approval: null,
      changes: [],
      run: async () => ({
        text: session.scheduleCompaction(keep) ?? 'Scheduled: the context is compacted before the next request.',
      }),
    };
  },
});
