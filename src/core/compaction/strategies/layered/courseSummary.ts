/**
 * What a model writes beside the kept lines: the course of the work. Each time it is merged with what came since into one
 * that takes its place, so that there is one of it.
 */

import type { CompactionContext, ContextMessage } from '../../../../api/index.ts';
import { isLedger } from '../../draft/facts.ts';
import type { GeneralParameters } from '../defineStrategy.ts';
import { makeRequest } from '../summary/summariseBefore.ts';
import { type HistorySummary, isSummary, summariseHistory } from '../summary/summariseHistory.ts';
import { COURSE_STYLE } from '../summary/summaryPrompts.ts';
import { readNotes } from './notes.ts';

/** A summary in sentences: of this strategy, of another one, or of a branch that was left. */
export const isWritten = (message: ContextMessage): boolean =>
  isSummary(message) && readNotes(message) === null && !isLedger(message.text);

/** One that is pinned stays as it is. */
export const isMergeable = (message: ContextMessage): boolean => isWritten(message) && !message.protected;

/** Writes it. `recent` is the index at which the newest part begins; null where nothing came before it since the last time. */
export type Course = (recent: number) => Promise<HistorySummary | null>;

/** What earlier ones that are no longer merged may take of the window; beyond that they are merged once more. */
const MOST_FROZEN = 0.1;

/** Null where no model can be asked. What it gives rejects with `ModelError`. */
export function courseWriter(
  context: CompactionContext,
  values: GeneralParameters,
  window: number,
  count: (text: string) => number,
): Course | null {
  const { history, llm } = context;
  if (llm.maxInputTokens === 0) return null;
  return async (recent) => {
    const last = history.findLastIndex(isWritten);
    if (last >= recent) return null;
    const earlier = history.slice(0, recent).filter(isMergeable);
    const since = history.slice(last + 1, recent).filter((message) => !isSummary(message));
    const request = makeRequest(context, values, COURSE_STYLE, count);
    const isFull = earlier.reduce((sum, { tokens }) => sum + tokens, 0) > MOST_FROZEN * window;
    const maxGenerations = isFull ? Number.POSITIVE_INFINITY : request.maxGenerations;
    return summariseHistory(llm, [...earlier, ...since], { ...request, maxGenerations });
  };
}
