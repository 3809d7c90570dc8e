/**
 * The course of the work, as a model writes it beside the kept lines: earlier summaries, merged with the newer
 * messages.
 */

import type { CompactionContext, ContextMessage } from '../../../../api/index.ts';
import { sumTokens } from '../../../tokens/meter.ts';
import { isLedger } from '../../draft/ledgerLines.ts';
import { isSummary } from '../../draft/messageKinds.ts';
import type { GeneralParameters } from '../defineStrategy.ts';
import { makeRequest } from '../summariseBefore.ts';
import { type HistorySummary, summariseHistory } from '../summariseHistory.ts';
import { COURSE_STYLE } from '../summaryPrompts.ts';
import { readNotes } from './notes.ts';

/** True for a prose summary: of this strategy, of another one, or of an abandoned branch. */
export const isWritten = (message: ContextMessage): boolean =>
  isSummary(message) && readNotes(message) === null && !isLedger(message.text);

/** Pinned ones stay unchanged. */
export const isMergeable = (message: ContextMessage): boolean => isWritten(message) && !message.protected;

/**
 * Writes the summary. `recent` is the index of the newest part; null if no message came before it since the last time.
 */
export type Course = (recent: number) => Promise<HistorySummary | null>;

/** Maximum share of the window for summaries that are no longer merged; above it they are merged once more. */
const MOST_FROZEN = 0.1;

/** Null where no model can be asked. The returned function rejects with `ModelError`. */
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
    const isFull = sumTokens(earlier) > MOST_FROZEN * window;
    const maxGenerations = isFull ? Number.POSITIVE_INFINITY : request.maxGenerations;
    return summariseHistory(llm, [...earlier, ...since], { ...request, maxGenerations });
  };
}
