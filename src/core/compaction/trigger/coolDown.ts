/**
 * After failures in a row no model is asked for a while. Read from the journal, so that a resumed session cools down
 * as before.
 */

import type { CompactionFailedEntry, Entry, SummaryWriter } from '../../journal/entry.ts';
import { type Words, words } from '../../words.ts';

const COOL_DOWN_MS = 5 * 60_000;

/**
 * Set while no model may be asked: `strategy` failed `most` times in a row for the same `writer`, most recently less than
 * five minutes ago. It says to a person how long that lasts, and how to end it. A failure of the strategy itself, such as
 * a result that is not smaller, does not count. A success of the same strategy ends the series; compactions of the ladder
 * do not, and failures with another writer are skipped. `now` is in milliseconds.
 */
export function findCoolDown(
  entries: readonly Entry[],
  strategy: string,
  writer: SummaryWriter | null,
  { failures: most }: { readonly failures: number },
  now: number,
): Words | null {
  let failures = 0;
  let until = 0;
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i] as Entry;
    if (entry.type === 'compaction' && entry.strategy === strategy) return null;
    if (entry.type !== 'compactionFailed' || entry.strategy !== strategy || entry.by === 'strategy') continue;
    if (!isBy(entry, writer)) continue;
    const failed = Date.parse(entry.time);
    if (failures === 0) until = failed + COOL_DOWN_MS;
    // A failure in the future means that the clock was set back: the pause must not last until then.
    if (failures === 0 && (failed > now || now >= until)) return null;
    failures++;
    if (failures >= most) return describeCoolDown(writer, failures, until - now);
  }
  return null;
}

/** Older failures do not name the writer. */
function isBy({ writer: known }: CompactionFailedEntry, writer: SummaryWriter | null): boolean {
  return !known || (known.endpoint === writer?.endpoint && known.model === writer.model);
}

function describeCoolDown(writer: SummaryWriter | null, failures: number, ms: number): Words {
  return words(
    'Summaries by {0} failed {1} times in a row, so it is not asked for another {2} min. To continue at once, choose another model in palimpsest.compaction.summary.model, or another strategy.',
    writer?.model ?? '?',
    failures,
    Math.ceil(ms / 60_000),
  );
}
