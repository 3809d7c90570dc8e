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
  needs: ['countTokens'],
  create: ({ countTokens, settings }) => ({
    compact: async (context) => {
      const { preserveRecentGroups: keep } = settings();
      return hideOldResults(context, context.attempt > 1 ? keep >> 1 : keep, countTokens)?.messages ?? null;
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
 * follow it before the next assistant message; parallel calls are one group, which is hidden whole or not at all.
 */
export function hideOldResults(
  { history, hide }: CompactionContext,
  keepGroups: number,
  count: (text: string) => number,
): Hiding | null {
  const messages = [...history];
  let reclaimed = 0;
  for (const group of listGroups(history.slice(0, findRecentGroups(history, keepGroups)))) {
    if (group.some(([, result]) => result.protected)) continue;
    const shown = group.filter(([, result]) => !result.hidden);
    const stubs = shown.map(([at, result]) => [at, hide(result, 'hidden', true)] as const);
    if (!isSmaller(shown, stubs, count)) continue;
    for (const [at, stub] of stubs) messages[at] = stub;
    reclaimed += shown.reduce((sum, [, result]) => sum + result.tokens, 0);
  }
  return reclaimed > 0 ? { messages, reclaimed } : null;
}

type Placed = readonly [index: number, message: ContextMessage];

/** The results of each group, oldest first. */
function listGroups(history: readonly ContextMessage[]): Iterable<readonly Placed[]> {
  const groups = new Map<number, Placed[]>();
  for (const [i, message] of history.entries()) {
    if (message.role !== 'tool') continue;
    const group = groups.get(message.block);
    if (group) group.push([i, message]);
    else groups.set(message.block, [[i, message]]);
  }
  return groups.values();
}

/** Long texts need no count: a stub is a line. */
function isSmaller(shown: readonly Placed[], stubs: readonly Placed[], count: (text: string) => number): boolean {
  const weigh = (all: readonly Placed[]) =>
    all.reduce((sum, [, { text, tokens }]) => sum + (text.length > 2_000 ? tokens : count(text)), 0);
  return weigh(stubs) < weigh(shown);
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
