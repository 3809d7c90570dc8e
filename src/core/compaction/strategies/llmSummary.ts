/**
 * The newest user and assistant messages stay with their blocks whole; one summary replaces everything before them. The
 * latest user message is summarised with the rest, and the compactor restores it when it falls outside.
 */

import { count, setting } from '../../setting.ts';
import { defineStrategy } from './defineStrategy.ts';
import { beginsMessage, countRecent } from './recentPart.ts';
import { findNewest, summariseBefore } from './summariseBefore.ts';

export const llmSummary = defineStrategy({
  id: 'llm-summary',
  label: 'Summary',
  description: 'A model summarises everything but the newest messages.',
  title: 'Summary Strategy',
  section: 'llmSummary',
  settings: {
    preserveRecentMessages: setting(
      count(0, 1_000),
      2,
      'How many of the newest user and assistant messages stay, with their tool calls and results.',
    ),
  },
  needs: ['llm', 'countTokens'],
  create: ({ countTokens, settings }) => ({
    compact: (context) => {
      const values = settings();
      const keep = countRecent(context, values.keepRecent, values.preserveRecentMessages, beginsMessage);
      const at = findNewest(context.history, context.attempt > 1 ? keep >> 1 : keep);
      return summariseBefore(context, at, values, countTokens, 'kimi');
    },
  }),
});
