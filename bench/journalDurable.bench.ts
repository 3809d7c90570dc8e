/** F2: what it costs that a finished turn survives a power loss: one fdatasync at its end, against none at all. */

import { join } from 'node:path';
import type { Entry } from '../src/core/journal/entry.ts';
import { Journal } from '../src/core/journal/journal.ts';
import { nodeCrypto } from '../src/node/storage/disk/fileBlobStore.ts';
import { DiskFile, FileJournalStore } from '../src/node/storage/journal/fileJournalStore.ts';
import { type Line, ratioLine } from './support/line.ts';
import { inFolder, quickest, sessionEntries } from './support/session.ts';

export const id = 'F2';

const RUNS = 9;
const TURNS = 20;
/** Entries of a turn of an agent at work: some thirty steps with their results. */
const ENTRIES = 100;

export function run(): Promise<Line[]> {
  return inFolder(async (folder) => {
    let files = 0;
    const turns = (durable: boolean) => () => runTurns(join(folder, `${files++}.jsonl`), durable);
    const [durable = 0, loose = 1] = await quickest(RUNS, turns(true), turns(false));
    for (const journal of opened.splice(0)) await journal.close();
    return [ratioLine(id, `a durable turn of ${ENTRIES} entries, against one that is not`, durable / loose, 1.4)];
  });
}

const MESSAGES = take(ENTRIES);

function take(count: number): Extract<Entry, { type: 'message' }>[] {
  const found: Extract<Entry, { type: 'message' }>[] = [];
  for (const entry of sessionEntries(16_000)) {
    if (entry.type === 'message') found.push(entry);
    if (found.length === count) break;
  }
  return found;
}

/** Closed at the end: closing waits for the disk too. */
const opened: Journal[] = [];

async function runTurns(path: string, durable: boolean): Promise<void> {
  const store = new FileJournalStore(path, await DiskFile.open(path), { length: 0, needsBreak: false });
  const journal = new Journal([], { store, clock: { now: () => 0 }, crypto: nodeCrypto });
  opened.push(journal);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const { message, tokens } of MESSAGES) await journal.append({ type: 'message', message, tokens });
    if (durable) await journal.sync();
  }
}
