/** F3: what opening a session costs that is far larger than what is shown of it, with its index and without. */

import { rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Journal } from '../src/core/journal/journal.ts';
import { nodeCrypto } from '../src/node/storage/disk/fileBlobStore.ts';
import { openJournal } from '../src/node/storage/journal/openJournal.ts';
import { type Line, ratioLine } from './support/line.ts';
import { inFolder, quickest, writeSession } from './support/session.ts';

export const id = 'F3';

const RUNS = 5;
const SHOWN = 100;

export function run(): Promise<Line[]> {
  return inFolder(async (folder) => {
    const path = join(folder, 'journal.jsonl');
    writeSession(path, 1_000_000_000);
    await writeIndex(path);
    const [quick = 0, read = 1] = await quickest(
      RUNS,
      () => openAndShow(path),
      () => readAll(path),
    );
    const string = await readFile(path, 'utf8').then(
      () => 'works',
      () => 'fails',
    );
    for (const journal of opened.splice(0)) await journal.close();
    dropIndex(path);
    writeSession(path, 100_000_000);
    const [scanned = 0, small = 1, parsed = 0] = await quickest(
      RUNS,
      () => openAndShow(path),
      () => readAll(path),
      () => parseAll(path),
    );
    for (const journal of opened.splice(0)) await journal.close();
    return [
      {
        id,
        name: `opening a 1 GB session (${quick.toFixed(0)} ms), against reading its file (${read.toFixed(0)} ms; as one string it ${string})`,
        figure: `1/${Math.round(read / quick)}`,
        goal: '≤ 1/30',
        ok: quick * 30 <= read,
      },
      ratioLine(
        id,
        `opening 100 MB without index (${scanned.toFixed(0)} ms), against reading (${small.toFixed(0)} ms)`,
        scanned / small,
        2,
      ),
      {
        id,
        name: 'opening 100 MB without index, against parsing it all as others do',
        figure: `1/${(parsed / scanned).toFixed(1)}`,
        goal: '< 1',
        ok: scanned < parsed,
      },
    ];
  });
}

const openIt = (path: string) => openJournal({ path, id: 'bench', clock: { now: () => 0 }, crypto: nodeCrypto });

/**
 * Opens, builds the context and reads a screenful of entries. Left open until the end: the index is written after a turn
 * was synced, so closing here would measure that too.
 */
async function openAndShow(path: string): Promise<void> {
  const { journal } = await openIt(path);
  if (journal.context.conversation.length === 0) throw new Error('nothing is shown');
  if ([...journal.newest(SHOWN)].length !== SHOWN) throw new Error('entries are missing');
  opened.push(journal);
}

const opened: Journal[] = [];

async function writeIndex(path: string): Promise<void> {
  const { journal } = await openIt(path);
  await journal.append({ type: 'note', level: 'info', text: 'something new, so that the index is written' });
  await journal.sync();
  await journal.close();
}

function dropIndex(path: string): void {
  for (const name of ['index', 'rows']) rmSync(`${path}.${name}`, { force: true });
}

/** Reads the file as a program does that does not know better: in chunks, keeping none. */
async function readAll(path: string): Promise<void> {
  await using file = await open(path, 'r');
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(Buffer.allocUnsafe(1 << 20), 0, 1 << 20, position);
    if (bytesRead === 0) break;
    position += bytesRead;
  }
}

async function parseAll(path: string): Promise<void> {
  for (const line of (await readFile(path, 'utf8')).split('\n')) if (line) JSON.parse(line);
}
