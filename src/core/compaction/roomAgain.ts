/**
 * Finds out whether the present model has room for what the newest compaction took: one made for a smaller window than
 * today's, whose undo leaves the context below the trigger. Computed from the context as it would be; nothing is changed.
 */

import type { CompactionEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Money } from '../money.ts';
import type { Gauge } from './trigger/gauge.ts';

export interface RoomAgain {
  /** The entry of the compaction. */
  readonly compaction: number;
  /** The model that has the room. */
  readonly model: string;
  /** Tokens of the context now and after the undo, calibrated. */
  readonly before: number;
  readonly after: number;
  /** Of the next message's input, read without a cache; null where no price is known. */
  readonly price: Money | null;
}

export function findRoomAgain(journal: Journal, gauge: Gauge): RoomAgain | null {
  const target = journal.context.activeCompactions.at(-1);
  const made = target ? windowOf(journal, target) : 0;
  if (!target || made === 0 || gauge.window <= made) return null;
  const { seq: compaction, time } = target;
  const context = journal.contextAt(journal.head);
  const undone = { type: 'compactionUndone', target: compaction, seq: journal.nextSeq, time } as const;
  context.apply({ ...undone, parent: journal.head });
  const { tokens: after, price, fits } = gauge.weigh(context);
  const { tokens: before } = gauge.reading;
  return fits && after > before ? { compaction, model: gauge.model, before, after, price } : null;
}

/** Tokens of the window that it was made for; 0 when unknown, as in a session of another program. */
function windowOf(journal: Journal, { seq, window }: CompactionEntry): number {
  if (typeof window === 'number') return window;
  for (const each of journal.tree.chain(seq)) {
    const entry = journal.tree.typeOf(each) === 'configured' ? journal.entry(each) : null;
    if (entry?.type === 'configured') return entry.window;
  }
  return 0;
}
