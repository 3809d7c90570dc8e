/** How the model sees an item of the transcript now. */

import type { Fate } from '../../protocol/rows.ts';
import type { Projection } from '../context/projection.ts';

/** The facts of the context that rows need besides the journal. */
export type ContextView = Pick<Projection, 'slot' | 'isPinned' | 'activeCompactions' | 'undoneCompactions'>;

export function standing(itemId: string, context: ContextView): { readonly fate: Fate; readonly pinned: boolean } {
  return { fate: fateOf(itemId, context), pinned: context.isPinned(itemId) };
}

function fateOf(itemId: string, context: ContextView): Fate {
  const slot = context.slot(itemId);
  switch (slot?.shown) {
    case undefined:
    case 'whole':
      return 'seen';
    case 'replaced':
      return slot?.hidden ? 'hidden' : 'shortened';
    case 'dropped':
    case 'absent':
      return 'dropped';
  }
}
