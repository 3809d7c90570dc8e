/** Counts the compactions and the requests of a stored session, reading its journal as it lies; other lines stay unread. */

import { SpendingFold } from '../../../core/cost/spending.ts';
import { decodeBytes } from '../../../core/journal/codec.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import { type CompactionStatistics, countCompactions } from '../../../core/journal/statistics.ts';
import { nodeCrypto } from '../disk/nodeCrypto.ts';
import { readLines } from '../disk/readLines.ts';

const COMPACTION = Buffer.from('"type":"compaction');
/** What the fold of what was spent looks at, beside compactions. */
const REQUESTS = ['request', 'usage', 'summaryUsage', 'subagentUsage'].map((type) => Buffer.from(`"type":"${type}"`));
const ANSWER = Buffer.from('"message":{"role":"assistant"');
/** An entry's type stands among its first fields. */
const HEAD = 160;

/** Damaged lines are left out. Throws `JournalError` when the file cannot be read, and as the signal says. */
export async function readStatistics(path: string, signal?: AbortSignal): Promise<CompactionStatistics> {
  const entries: Entry[] = [];
  const spending = new SpendingFold();
  const take = (line: Buffer) => {
    const head = line.subarray(0, HEAD);
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
