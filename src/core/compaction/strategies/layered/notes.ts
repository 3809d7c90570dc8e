/** The kept lines as text: in the order of time, under the file or message that they come from and its handle. */

import type { ContextMessage, LineReason, NewSummary } from '../../../../api/index.ts';
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
export function inPlaces(lines: readonly Line[]): Line[][] {
  const sorted = lines.toSorted((a, b) => a.source.at - b.source.at || a.at - b.at);
  return [...Map.groupBy(sorted, ({ source }) => placeOf(source)).values()];
}

function headerOf({ id, path, request, tool }: Source): string {
  return `# ${path || request || tool || 'said'} [id ${id}]`;
}
