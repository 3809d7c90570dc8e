/** Writes the kept lines as text: in chronological order, under their file or message and its handle. */

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

/** Whether these are the first notes of this strategy or continue earlier ones; null for other texts. */
export function readNotes({ role, text }: ContextMessage): 'first' | 'continued' | null {
  if (role !== 'user' || !text.startsWith(HEADING)) return null;
  return text.startsWith(HEADING + CONTINUED) ? 'continued' : 'first';
}

/** `changed`: files not named elsewhere. */
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

/** Lines by their header, in order. */
function inPlaces(lines: readonly Line[]): Line[][] {
  const sorted = lines.toSorted((a, b) => a.source.at - b.source.at || a.at - b.at);
  const places = new Map<string, Line[]>();
  for (const line of sorted) {
    const place = placeOf(line.source);
    const there = places.get(place);
    if (there) there.push(line);
    else places.set(place, [line]);
  }
  return [...places.values()];
}

function headerOf({ id, path, request, tool }: Source): string {
  return `# ${path || request || tool || 'said'} [id ${id}]`;
}

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
