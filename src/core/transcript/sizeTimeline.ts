/** The size of the context, request by request, with the compactions between them. */

import type { CompactionEntry, TreeEntry } from '../journal/entry.ts';

interface SizePoint {
  /** Number of requests before it; a compaction lies between two. */
  readonly at: number;
  readonly tokens: number;
  /** The part read from the provider's cache; null for a compaction. */
  readonly cached: number | null;
}

export interface CompactionMark {
  readonly at: number;
  readonly entry: CompactionEntry;
  readonly active: boolean;
  /** How many compactions undoing this one takes back, itself included; 0 when it is undone. */
  readonly undoes: number;
  /** *Redo* restores it next. */
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

/** `path` starts at its root. */
export function sizeTimeline(
  path: Iterable<TreeEntry>,
  { activeCompactions, undoneCompactions }: Active,
): SizeTimeline {
  const order = activeCompactions.map(({ seq }) => seq);
  const redo = undoneCompactions.at(-1)?.seq;
  const points: SizePoint[] = [];
  const marks: CompactionMark[] = [];
  const made = new Map<number, CompactionEntry>();
  let requests = 0;
  for (const entry of path) {
    if (entry.type === 'usage' && !entry.estimated) {
      requests++;
      points.push({ at: requests, tokens: entry.usage.input, cached: entry.usage.cached });
    } else if (entry.type === 'compaction') {
      made.set(entry.seq, entry);
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
    } else if (entry.type === 'compactionUndone' || entry.type === 'compactionRedone') {
      const target = made.get(entry.target);
      const tokens = entry.type === 'compactionUndone' ? target?.tokensBefore : target?.tokensAfter;
      if (tokens !== undefined) points.push({ at: requests + 0.5, tokens, cached: null });
    }
  }
  return { points, marks };
}
