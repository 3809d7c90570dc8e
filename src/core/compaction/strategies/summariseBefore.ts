/** Replaces the older part of a history by one summary, beside what stays wherever it is. */

import type { CompactionContext, ContextMessage, NewSummary } from '../../../api/index.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { isPerson, isSummary } from '../draft/messageKinds.ts';
import type { GeneralParameters } from './defineStrategy.ts';
import { beginsMessage } from './recentPart.ts';
import { type HistorySummary, type SummaryRequest, summariseHistory } from './summariseHistory.ts';
import { type StylePrompt, SUMMARY_STYLES, type SummaryStyle } from './summaryPrompts.ts';

/** Index of the first of the newest `keep` user and assistant messages. */
export function findNewest(history: readonly ContextMessage[], keep: number): number {
  let at = history.length;
  for (let left = keep; left > 0 && at > 0; ) {
    at--;
    if (beginsMessage(history[at] as ContextMessage, history[at - 1])) left--;
  }
  return at;
}

/**
 * One summary of the messages before `at`, then the protected ones among them, then the rest. Null when nothing would
 * go. `own` is the style of the strategy's source, used unless another is chosen.
 */
export async function summariseBefore(
  context: CompactionContext,
  at: number,
  values: GeneralParameters,
  count: (text: string) => number,
  own: SummaryStyle,
  more: Pick<SummaryRequest, 'maxCharacters'> = {},
): Promise<readonly (ContextMessage | NewSummary)[] | null> {
  const { history } = context;
  const stays = findStaying(history);
  const older = history.filter((message, i) => i < at && !stays.has(message.block));
  if (older.every((message) => isSummary(message) || message.protected)) return null;
  /** With `left`: messages not yet in the summary. */
  const assemble = ({ summary, frozen }: HistorySummary, left: readonly ContextMessage[] = []) => {
    const kept = new Set<ContextMessage>([...frozen, ...left]);
    const rest = history.filter((message, i) => i >= at || stays.has(message.block) || kept.has(message));
    const front = rest.findLastIndex((message) => frozen.includes(message)) + 1;
    return [...rest.slice(0, front), summary, ...rest.slice(front)];
  };
  const soFar: NonNullable<SummaryRequest['soFar']> = (made, left) => context.soFar(assemble(made, left));
  const made = await summariseHistory(context.llm, older, {
    ...makeRequest(context, values, SUMMARY_STYLES[own], count),
    ...more,
    soFar,
  });
  return made && assemble(made);
}

/** Blocks that stay wherever they are. The latest user message is summarised with the rest, and restored after it. */
function findStaying(history: readonly ContextMessage[]): ReadonlySet<number> {
  const latest = history.findLast(isPerson);
  return new Set(history.flatMap((message) => (message.protected && message !== latest ? [message.block] : [])));
}

/** Tokens that remain next to a summary of the messages before `at`, the latest user message included. */
export function tokensBeside(history: readonly ContextMessage[], at: number): number {
  const stays = findStaying(history);
  const latest = history.findLast(isPerson);
  return sumTokens(history.filter((message, i) => i >= at || message === latest || stays.has(message.block)));
}

/** The person's settings for a summary. `own` is the style used unless another is chosen. */
export function makeRequest(
  context: CompactionContext,
  values: GeneralParameters,
  own: StylePrompt,
  count: (text: string) => number,
): SummaryRequest {
  return {
    style: values.summaryStyle === 'strategy' ? own : SUMMARY_STYLES[values.summaryStyle],
    customPrompt: values.summaryPrompt,
    structured: values.summaryStructured,
    ...(context.instructions !== undefined ? { instructions: context.instructions } : {}),
    outputTokenMax: values.outputTokenMax,
    // A second attempt must be smaller: frozen summaries are merged after all.
    maxGenerations: context.attempt > 1 ? Number.POSITIVE_INFINITY : values.maxSummaryGenerations,
    signal: context.signal,
    count,
    report: context.report,
  };
}
