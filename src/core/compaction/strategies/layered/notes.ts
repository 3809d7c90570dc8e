/**
 * The notes that stand for what left: the kept lines in chronological order, under their file or message and its
 * handle.
 */

import type { ContextMessage, LineReason, NewSummary } from '../../../../api/index.ts';
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

/**
 * Writes the kept lines as text: in chronological order, under their file or message and its handle. `changed`: files not
 * named elsewhere.
 */
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

function headerOf({ id, path, request, tool, fate }: Source): string {
  const ended = fate === '' ? '' : ` (${fate})`;
  return `# ${path || request || tool || 'said'}${ended} [id ${id}]`;
}

const HEADER = /^# (.{1,400}?)(?: \(\w+\))? \[id \w{1,20}\]$/;

/** The kept lines in notes, each with what its header begins with. */
export function* linesIn(notes: string): Generator<{ readonly header: string; readonly text: string }> {
  let header = '';
  for (const text of notes.split('\n')) {
    const [, next] = HEADER.exec(text) ?? [];
    if (next === undefined) yield { header, text };
    else header = next;
  }
}
