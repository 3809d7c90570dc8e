/** How the model sees an item of the transcript now. */

import type { Fate } from '../../protocol/rows.ts';
import type { Projection } from '../context/projection.ts';
import type { CompactionEntry } from '../journal/entry.ts';
import { fatesIn } from '../journal/removal.ts';

/** The facts of the context that rows need besides the journal. */
export type ContextView = Pick<
  Projection,
  'slot' | 'isPinned' | 'activeCompaction' | 'activeCompactions' | 'undoneCompactions'
>;

export function standing(itemId: string, context: ContextView): { readonly fate: Fate; readonly pinned: boolean } {
  return { fate: fateOf(itemId, context), pinned: context.isPinned(itemId) };
}

function fateOf(itemId: string, context: ContextView): Fate {
  const slot = context.slot(itemId);
  switch (slot?.shown) {
    case undefined:
    case 'whole':
      return 'kept';
    case 'replaced':
      return slot?.hidden ? 'hidden' : 'shortened';
    case 'dropped': {
      const entry = slot.by === null ? null : context.activeCompaction(slot.by);
      return (entry && fatesOf(entry).get(itemId)) ?? 'removed';
    }
    case 'absent':
      return 'removed';
  }
}

const known = new WeakMap<CompactionEntry, ReadonlyMap<string, Fate>>();

function fatesOf(entry: CompactionEntry): ReadonlyMap<string, Fate> {
  const fates = known.get(entry) ?? new Map([...fatesIn(entry)].map(({ id, fate }) => [id, fate]));
  known.set(entry, fates);
  return fates;
}
