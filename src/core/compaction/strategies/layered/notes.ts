/**
 * The notes that stand for what left: the kept lines in chronological order, under their file or message and its
 * handle.
 */

import type { ContextMessage, LineReason, NewSummary } from '../../../../api/index.ts';
import { isInHeader, placeOf } from './cover.ts';
import type { Line, SessionIndex, Source } from './sessionIndex.ts';

const HEADING = 'Kept lines of earlier work, word for word.';

const REST = ' Others were left out; recall gives a source by its id.';

/** Of the notes' first line, with the frame of every summary. */
export const HEADING_TOKENS = 70;

const CONTINUED = ' Continued.';

const CHANGED = '# Other files changed:';

const OUTDATED = '# Kept above, but no longer so:';
/** Characters by which such a line is named. */
const LONGEST_OUTDATED = 80;

/** Whether these are the first notes of this strategy or continue earlier ones; null for other texts. */
export function readNotes({ role, text }: ContextMessage): 'first' | 'continued' | null {
  if (role !== 'user' || !text.startsWith(HEADING)) return null;
  return text.startsWith(HEADING + CONTINUED) ? 'continued' : 'first';
}

/**
 * Writes the kept lines as text: in chronological order, under their file or message and its handle. `changed`: files not
 * named elsewhere. `outdated`: lines of earlier notes that stay, and that their files no longer hold.
 */
export function writeNotes(
  continued: boolean,
  lines: readonly Line[],
  changed: readonly string[],
  why: (line: Line) => LineReason,
  outdated: readonly string[] = [],
): NewSummary {
  const text = [HEADING + (continued ? CONTINUED : '') + REST];
  const reasons: (LineReason | null)[] = [null];
  if (changed.length > 0) {
    text.push(`${CHANGED} ${changed.join(', ')}`);
    reasons.push(null);
  }
  if (outdated.length > 0) {
    text.push(OUTDATED, ...outdated.map((line) => line.slice(0, LONGEST_OUTDATED)));
    reasons.push(...Array<null>(1 + outdated.length).fill(null));
  }
  for (const under of inPlaces(lines)) {
    text.push(headerOf((under.at(-1) as Line).source));
    reasons.push(null);
    for (const line of under) {
      if (isInHeader(line)) continue;
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

/** Most lines that are named as outdated: with more of them notes are better written anew. */
const MOST_OUTDATED = 20;

/**
 * The lines of notes that their files no longer hold, without those that the notes name as such themselves. Null where they
 * are too many, and where a file is gone that heads some.
 */
export function outdatedIn(
  notes: readonly string[],
  index: Pick<SessionIndex, 'isGone' | 'isStaleIn'>,
): readonly string[] | null {
  const found = new Set<string>();
  const named = new Set<string>();
  for (const text of notes) {
    let header = '';
    let names = false;
    for (const line of text.split('\n').slice(1)) {
      const [, next] = HEADER.exec(line) ?? [];
      if (next !== undefined && index.isGone(next)) return null;
      if (next !== undefined) [header, names] = [next, false];
      else if (line === OUTDATED) names = true;
      else if (names) named.add(line);
      else if (index.isStaleIn(header, line)) found.add(line);
    }
  }
  const fresh = [...found].filter((line) => !named.has(line.slice(0, LONGEST_OUTDATED)));
  return named.size + fresh.length > MOST_OUTDATED ? null : fresh;
}
