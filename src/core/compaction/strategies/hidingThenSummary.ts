/**
 * K6: hide old tool results first; when that is a no-op, summarise. `minimumReclaim` lets a small gain count as a no-op,
 * because each step ages one more group and the document's own rule would rarely reach the summary.
 */

import type { StrategyFactory } from '../../../api/index.ts';
import { findNewest, summariseBefore } from './llmSummary.ts';
import { numberSetting } from './readSetting.ts';
import { hideOldResults } from './toolResultHiding.ts';

export const hidingThenSummary: StrategyFactory<'llm' | 'countTokens' | 'settings'> = {
  needs: ['llm', 'countTokens', 'settings'],
  create: ({ countTokens, settings }) => ({
    compact: async (context) => {
      const section = settings();
      const hiding = hideOldResults(context, numberSetting(section, 'preserveRecentGroups', 5));
      const enough = hiding !== null && hiding.reclaimed >= numberSetting(section, 'minimumReclaim', 0);
      // A second attempt means that hiding was not enough: repeating it would change nothing.
      if (enough && context.attempt === 1) return hiding.messages;
      const keep = numberSetting(section, 'preserveRecentMessages', 2);
      const at = findNewest(context.history, context.attempt > 1 ? keep >> 1 : keep);
      return summariseBefore(context, at, section, countTokens, 'kimi');
    },
  }),
};

export default hidingThenSummary;
