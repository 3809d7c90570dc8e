/** `present_plan`: ends the work in mode *plan*. The person approves the plan, changes it or refuses it. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { QuestionAnswer } from '../question.ts';
import { defineTool, type ToolOutcome, type ToolSession } from '../tool.ts';

export const presentPlan = defineTool({
  name: 'present_plan',
  alsoCalled: ['enterplanmode', 'exitplanmode', 'enter_plan_mode', 'exit_plan_mode'],
  toolClass: 'read',
  description:
    'In mode plan: show the person your finished plan. They approve it, change it or refuse it; once it is approved you may act. Not for questions.',
  input: z.strictObject({
    plan: z
      .string()
      .trim()
      .min(1)
      .max(20_000)
      .describe('The plan as Markdown: what will be changed, where, and how it is checked'),
  }),
  title: ({ plan }) => titleOf(plan),
  offered: (_, { questions }) => questions !== undefined,
  async prepare({ plan }, { session, questions }) {
    if (!questions) throw new ToolError('Nobody is there to approve a plan.');
    if (session.mode !== 'plan')
      throw new ToolError(`The mode is ${session.mode}, so there is no plan to approve. Go on without it.`);
    return {
      title: titleOf(plan),
      approval: null,
      changes: [],
      async run({ signal }) {
        const answer = await questions.ask({ kind: 'plan', text: plan }, signal);
        // Stopping a turn answers its open question; the model must not take that for a decision about the plan.
        signal.throwIfAborted();
        return settle(answer, session);
      },
    };
  },
});

async function settle(answer: QuestionAnswer, session: ToolSession): Promise<ToolOutcome> {
  if (answer.kind === 'approve') {
    await session.beginToAct();
    return {
      text:
        answer.changed === null
          ? 'The person approved the plan. The mode is act now: carry it out.'
          : `The person changed the plan and approved this. The mode is act now: carry it out.\n\n${answer.changed}`,
    };
  }
  const reply = answer.kind === 'answer' ? answer.text : answer.reason;
  return {
    text: `The person refused the plan; the mode is still plan.${reply ? ` They said: ${reply}` : ''}`,
    isError: true,
    outcome: { kind: 'declined' },
  };
}

/** Its first line, without heading marks. */
function titleOf(plan: string): string {
  return (plan.trim().split('\n', 1)[0] ?? '').replace(/^#{1,6} /, '').slice(0, 200);
}
