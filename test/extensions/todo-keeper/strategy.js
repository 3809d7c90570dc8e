// @ts-check
/** @import { ContextMessage, StrategyFactory } from '../../../src/api/index.ts' */

/** Tools by which agents write a plan or change a file, in recordings of other programs too. */
const PLAN_TOOL = /todo|plan/i;
const EDIT_TOOL = /edit|write|patch|replace/i;
/** A line such as `- [x] read the tests`. */
const CHECKLIST = /^\s*(?:[-*]|\d+\.) \[[ x]\] /im;

/**
 * Keeps what people wrote, every change of a file, the newest plan and the newest few groups. The rest becomes stubs.
 * @type {StrategyFactory<'settings'>}
 */
export const todoKeeper = {
  needs: ['settings'],
  create: ({ settings }) => ({
    compact: async ({ history, attempt, hide }) => {
      const { keepGroups = 4 } = /** @type {{ keepGroups?: number }} */ (settings());
      const groups = [...new Set(history.map(({ block }) => block))];
      const newest = groups.slice(groups.length - Math.ceil(keepGroups / attempt));
      const plan = history.findLast(holdsPlan)?.block;
      const edits = history.filter(changesFile).map(({ block }) => block);
      const kept = new Set([...newest, ...edits, plan]);
      const result = history.map((message) =>
        message.role === 'user' || kept.has(message.block) ? message : hide(message),
      );
      return result.some((message, i) => message !== history[i]) ? result : null;
    },
  }),
};

/** @param {ContextMessage} message */
const holdsPlan = (message) =>
  message.role === 'assistant' &&
  (CHECKLIST.test(message.text) || message.toolCalls.some(({ name }) => PLAN_TOOL.test(name)));

/** @param {ContextMessage} message */
const changesFile = (message) =>
  message.role === 'assistant' && message.toolCalls.some(({ name }) => EDIT_TOOL.test(name) && !PLAN_TOOL.test(name));
