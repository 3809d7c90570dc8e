/**
 * Hides the results of all but the newest groups of tool calls behind stubs. Groups are defined by tool calls, not by
 * user messages; nothing else changes; returns null when nothing was hidden.
 */

import type { CompactionContext, ContextMessage } from '../../../api/index.ts';
import { count, setting } from '../../setting.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { defineStrategy } from './defineStrategy.ts';
import { beginsGroup, countRecent } from './recentPart.ts';

export const toolResultHiding = defineStrategy({
  id: 'tool-result-hiding',
  label: 'Hide tool results',
  description: 'Replaces older tool results with short placeholders. Needs no model; the agent can look them up again.',
  title: 'Hide Tool Results',
  section: 'toolResultHiding',
  more: true,
  settings: {
    preserveRecentGroups: setting(
      count(0, 1_000),
      5,
      'How many of the newest groups of tool calls keep their results.',
    ),
  },
  needs: [],
  resultPolicy: () => ({ finalResult: 'every' }),
  create: ({ settings }) => ({
    compact: async (context) => {
      const { keepRecent, preserveRecentGroups } = settings();
      const keep = countRecent(context, keepRecent, preserveRecentGroups, beginsGroup);
      // A second attempt means that the window cannot hold so many.
      return hideOldResults(context, context.attempt > 1 ? mostThatFit(context, keep) : keep)?.messages ?? null;
    },
  }),
});

/** The number of groups below `tooMany` that the window holds, at least one. */
function mostThatFit(context: CompactionContext, tooMany: number): number {
  const sizeWith = (keep: number) => {
    const { messages } = hideOldResults(context, keep) ?? { messages: context.history };
    return sumTokens(messages);
  };
  let [fits, over] = [Math.min(1, tooMany), tooMany];
  while (over - fits > 1) {
    const middle = (fits + over) >> 1;
    if (sizeWith(middle) <= context.thresholdTokens) fits = middle;
    else over = middle;
  }
  return fits;
}

interface Hiding {
  readonly messages: readonly ContextMessage[];
  /** Tokens of the hidden results; their stubs cost almost nothing. */
  readonly reclaimed: number;
}

/**
 * Null when there is nothing to hide. A group is one assistant message with calls and the results that follow it before
 * the next assistant message; parallel calls are one group, which is hidden whole or not at all.
 */
export function hideOldResults({ history, hide }: CompactionContext, keepGroups: number): Hiding | null {
  const messages = [...history];
  const end = findRecentGroups(history, keepGroups);
  let reclaimed = 0;
  let group: number[] = [];
  for (let at = 0; at < end; at++) {
    const message = history[at] as ContextMessage;
    if (message.role === 'tool' && !message.hidden) group.push(at);
    // The messages of one block are contiguous.
    if (group.length === 0 || history[at + 1]?.block === message.block) continue;
    const shown = group.map((index) => history[index] as ContextMessage);
    const stubs = shown.map((result) => hide(result, 'hidden', true));
    const saved = sumTokens(shown);
    // A protected result comes back as it was, and keeps its group.
    if (stubs.every((stub, i) => stub !== shown[i]) && sumTokens(stubs) < saved) {
      for (const [i, index] of group.entries()) messages[index] = stubs[i] as ContextMessage;
      reclaimed += saved;
    }
    group = [];
  }
  return reclaimed > 0 ? { messages, reclaimed } : null;
}

/** Index where the newest `keepGroups` tool call groups begin. */
function findRecentGroups(history: readonly ContextMessage[], keepGroups: number): number {
  let at = history.length;
  for (let left = keepGroups; left > 0 && at > 0; ) {
    at--;
    if (beginsGroup(history[at] as ContextMessage)) left--;
  }
  return at;
}
