/**
 * P1 to P6: the last rounds stay whole, everything before them becomes one short account in the third person, cut hard
 * at a number of characters. Still over: again, keeping less.
 */

import type { CompactionContext, StrategyFactory } from '../../../api/index.ts';
import { summariseBefore } from './llmSummary.ts';
import { numberSetting } from './readSetting.ts';

export const roundSummary: StrategyFactory<'llm' | 'countTokens' | 'settings'> = {
  needs: ['llm', 'countTokens', 'settings'],
  create: ({ countTokens, settings }) => ({
    compact: (context) => {
      const section = settings();
      const keep = numberSetting(section, 'keepRecentRounds', 2);
      const at = findRound(context, context.attempt > 1 ? keep >> 1 : keep);
      const maxCharacters = numberSetting(section, 'summaryMaxLength', 1000);
      return summariseBefore(context, at, section, countTokens, 'pi', { maxCharacters });
    },
  }),
};

/** Index of the first message of the newest `keep` rounds. */
function findRound({ history }: CompactionContext, keep: number): number {
  const last = history.at(-1)?.round ?? 0;
  const at = history.findIndex((message) => message.round > last - keep);
  return at < 0 ? history.length : at;
}

export default roundSummary;
