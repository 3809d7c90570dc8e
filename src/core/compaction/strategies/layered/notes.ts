/** The kept lines as text: in the order of time, under the file or message that they come from and its handle. */

import type { CompactionContext, ContextMessage, LineReason, NewSummary } from '../../../../api/index.ts';
import { sumTokens } from '../../../tokens/meter.ts';
import { isLedger } from '../../draft/extractFacts.ts';
import type { GeneralParameters } from '../defineStrategy.ts';
import { isSummary } from '../recentPart.ts';
import { makeRequest } from '../summariseBefore.ts';
import { type HistorySummary, summariseHistory } from '../summariseHistory.ts';
import { COURSE_STYLE } from '../summaryPrompts.ts';
import { placeOf } from './cover.ts';
import type { Line, Source } from './sessionIndex.ts';

const HEADING = 'Kept lines of earlier work, word for word.';
const REST = ' Others were left out; recall gives a source by its id.';
const CONTINUED = ' Continued.';
const CHANGED = '# Other files changed:';

/** Notes of this strategy, and whether they continue earlier ones. */
export function readNotes({ role, text }: ContextMessage): 'first' | 'continued' | null {
  if (role !== 'user' || !text.startsWith(HEADING)) return null;
  return text.startsWith(HEADING + CONTINUED) ? 'continued' : 'first';
}

/** `changed`: files that nothing else names. */
export function writeNotes(
  continued: boolean,
  lines: readonly Line[],
  changed: readonly string[],
  why: (line: Line) => LineReason,
): NewSummary {
  const text = [HEADING + (continued ? CONTINUED : '') + REST];
  const reasons: (LineReason | null)[] = [null];
  if (changed.length > 0) {
    text.push(`${CHANGED} ${changed.join(', ')}`);
    reasons.push(null);
  }
  for (const under of inPlaces(lines)) {
    text.push(headerOf((under.at(-1) as Line).source));
    reasons.push(null);
    for (const line of under) {
      text.push(line.text);
      reasons.push(why(line));
    }
  }
  return { role: 'user', kind: 'summary', text: text.join('\n').toWellFormed(), reasons };
}

/** Lines by the header that they stand under, in order. */
function inPlaces(lines: readonly Line[]): Line[][] {
  const sorted = lines.toSorted((a, b) => a.source.at - b.source.at || a.at - b.at);
  return [...Map.groupBy(sorted, ({ source }) => placeOf(source)).values()];
}

function headerOf({ id, path, request, tool }: Source): string {
  return `# ${path || request || tool || 'said'} [id ${id}]`;
}

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
    const isFull = sumTokens(earlier) > MOST_FROZEN * window;
    const maxGenerations = isFull ? Number.POSITIVE_INFINITY : request.maxGenerations;
    return summariseHistory(llm, [...earlier, ...since], { ...request, maxGenerations });
  };
}
