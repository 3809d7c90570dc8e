/** How large a session's context was, request by request, and what each compaction made of it. Pure. */

import type { CompactionEntry, TreeEntry } from '../journal/entry.ts';

export interface SizePoint {
  /** Requests before it; a compaction stands between two. */
  readonly at: number;
  readonly tokens: number;
  /** Of them from the provider's cache; null for what is no request. */
  readonly cached: number | null;
}

export interface CompactionMark {
  readonly at: number;
  readonly entry: CompactionEntry;
  readonly active: boolean;
  /** How many compactions an undo of this one takes back, itself included; 0 when it is undone. */
  readonly undoes: number;
  /** It is the one that *Redo* brings back. */
  readonly canRedo: boolean;
}

export interface SizeTimeline {
  readonly points: readonly SizePoint[];
  readonly marks: readonly CompactionMark[];
}

interface Active {
  readonly activeCompactions: readonly CompactionEntry[];
  readonly undoneCompactions: readonly CompactionEntry[];
}

/** `path` from its root. */
export function sizeTimeline(
  path: Iterable<TreeEntry>,
  { activeCompactions, undoneCompactions }: Active,
): SizeTimeline {
  const order = activeCompactions.map(({ seq }) => seq);
  const redo = undoneCompactions.at(-1)?.seq;
  const points: SizePoint[] = [];
  const marks: CompactionMark[] = [];
  let requests = 0;
  for (const entry of path) {
    if (entry.type === 'usage' && !entry.estimated) {
      requests++;
      points.push({ at: requests, tokens: entry.usage.input, cached: entry.usage.cached });
    } else if (entry.type === 'compaction') {
      const index = order.indexOf(entry.seq);
      const at = requests + 0.5;
      marks.push({
        at,
        entry,
        active: index >= 0,
        undoes: index < 0 ? 0 : order.length - index,
        canRedo: entry.seq === redo,
      });
      points.push({ at, tokens: entry.tokensBefore, cached: null }, { at, tokens: entry.tokensAfter, cached: null });
    }
  }
  return { points, marks };
}
