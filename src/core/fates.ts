/** The fate of a message in a compaction: the one vocabulary for rows, previews, questions and pages. */

import { type Words, words } from './words.ts';

/**
 * From what stays as it is to what is gone. `inLines`: gone, but for lines that a note holds word for word. `read`: gone,
 * and a summary in its place was written from its text. `unread`: gone, and no summary was. `removed`: gone, and an older
 * journal does not say how.
 */
export const FATES = ['kept', 'inLines', 'shortened', 'hidden', 'read', 'unread', 'removed'] as const;

export type Fate = (typeof FATES)[number];

export interface FateCount {
  readonly fate: Fate;
  readonly messages: number;
  /** Of those that were read: how many only in part. */
  readonly inPart: number;
}

/** The name of a fate, as a heading. */
export const FATE_NAMES: Readonly<Record<Fate, Words>> = {
  kept: words('Kept as they are'),
  inLines: words('Kept in lines'),
  shortened: words('Shortened'),
  hidden: words('Hidden behind a placeholder'),
  read: words('Read by the summary'),
  unread: words('Dropped unread'),
  removed: words('Removed'),
};

/** Such as `12 read by the summary, 3 of them in part`. */
export function fateWords({ fate, messages, inPart }: FateCount): Words {
  switch (fate) {
    case 'kept':
      return words('{0} kept', messages);
    case 'inLines':
      return words('{0} kept in lines', messages);
    case 'shortened':
      return words('{0} shortened', messages);
    case 'hidden':
      return words('{0} hidden', messages);
    case 'read':
      if (inPart === 0) return words('{0} read by the summary', messages);
      return inPart === messages
        ? words('{0} read in part by the summary', messages)
        : words('{0} read by the summary, {1} of them in part', messages, inPart);
    case 'unread':
      return words('{0} dropped unread', messages);
    case 'removed':
      return words('{0} removed', messages);
  }
}

/** Totals in the order of `FATES`, without fates that nothing has. `whole`: all of its text was read. */
export function countFates(given: Iterable<{ readonly fate: Fate; readonly whole: boolean }>): FateCount[] {
  const sums = new Map<Fate, { messages: number; inPart: number }>();
  for (const { fate, whole } of given) {
    const sum = sums.get(fate) ?? { messages: 0, inPart: 0 };
    sums.set(fate, sum);
    sum.messages++;
    if (fate === 'read' && !whole) sum.inPart++;
  }
  return FATES.flatMap((fate) => {
    const sum = sums.get(fate);
    return sum ? [{ fate, ...sum }] : [];
  });
}
