/** F4: reading a whole journal, every checksum checked, and folding it, against parsing its lines and nothing else. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JournalError } from '../src/core/errors.ts';
import { Journal } from '../src/core/journal/journal.ts';
import { nodeCrypto } from '../src/node/storage/disk/fileBlobStore.ts';
import { readOnlyStore } from '../src/node/storage/journal/openJournal.ts';
import { readJournal } from '../src/node/storage/journal/readJournal.ts';
import { type Line, ratioLine } from './support/line.ts';
import { inFolder, quickest, writeSession } from './support/session.ts';

export const id = 'F4';

const RUNS = 5;

export function run(): Promise<Line[]> {
  return inFolder(async (folder) => {
    const path = join(folder, 'journal.jsonl');
    writeSession(path, 100_000_000);
    const bytes = readFileSync(path);
    const [ours = 0, parse = 1] = await quickest(
      RUNS,
      () => foldAll(path),
      () => parseLines(bytes),
    );
    // A process of its own: what earlier benchmarks left on the heap does not count, and above 512 MB nothing may break.
    writeSession(path, 600_000_000);
    const script = fileURLToPath(import.meta.url);
    const [entries = '0', memory = '0'] = execFileSync(process.execPath, [script, path], { encoding: 'utf8' }).split(
      ' ',
    );
    return [
      ratioLine(id, 'full fold of 100 MB with checksums, against JSON.parse of its lines', ours / parse, 1.6),
      ratioLine(
        id,
        `memory for folding 600 MB whole (${Number(entries).toLocaleString('en')} entries), against its file`,
        Number(memory),
        2.2,
      ),
    ];
  });
}

async function foldAll(path: string): Promise<Journal> {
  const { entries } = await readJournal(path, 'bench', nodeCrypto);
  const store = readOnlyStore(path, new JournalError('closed', path, 'Only measured.'));
  const journal = new Journal(entries, { store, clock: { now: () => 0 }, crypto: nodeCrypto });
  if (journal.context.conversation.length === 0) throw new Error('nothing is shown');
  return journal;
}

function parseLines(bytes: Buffer): number {
  const kept: unknown[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    kept.push(JSON.parse(bytes.toString('utf8', from, end)));
    from = end + 1;
  }
  return kept.length;
}

const [, script, path] = process.argv;
if (path !== undefined && script === fileURLToPath(import.meta.url)) {
  const before = process.memoryUsage().rss;
  const journal = await foldAll(path);
  const bytes = 600_000_000;
  console.log(`${journal.entries.length} ${((process.memoryUsage().rss - before) / bytes).toFixed(2)}`);
}
