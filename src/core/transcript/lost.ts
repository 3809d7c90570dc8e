/** What a compaction took, added up by kind of message for its row. */

import type { RowOf } from '../../protocol/rows.ts';
import type { ItemKind } from '../context/item.ts';
import type { CompactionEntry } from '../journal/entry.ts';
import type { ContextView } from './live.ts';
import { countNamed, whatWent } from './whatWent.ts';

type Lost = RowOf<'compaction'>['lost'];
type Kind = Lost[number]['kind'];

/** Messages beyond which a row does not look at each of them. */
const MOST = 5_000;

/** What went never changes, and a row is made again whenever the view of the model does. */
const known = new WeakMap<CompactionEntry, Lost>();

export function lostIn(entry: CompactionEntry, { slot }: Pick<ContextView, 'slot'>): Lost {
  const told = known.get(entry);
  if (told) return told;
  const sums = new Map<string, Lost[number]>();
  if (countNamed(entry) <= MOST) {
    for (const { how, kind, tokens, left } of whatWent(entry, slot)) {
      const group = groupOf(kind);
      const key = `${how} ${group}`;
      const sum = sums.get(key) ?? { how, kind: group, messages: 0, tokens: 0, left: 0 };
      sums.set(key, { ...sum, messages: sum.messages + 1, tokens: sum.tokens + tokens, left: sum.left + left });
    }
  }
  const lost = [...sums.values()].sort((a, b) => b.tokens - a.tokens).slice(0, 20);
  known.set(entry, lost);
  return lost;
}

function groupOf(kind: ItemKind): Kind {
  switch (kind) {
    case 'user':
    case 'assistant':
    case 'toolResult':
    case 'summary':
      return kind;
    default:
      return 'other';
  }
}
