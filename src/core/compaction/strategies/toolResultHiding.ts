/**
 * K5, tool result hiding: the results of all but the newest tool call groups go behind stubs. Groups are made by
 * `assistant.tool_calls`, not by user messages; nothing else is touched; nothing hidden means null.
 */

import type { CompactionContext, ContextMessage, StrategyFactory } from '../../../api/index.ts';
import { numberSetting } from './readSetting.ts';

export const toolResultHiding: StrategyFactory<'settings'> = {
  needs: ['settings'],
  create: ({ settings }) => ({
    compact: async (context) => {
      const keep = numberSetting(settings(), 'preserveRecentGroups', 5);
      return hideOldResults(context, context.attempt > 1 ? keep >> 1 : keep)?.messages ?? null;
    },
  }),
};

export interface Hiding {
  readonly messages: readonly ContextMessage[];
  /** Tokens of the hidden results; their stubs cost next to nothing. */
  readonly reclaimed: number;
}

/** Null when there is nothing to hide. Results are matched to their call by `toolCallId`, parallel calls are one group. */
export function hideOldResults({ history, hide }: CompactionContext, keepGroups: number): Hiding | null {
  const groupOf = new Map<string, number>();
  let groups = 0;
  for (const message of history) {
    if (message.role !== 'assistant' || message.toolCalls.length === 0) continue;
    for (const call of message.toolCalls) groupOf.set(call.id, groups);
    groups++;
  }
  let reclaimed = 0;
  const messages = history.map((message) => {
    if (message.role !== 'tool' || message.hidden) return message;
    const group = groupOf.get(message.toolCallId);
    if (group === undefined || group >= groups - keepGroups) return message;
    const hidden = hide(message);
    if (hidden !== message) reclaimed += message.tokens;
    return hidden;
  });
  return reclaimed > 0 ? { messages, reclaimed } : null;
}

export default toolResultHiding;
