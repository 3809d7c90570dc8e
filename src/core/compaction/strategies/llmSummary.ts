/**
 * K7, M5, M6: the newest user and assistant messages stay with their blocks whole, everything before them becomes one
 * summary in front. Pinned messages of the older part stay; the latest user message is summarised with it, and comes back
 * by the compactor's repair.
 */

import type { CompactionContext, ContextMessage, NewSummary, StrategyFactory } from '../../../api/index.ts';
import { numberSetting, type Section } from './readSetting.ts';
import { isSummary, type SummaryRequest, summariseHistory } from './summary/summariseHistory.ts';
import { readSummaryOptions } from './summary/summaryOptions.ts';
import type { SummaryStyle } from './summary/summaryPrompts.ts';

export const llmSummary: StrategyFactory<'llm' | 'countTokens' | 'settings'> = {
  needs: ['llm', 'countTokens', 'settings'],
  create: ({ countTokens, settings }) => ({
    compact: (context) => {
      const section = settings();
      const keep = numberSetting(section, 'preserveRecentMessages', 2);
      const at = findNewest(context.history, context.attempt > 1 ? keep >> 1 : keep);
      return summariseBefore(context, at, section, countTokens, 'kimi');
    },
  }),
};

/** Index of the message that the newest `keep` user and assistant messages begin with. */
export function findNewest(history: readonly ContextMessage[], keep: number): number {
  let at = history.length;
  for (let left = keep; left > 0 && at > 0; ) {
    at--;
    const message = history[at];
    if (message?.role === 'assistant' || (message && isUser(message))) left--;
  }
  return at;
}

/** One summary of what stands before `at`, then what is protected there, then the rest. Null when nothing would go. */
export async function summariseBefore(
  context: CompactionContext,
  at: number,
  section: Section,
  count: (text: string) => number,
  style: SummaryStyle,
  more: Pick<SummaryRequest, 'maxCharacters'> = {},
): Promise<readonly (ContextMessage | NewSummary)[] | null> {
  const { history } = context;
  const latest = history.findLast(isUser);
  const stays = new Set<number>();
  for (const message of history) if (message.protected && message !== latest) stays.add(message.block);
  const older = history.filter((message, i) => i < at && !stays.has(message.block));
  if (older.every((message) => isSummary(message) || message.protected)) return null;
  const options = { ...readSummaryOptions(context, section, style, count), ...more };
  const made = await summariseHistory(context.llm, older, options);
  if (!made) return null;
  const kept = new Set<ContextMessage>(made.frozen);
  const rest = history.filter((message, i) => i >= at || stays.has(message.block) || kept.has(message));
  const front = rest.findLastIndex((message) => kept.has(message)) + 1;
  return [...rest.slice(0, front), made.summary, ...rest.slice(front)];
}

export const isUser = (message: ContextMessage) => message.role === 'user' && message.kind === 'user';

export default llmSummary;
