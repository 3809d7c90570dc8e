/**
 * The results of all but the newest groups of tool calls go behind stubs. Groups are made by tool calls, not by user
 * messages; nothing else is touched; nothing hidden means null.
 */

import type { CompactionContext, ContextMessage } from '../../../api/index.ts';
import { count, setting } from '../../settings/setting.ts';
import { defineStrategy } from './defineStrategy.ts';

export const toolResultHiding = defineStrategy({
  id: 'tool-result-hiding',
  label: 'Hide tool results',
  description: 'Older tool results go behind short stubs. Needs no model; everything can be recalled.',
  title: 'Hide Tool Results',
  section: 'toolResultHiding',
  settings: {
    preserveRecentGroups: setting(count(0, 1_000), 5, 'Newest groups of tool calls whose results stay.'),
  },
  needs: [],
  create: ({ settings }) => ({
    compact: async (context) => {
      const { preserveRecentGroups: keep } = settings();
      return hideOldResults(context, context.attempt > 1 ? keep >> 1 : keep)?.messages ?? null;
    },
  }),
});

export interface Hiding {
  readonly messages: readonly ContextMessage[];
  /** Tokens of the hidden results; their stubs cost next to nothing. */
  readonly reclaimed: number;
}

/**
 * Null when there is nothing to hide. A group is one assistant message with calls and the results that answer them, which
 * follow it before the next assistant message; parallel calls are one group.
 */
export function hideOldResults({ history, hide }: CompactionContext, keepGroups: number): Hiding | null {
  const recent = findRecentGroups(history, keepGroups);
  const messages = [...history];
  let reclaimed = 0;
  for (let i = 0; i < recent; i++) {
    const message = history[i] as ContextMessage;
    if (message.role !== 'tool' || message.hidden) continue;
    const hidden = hide(message);
    if (hidden === message) continue;
    messages[i] = hidden;
    reclaimed += message.tokens;
  }
  return reclaimed > 0 ? { messages, reclaimed } : null;
}

/** Index that the newest `keepGroups` tool call groups begin at. */
function findRecentGroups(history: readonly ContextMessage[], keepGroups: number): number {
  let at = history.length;
  for (let left = keepGroups; left > 0 && at > 0; ) {
    at--;
    const message = history[at];
    if (message?.role === 'assistant' && message.toolCalls.length > 0) left--;
  }
  return at;
}
