/**
 * `send_message_to_past`: the model returns to a checkpoint and leaves itself a message there. The call only schedules
 * it: the head cannot move while a call is unanswered.
 */

import * as z from 'zod';
import { defineTool } from '../tool.ts';

export const sendMessageToPast = defineTool({
  name: 'send_message_to_past',
  toolClass: 'read',
  description:
    'Go back to an earlier checkpoint of this conversation and leave yourself a message there. Everything after the checkpoint leaves your context. Use it to fold away a dead end, or long output of which only the conclusion matters.',
  input: z.strictObject({
    checkpoint: z.int().min(0).describe('Number of the checkpoint to go back to, as told by CHECKPOINT reminders'),
    message: z
      .string()
      .max(20_000)
      .describe('What your past self should know: findings, what failed, what is done already'),
  }),
  title: ({ checkpoint }) => String(checkpoint),
  offered: ({ dmail }) => dmail,
  async prepare(mail, { session }) {
    return {
      title: String(mail.checkpoint),
      approval: null,
      changes: [],
      run: async () => {
        session.scheduleDMail(mail);
        return { text: `Scheduled: the message goes to checkpoint ${mail.checkpoint} after this step.` };
      },
    };
  },
});
