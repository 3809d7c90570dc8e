/**
 * The last rounds stay whole; everything before them becomes one short account in the third person, cut at a number of
 * characters. When that is still too large it runs again and keeps fewer rounds.
 */

import * as z from 'zod';
import type { CompactionContext } from '../../../api/index.ts';
import { choice, count, setting, share } from '../../settings/setting.ts';
import { BASES } from '../when/triggerSettings.ts';
import { defineStrategy } from './defineStrategy.ts';
import { beginsRound, countRecent, type Whole } from './recentPart.ts';
import { summariseBefore } from './summary/summariseBefore.ts';

export const roundSummary = defineStrategy({
  id: 'round-summary',
  label: 'Round summary',
  description: 'Keeps the last rounds whole and turns everything before them into one short account. Asks first.',
  title: 'Round Summary',
  section: 'roundSummary',
  settings: {
    triggerRatio: setting(
      share(0, 1),
      0.8,
      'Share of the maximum at which this strategy runs, unless only `#palimpsest.compaction.trigger.ratio#` is set.',
    ),
    triggerReserve: setting(
      count(),
      0,
      'Reserve of this strategy, unless only `#palimpsest.compaction.trigger.reserve#` is set.',
    ),
    triggerBasis: choice(
      BASES,
      'halfCharacters',
      'What this strategy compares, unless only `#palimpsest.compaction.trigger.basis#` is set.',
    ),
    maxContextTokens: setting(
      count(),
      80_000,
      'The maximum of this strategy in tokens; 0 is the model’s window. A number above the window counts as the window.',
    ),
    requireConfirmation: setting(
      z.boolean(),
      true,
      'Ask before this strategy compacts, unless only `#palimpsest.compaction.requireConfirmation#` is set.',
    ),
    keepRecentRounds: setting(count(0, 1_000), 2, 'How many of the newest rounds stay whole.'),
    summaryMaxLength: setting(count(50, 1_000_000), 1_000, 'The summary is cut at this many characters.'),
  },
  needs: ['llm', 'countTokens'],
  lastWord: (values, whole) => ({ wholeRounds: countRounds(whole, values) }),
  create: ({ countTokens, settings }) => ({
    compact: async (context) => {
      const values = settings();
      const more = { maxCharacters: values.summaryMaxLength };
      for (let keep = countRounds(context, values) >> (context.attempt > 1 ? 1 : 0); ; keep >>= 1) {
        const made = await summariseBefore(context, findRound(context, keep), values, countTokens, 'pi', more);
        // A second attempt keeps less until there is something to summarise, in the end of the newest round too.
        if (made || context.attempt === 1 || keep === 0) return made;
      }
    },
  }),
});

/** Newest rounds that stay. */
const countRounds = (whole: Whole, values: { readonly keepRecent: string; readonly keepRecentRounds: number }) =>
  countRecent(whole, values.keepRecent, values.keepRecentRounds, beginsRound);

/** Index of the first message of the newest `keep` rounds. */
function findRound({ history }: CompactionContext, keep: number): number {
  const last = history.at(-1)?.round ?? 0;
  const at = history.findIndex((message) => message.round > last - keep);
  return at < 0 ? history.length : at;
}
