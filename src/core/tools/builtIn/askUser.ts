/** `ask_user`: a question that only the person can answer, with choices or in their own words. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { defineTool } from '../tool.ts';

const MOST_CHOICES = 9;

export const askUser = defineTool({
  name: 'ask_user',
  alsoCalled: ['askuserquestion', 'askquestions', 'question'],
  toolClass: 'read',
  description:
    'Ask the person what only they can decide, when a wrong guess would cost them work. Look first for what the files can tell you. The answer comes back as the result.',
  input: z.strictObject({
    question: z.string().trim().min(1).max(2_000),
    choices: z
      .array(
        z.strictObject({
          label: z.string().trim().min(1).max(200),
          description: z.string().max(1_000).default(''),
        }),
      )
      .max(MOST_CHOICES)
      .default([])
      .describe('What they can choose from; they can always answer in their own words'),
  }),
  title: ({ question }) => question,
  offered: (_, { questions }) => questions !== undefined,
  async prepare({ question, choices }, { questions, session }) {
    if (!questions) throw new ToolError('Nobody is there to answer. Decide yourself, and say what you assumed.');
    const { refusal } = session.questions;
    if (refusal) throw new ToolError(refusal);
    return {
      title: question,
      approval: null,
      changes: [],
      async run({ signal }) {
        const answer = await questions.ask({ kind: 'choice', text: question, choices }, signal);
        // Stopping a turn answers its open question; the model must not take that for the person's answer.
        signal.throwIfAborted();
        if (answer.kind === 'answer') return { text: `The person answered: ${answer.text}` };
        session.questions.noteUnanswered();
        return { text: 'The person gave no answer. Decide yourself, and say what you assumed.' };
      },
    };
  },
});
