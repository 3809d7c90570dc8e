/** Counts the compactions of a stored session, reading its journal as it lies; lines about anything else stay unread. */

import { decodeBytes } from '../../../core/journal/codec.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import { type CompactionStatistics, countCompactions } from '../../../core/journal/statistics.ts';
import { nodeCrypto } from '../disk/nodeCrypto.ts';
import { readLines } from '../disk/readLines.ts';

const COMPACTION = Buffer.from('"type":"compaction');

/** Damaged lines are left out. Throws `JournalError` when the file cannot be read, and as the signal says. */
export async function readStatistics(path: string, signal?: AbortSignal): Promise<CompactionStatistics> {
  const entries: Entry[] = [];
  const take = (line: Buffer) => {
    if (!line.includes(COMPACTION)) return;
    const decoded = decodeBytes(line, nodeCrypto);
    if (decoded.kind === 'entry') entries.push(decoded.entry);
  };
  await readLines(path, take, { signal });
  return countCompactions(entries);
}
