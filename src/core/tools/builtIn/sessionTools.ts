/** The tools that work on the session itself: they ask the person, plan, and change what the context holds. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { QuestionAnswer } from '../question.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { countDone, type Todo, todosSchema, WRITE_TODOS } from '../todos.ts';
import { defineTool, type ToolOutcome, type ToolSession } from '../tool.ts';

const MOST_CHOICES = 9;

/** `ask_user`: a question that only the person can answer, with choices or in their own words. */
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

/** `present_plan`: ends the work in mode *plan*. The person approves the plan, changes it or refuses it. */
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
  const said = answer.kind === 'answer' ? answer.text : answer.reason;
  return {
    text: `The person refused the plan; the mode is still plan.${said ? ` They said: ${said}` : ''}`,
    isError: true,
  };
}

/** Its first line, without heading marks. */
function titleOf(plan: string): string {
  return (plan.trim().split('\n', 1)[0] ?? '').replace(/^#{1,6} /, '').slice(0, 200);
}

/** `write_todos`: the model's list of open tasks, shown to the person above the composer. */
export const writeTodos = defineTool({
  name: WRITE_TODOS,
  alsoCalled: ['todo', 'todos', 'todowrite', 'todoread'],
  toolClass: 'read',
  description:
    'Write your todo list for work of three steps or more; the person sees it. Give the whole list each time. Mark the one you are at as doing, and each as done as soon as it is.',
  input: todosSchema,
  title: ({ todos }) => todoTitle(todos),
  async prepare({ todos }) {
    return {
      title: todoTitle(todos),
      approval: null,
      changes: [],
      run: async () => ({ text: `The list is shown: ${countDone(todos)} of ${todos.length} done.` }),
    };
  },
});

function todoTitle(todos: readonly Todo[]): string {
  const doing = todos.find(({ state }) => state === 'doing')?.text ?? '';
  return `${countDone(todos)}/${todos.length} ${doing}`.trim();
}

/**
 * `compact_context`: the model asks for a compaction. It runs at the next quiescent point, so the call only schedules
 * it: a context cannot change its shape while a call is unanswered.
 */
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

/**
 * `task`: gives a part of the work to a subagent, which has a context of its own and answers with a report. Starting
 * one needs no approval; its writes and commands are approved like the agent's own, in the card of this call.
 */
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

/**
 * `report_to_past`: a subagent leaves its report at a checkpoint of the agent that gave it the task. It is delivered
 * when the task has succeeded; everything that agent did after the checkpoint leaves its context.
 */
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
  offered: ({ reports = false }) => reports,
  async prepare({ report, checkpoint }, { session }) {
    return {
      title: checkpoint === undefined ? '' : `checkpoint ${checkpoint}`,
      approval: null,
      changes: [],
      run: async () => {
        session.reportToPast({ message: report, checkpoint });
        return { text: 'Scheduled: the report is delivered when your task has ended. End it now.' };
      },
    };
  },
});

/**
 * `send_message_to_past`: the model returns to a checkpoint and leaves itself a message there. The call only schedules
 * it: the head cannot move while a call is unanswered.
 */
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
  offered: ({ dmail }) => dmail,
  async prepare(mail, { session }) {
    return {
      title: `checkpoint ${mail.checkpoint}`,
      approval: null,
      changes: [],
      run: async () => {
        session.scheduleDMail(mail);
        return { text: `Scheduled: the message goes to checkpoint ${mail.checkpoint} after this step.` };
      },
    };
  },
});
