/**
 * *Repair Session*: rewrites the journal from its good lines, byte for byte. What is left out goes to
 * `journal.jsonl.damaged`, and the file as it was stays beside it. The session must not be open.
 */

import { appendFile, copyFile, link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeEntry } from '../../../core/journal/codec.ts';
import type { Clock, Crypto } from '../../../core/ports.ts';
import { readLines } from '../disk/readLines.ts';
import { storageError } from '../disk/storageError.ts';
import { BREAK, writeLines } from '../disk/writeLines.ts';
import { dropIndex } from '../journal/journalIndex.ts';
import { readJournal } from '../journal/readJournal.ts';
import { JOURNAL } from './sessionStore.ts';
import { SUMMARY } from './sessionSummary.ts';

export interface RepairReport {
  /** The file as it was; null when nothing had to be repaired. */
  readonly kept: string | null;
  readonly goodLines: number;
  readonly damagedLines: number;
  /** Entries that stay lost, by `seq`. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
}

export async function repairSession(
  folder: string,
  id: string,
  ports: { readonly clock: Clock; readonly crypto: Crypto },
): Promise<RepairReport> {
  const path = join(folder, JOURNAL);
  const { entries, report, tail } = await readJournal(path, id, ports.crypto);
  const { torn } = tail;
  const { damaged, gaps, sessionLost } = report;
  const goodLines = report.lines - damaged.length;
  if (damaged.length === 0 && !torn && !sessionLost) return { kept: null, goodLines, damagedLines: 0, gaps };
  const bad = new Set(damaged.map(({ offset }) => offset));
  const aside: Buffer[] = torn ? [Buffer.from(torn), BREAK] : [];
  const kept = `${path}.before-repair-${ports.clock.now()}`;
  try {
    const [first] = entries;
    await writeLines(`${path}.repaired`, async (write) => {
      // A stand-in takes the lost first line's place, so that the next opening finds one.
      if (sessionLost && first) write(Buffer.from(encodeEntry(first, ports.crypto)));
      await readLines(path, (line, offset) => {
        if (bad.has(offset)) aside.push(Buffer.from(line), BREAK);
        else write(line);
      }).then(({ rest }) => {
        if (rest && !torn) write(rest.bytes);
      });
    });
    if (aside.length > 0) await appendFile(`${path}.damaged`, Buffer.concat(aside));
    await dropIndex(path);
    await rm(join(folder, SUMMARY), { force: true });
    // At no moment is there no journal: a second name for the old one, then the new one in its place.
    await link(path, kept).catch(() => copyFile(path, kept));
    await rename(`${path}.repaired`, path);
  } catch (thrown) {
    throw storageError(path, thrown);
  }
  return { kept, goodLines, damagedLines: damaged.length + (torn ? 1 : 0), gaps };
}
