/**
 * The last rounds stay whole; everything before them becomes one short third-person account, cut at a number of
 * characters. If that would still be too large, it runs again and keeps fewer rounds, before any model is asked.
 */

import * as z from 'zod';
import type { CompactionContext } from '../../../api/index.ts';
import { choice, count, setting, share } from '../../setting.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { BASES } from '../sections/generalSettings.ts';
import { defineStrategy } from './defineStrategy.ts';
import { beginsRound, countRecent, type Whole } from './recentPart.ts';
import { summariseBefore, tokensBeside } from './summariseBefore.ts';

export const roundSummary = defineStrategy({
  id: 'round-summary',
  label: 'Round summary',
  description: 'Keeps the last rounds whole and turns everything before them into one short account. Asks first.',
  title: 'Round Summary',
  section: 'roundSummary',
  more: true,
  defaults: { 'compaction.trigger.reserve': 0 },
  settings: {
    triggerRatio: setting(
      share(0, 1),
      0.8,
      'Share of the maximum at which this strategy runs, unless only `#palimpsest.compaction.trigger.ratio#` is set.',
    ),
    triggerBasis: choice(
      BASES,
      'halfCharacters',
      'The figure that this strategy compares, unless only `#palimpsest.compaction.trigger.basis#` is set.',
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
    summaryMaxLength: setting(
      count(50, 1_000_000),
      1_000,
      'The summary may have this many characters. The model is told so, and what is longer is cut at the end of a sentence.',
    ),
  },
  needs: ['llm', 'countTokens'],
  resultPolicy: (values, whole) => ({ wholeRounds: countRounds(whole, values) }),
  create: ({ countTokens, settings }) => ({
    compact: async (context) => {
      const values = settings();
      const more = { maxCharacters: values.summaryMaxLength };
      const at = findStart(context, countRounds(context, values), values);
      return at === null ? null : summariseBefore(context, at, values, countTokens, 'pi', more);
    },
  }),
});

const countRounds = (whole: Whole, values: { readonly keepRecent: string; readonly keepRecentRounds: number }) =>
  countRecent(whole, values.keepRecent, values.keepRecentRounds, beginsRound);

/** Typical ratio for summaries. */
const TOKENS_PER_CHARACTER = 0.25;
/** If nothing fits, a summary must free at least this share of the history to be worth its price. */
const WORTH = 0.1;

interface Length {
  readonly summaryMaxLength: number;
}

/** True when the trigger would be quiet with a summary of the messages before `at`. */
const fits = (context: CompactionContext, at: number, { summaryMaxLength }: Length): boolean =>
  tokensBeside(context.history, at) + summaryMaxLength * TOKENS_PER_CHARACTER <= context.thresholdTokens;

/**
 * Index where the kept part begins: the newest `rounds`, in a second attempt as many fewer as fit, and in the end only
 * the person's request. Null where the summary would not be worth its price.
 */
function findStart(context: CompactionContext, rounds: number, values: Length): number | null {
  const { history, attempt, thresholdTokens, targetTokens } = context;
  if (attempt === 1) {
    const at = findRound(context, rounds);
    // Without a trigger there is no threshold but the target, and the person who requested it wants the best possible
    // result.
    return thresholdTokens <= targetTokens || fits(context, at, values) ? at : null;
  }
  for (let keep = rounds >> 1; keep > 0; keep >>= 1) {
    const at = findRound(context, keep);
    if (fits(context, at, values)) return at;
  }
  const all = sumTokens(history);
  const freed = all - tokensBeside(history, history.length) - values.summaryMaxLength * TOKENS_PER_CHARACTER;
  return fits(context, history.length, values) || freed > all * WORTH ? history.length : null;
}

function findRound({ history }: CompactionContext, keep: number): number {
  const last = history.at(-1)?.round ?? 0;
  const at = history.findIndex((message) => message.round > last - keep);
  return at < 0 ? history.length : at;
}
