/**
 * What Cline and Roo left out of the context. Roo leaves everything in the file and names, in what it hid, the summary
 * (`condenseParent`) or the marker (`truncationParent`) that hid it; when a person took that back, nothing is hidden.
 */

import type { Json } from '../../json.ts';
import type { Recorded, RecordedMessage } from '../recorded.ts';

/** A message, and the entry of the file in which it stands. */
export interface Told {
  readonly entry: Json;
  readonly message: RecordedMessage;
  /** It is no message of the conversation but took the place of others: Roo's summary or marker, Cline's summary. */
  readonly mark?: 'condensed' | 'truncated' | 'continued';
}

/** The messages, with a compaction wherever one began to hide others. */
export function replayHistory(told: readonly Told[], entries: readonly Json[]): Recorded[] {
  const history = new History(told, entries);
  const recorded = told.map(({ message, mark }, at): Recorded => {
    return mark ? { role: 'compaction', context: history.visibleAt(at) } : message;
  });
  const visible = new Set(history.visibleAt(told.length - 1));
  const newest = told.findLastIndex(({ mark }) => mark);
  const hiddenLater = told.some(({ message }, at) => at > newest && !visible.has(message));
  return hiddenLater ? [...recorded, { role: 'compaction', context: [...visible] }] : recorded;
}

class History {
  readonly #told: readonly Told[];
  /** Cline keeps the first question and the first answer. */
  readonly #first: ReadonlySet<Json>;
  readonly #named: ReadonlySet<unknown>;

  constructor(told: readonly Told[], entries: readonly Json[]) {
    this.#told = told;
    this.#first = new Set(entries.slice(0, 2));
    this.#named = new Set(entries.flatMap(({ condenseParent: by }) => (typeof by === 'string' ? [by] : [])));
  }

  /** What was sent when the message at `end` was the newest. */
  visibleAt(end: number): RecordedMessage[] {
    const past = this.#told.slice(0, end + 1);
    const hiding = new Set<unknown>();
    for (const { entry, mark } of past) {
      if (mark === 'condensed') hiding.add(entry.condenseId);
      if (mark === 'truncated') hiding.add(entry.truncationId);
    }
    hiding.delete(undefined);
    // A summary that nothing names has the place of all before it.
    const begin = past.findLastIndex(({ entry, mark }) => mark === 'condensed' && !this.#named.has(entry.condenseId));
    const continued = past.findLastIndex(({ mark }) => mark === 'continued');
    return past.flatMap(({ entry, message }, at) => {
      const before = at < begin || (at < continued && !this.#first.has(entry));
      return before || hiding.has(entry.condenseParent) || hiding.has(entry.truncationParent) ? [] : [message];
    });
  }
}
