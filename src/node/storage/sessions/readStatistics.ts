/** Counts the compactions and the requests of a stored session, reading its journal directly; other lines stay unread. */

import { SpendingFold } from '../../../core/cost/spending.ts';
import { decodeBytes } from '../../../core/journal/codec.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import { type CompactionStatistics, countCompactions } from '../../../core/journal/statistics.ts';
import { nodeCrypto } from '../disk/fileBlobStore.ts';
import { readLines } from '../disk/readLines.ts';

const COMPACTION = Buffer.from('"type":"compaction');

/** Types that the spending fold reads, in addition to compactions. */
const REQUESTS = ['request', 'usage', 'summaryUsage', 'subagentUsage', 'samplingUsage'].map((type) =>
  Buffer.from(`"type":"${type}"`),
);

const ANSWER = Buffer.from('"message":{"role":"assistant"');

/** An entry's type is among its first fields. */
const STATISTICS_HEAD = 160;

/**
 * Damaged lines are skipped. Throws `JournalError` when the file cannot be read, and the signal's reason when aborted.
 */
export async function readStatistics(path: string, signal?: AbortSignal): Promise<CompactionStatistics> {
  const entries: Entry[] = [];
  const spending = new SpendingFold();
  const take = (line: Buffer) => {
    const head = line.subarray(0, STATISTICS_HEAD);
    if (head.includes(ANSWER)) return spending.take('message', true, () => null);
    const isCompaction = head.includes(COMPACTION);
    if (!isCompaction && !REQUESTS.some((type) => head.includes(type))) return;
    const decoded = decodeBytes(line, nodeCrypto);
    if (decoded.kind !== 'entry') return;
    const { entry } = decoded;
    if (isCompaction || entry.type === 'summaryUsage') entries.push(entry);
    spending.take(entry.type, false, () => entry);
  };
  await readLines(path, take, { signal });
  return countCompactions(entries, spending.spending);
}
