/**
 * Keeps the person's messages, and of everything else the messages and lines that are worth their tokens. New notes
 * follow earlier ones, which stay identical to the byte until all are selected again from the whole session.
 */

import * as z from 'zod';
import { choice, count, setting, share } from '../../../setting.ts';
import { defineStrategy } from '../defineStrategy.ts';
import type { HistorySummary } from '../summariseHistory.ts';
import { compactInLayers } from './compactInLayers.ts';
import { type Course, courseWriter } from './course.ts';
import { Pace } from './pace.ts';
import { CONTINUED_SHARE } from './plan.ts';
import { SessionIndex } from './sessionIndex.ts';

const SETTINGS = {
  recentTokens: setting(
    count(0, 1_000_000),
    2_500,
    'Tokens of the newest part to keep unchanged, in whole groups of calls and results, and at most half of what a compaction aims at. The newest group stays whatever its size, and so does what came while a summary was prepared. `#palimpsest.compaction.keep.recent#` takes precedence.',
  ),
  keptShare: setting(
    share(0.02, 0.8),
    0.55,
    'Share of the window that kept lines and messages may take at most, those of earlier compactions included. They take all of it only where edits often go back to old lines.',
  ),
  userShare: setting(
    share(0, 0.8),
    0.15,
    'Share of the window in which your own messages are kept word for word, the newest first. The first one is always kept; another one that no longer fits, or is longer than this, leaves the context.',
  ),
  summary: setting(
    z.boolean(),
    true,
    'If a model is available, it writes a short summary of the work in addition to the kept lines: what is finished, what is under way, what failed and why, what comes next, open requests. Each compaction merges the previous summary with the newer messages.',
  ),
  prefer: choice(
    {
      lines: ['Lines', 'More useful content for the same tokens: single lines under the name of their file.'],
      messages: ['Whole messages', 'More whole messages in their original form, but less useful content in total.'],
    },
    'lines',
    'What to prefer: single lines or whole messages.',
  ),
  whenItPays: setting(
    z.boolean(),
    true,
    'Compact before the trigger fires if that costs less than continuing. `#palimpsest.compaction.trigger.whenItPays#` has the numbers.',
  ),
};

const USUAL_WINDOW = 64_000;

export const layered = defineStrategy({
  id: 'layered',
  label: 'Layered',
  description:
    'Keeps what you wrote, up to a share of the window, and the most useful lines of the rest, with a short summary if there is a model.',
  title: 'Layered',
  section: 'layered',
  settings: SETTINGS,
  needs: ['llm', 'countTokens'],
  leaves: ({ recentTokens, keptShare }, window) => ({
    recent: recentTokens,
    notes: CONTINUED_SHARE * keptShare * window,
  }),
  create: ({ countTokens, settings }) => {
    let index = new SessionIndex();
    /** The model's text from the last attempt; null if none was requested. */
    let made: HistorySummary | null = null;
    /** A second attempt keeps less next to the same summary. */
    const again = async () => made;
    const remember =
      (course: Course): Course =>
      async (recent) => {
        made = await course(recent);
        return made;
      };
    return {
      compact: async (context) => {
        const values = settings();
        const { keptShare, userShare, summary } = values;
        const window = context.maxContextSize || USUAL_WINDOW;
        const { past } = context;
        const known = countKnown(index, past);
        if (known === null) index = new SessionIndex();
        const pace = new Pace(context.pause);
        for (const message of past.slice(known ?? 0)) {
          index.add(message);
          const pause = pace.spend(message.tokens);
          if (pause) await pause;
        }
        const rooms = { ...values, window, notes: keptShare * window, users: userShare * window, count: countTokens };
        if (context.attempt > 1) return compactInLayers(context, index, rooms, made && again);
        made = null;
        const course = summary ? courseWriter(context, values, window, countTokens) : null;
        return compactInLayers(context, index, rooms, course && remember(course));
      },
    };
  },
});

/**
 * The number of messages of `past` that the index holds, which may also hold older ones that have left it; null after a
 * move to another branch. A path is the same up to a message that is the same.
 */
function countKnown(index: SessionIndex, past: readonly { readonly id: string }[]): number | null {
  const { sources } = index;
  const newest = sources.at(-1);
  if (!newest) return 0;
  const first = past[0] && index.get(past[0].id);
  const known = first ? sources.length - first.at : 0;
  return known > 0 && past[known - 1]?.id === newest.id ? known : null;
}
