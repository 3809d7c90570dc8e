/** Takes compactions back and brings them again: each is one entry, and nothing is lost on the way. */

import type { Journal } from '../../journal/journal.ts';
import type { CompactionSignal } from '../events.ts';
import type { Gauge } from '../when/gauge.ts';

/** Takes back the newest active compaction. False when there is none. */
export async function undoNewest(
  journal: Journal,
  gauge: Gauge,
  onEvent: (event: CompactionSignal) => void,
): Promise<boolean> {
  const target = journal.context.activeCompactions.at(-1);
  if (!target) return false;
  const tokensBefore = gauge.reading.tokens;
  await journal.append({ type: 'compactionUndone', target: target.seq });
  const { strategy, trigger } = target;
  onEvent({ type: 'compactionUndone', strategy, trigger, tokensBefore, tokensAfter: gauge.reading.tokens });
  return true;
}

/** Brings back the compaction undone last. False when there is none. */
export async function redoNewest(journal: Journal): Promise<boolean> {
  const target = journal.context.undoneCompactions.at(-1);
  if (!target) return false;
  await journal.append({ type: 'compactionRedone', target: target.seq });
  return true;
}
