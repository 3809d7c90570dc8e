/**
 * K7, M5, M6: the newest user and assistant messages stay with their blocks whole, everything before them becomes one
 * summary in front. Pinned messages of the older part stay; the latest user message is summarised with it, and comes back
 * by the compactor's repair.
 */

import type { CompactionContext, ContextMessage, NewSummary, StrategyFactory } from '../../../api/index.ts';
import { numberSetting, type Section, stringSetting } from './readSetting.ts';
import { summariseHistory } from './summariseHistory.ts';
import { SUMMARY_STYLES, type SummaryStyle } from './summaryPrompts.ts';

export const llmSummary: StrategyFactory<'llm' | 'countTokens' | 'settings'> = {
  needs: ['llm', 'countTokens', 'settings'],
  create: ({ countTokens, settings }) => ({
    compact: (context) => summariseOlder(context, settings(), countTokens, 'kimi'),
  }),
};

/** Null when everything belongs to the newest messages, or is protected. */
export async function summariseOlder(
  context: CompactionContext,
  section: Section,
  count: (text: string) => number,
  style: SummaryStyle,
): Promise<readonly (ContextMessage | NewSummary)[] | null> {
  const keep = numberSetting(section, 'preserveRecentMessages', 2);
  const { older, rest } = splitAtNewest(context.history, context.attempt > 1 ? keep >> 1 : keep);
  if (older.every((message) => isSummary(message) || message.protected)) return null;
  const text = await summariseHistory(context.llm, older, {
    style: SUMMARY_STYLES[readStyle(section, style)],
    customPrompt: stringSetting(section, 'summaryPrompt', ''),
    ...(context.instructions !== undefined ? { instructions: context.instructions } : {}),
    outputTokenMax: numberSetting(section, 'outputTokenMax', 4096),
    signal: context.signal,
    count,
    report: context.report,
  });
  return [{ role: 'user', kind: 'summary', text }, ...rest];
}

/** `rest` is the newest `keep` user and assistant messages with what follows each, after the protected older blocks. */
export function splitAtNewest(
  history: readonly ContextMessage[],
  keep: number,
): { older: readonly ContextMessage[]; rest: readonly ContextMessage[] } {
  let at = history.length;
  for (let left = keep; left > 0 && at > 0; ) {
    at--;
    const message = history[at];
    if (message?.role === 'assistant' || (message && isUser(message))) left--;
  }
  const latest = history.findLast(isUser);
  const stays = new Set<number>();
  for (const message of history) if (message.protected && message !== latest) stays.add(message.block);
  const older = history.slice(0, at).filter((message) => !stays.has(message.block));
  const rest = history.filter((message, i) => i >= at || stays.has(message.block));
  return { older, rest };
}

const isUser = (message: ContextMessage) => message.role === 'user' && message.kind === 'user';

function readStyle(section: Section, fallback: SummaryStyle): SummaryStyle {
  const style = stringSetting(section, 'summaryStyle', fallback);
  return style in SUMMARY_STYLES ? (style as SummaryStyle) : fallback;
}

const isSummary = (message: ContextMessage) => message.role === 'user' && message.kind === 'summary';

export default llmSummary;
