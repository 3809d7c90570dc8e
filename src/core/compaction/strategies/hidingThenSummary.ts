/**
 * Hides old tool results first, and summarises when that changes nothing. With `minimumReclaim` a small gain counts as
 * no change too: each step ages one more group, so otherwise there is nearly always something to hide. Whether hiding
 * was enough is measured only on request.
 */

import * as z from 'zod';
import { count, setting } from '../../setting.ts';
import { defineStrategy } from './defineStrategy.ts';
import { beginsGroup, beginsMessage, countRecent } from './recentPart.ts';
import { findNewest, summariseBefore } from './summariseBefore.ts';
import { hideOldResults } from './toolResultHiding.ts';

/** Messages that stay when it summarises, unless `compaction.keep.recent` says otherwise. */
const KEPT_MESSAGES = 2;

export const hidingThenSummary = defineStrategy({
  id: 'hiding-then-summary',
  label: 'Hide, then summary',
  description: 'Hides older tool results first, and summarises when there is nothing left to hide.',
  title: 'Hide, Then Summary',
  section: 'hidingThenSummary',
  more: true,
  settings: {
    preserveRecentGroups: setting(
      count(0, 1_000),
      5,
      'How many of the newest groups of tool calls keep their results.',
    ),
    minimumReclaim: setting(count(), 0, 'If hiding would free fewer tokens than this, a summary is made instead.'),
    remeasure: setting(
      z.boolean(),
      false,
      'Check again after hiding, and summarise at once if it was not enough. When off, hiding is enough as long as the window holds the rest, and the next compaction summarises when there is nothing left to hide.',
    ),
  },
  needs: ['llm', 'countTokens'],
  resultPolicy: ({ remeasure }) => ({ finalResult: remeasure ? 'none' : 'first' }),
  create: ({ countTokens, settings }) => ({
    compact: async (context) => {
      const values = settings();
      const groups = countRecent(context, values.keepRecent, values.preserveRecentGroups, beginsGroup);
      const hiding = hideOldResults(context, groups);
      const enough = hiding !== null && hiding.reclaimed >= values.minimumReclaim;
      // A second attempt means that hiding was not enough: repeating it would change nothing.
      if (enough && context.attempt === 1) return hiding.messages;
      // Too little to continue with, but the fallback when the summary fails.
      if (hiding) context.soFar(hiding.messages);
      const keep = countRecent(context, values.keepRecent, KEPT_MESSAGES, beginsMessage);
      const at = findNewest(context.history, context.attempt > 1 ? keep >> 1 : keep);
      return summariseBefore(context, at, values, countTokens, 'kimi');
    },
  }),
});
