// @ts-check
/** @import { StrategyFactory } from '../../../src/api/index.ts' */

const KEEP_GROUPS = 5;
const FAILING = /\b(FAIL|failing|AssertionError|not ok)\b/;

/**
 * Hides the results of all but the newest five tool call groups. What failing tests printed stays.
 * @type {StrategyFactory}
 */
export const keepTests = {
  needs: [],
  create: () => ({
    compact: async ({ history, hide }) => {
      const groups = [...new Set(history.flatMap((m) => (m.role === 'tool' ? [m.block] : [])))];
      const recent = new Set(groups.slice(-KEEP_GROUPS));
      let hidden = 0;
      const result = history.map((message) => {
        if (message.role !== 'tool' || recent.has(message.block) || FAILING.test(message.text)) return message;
        const stub = hide(message);
        if (stub !== message) hidden++;
        return stub;
      });
      return hidden > 0 ? result : null;
    },
  }),
};
