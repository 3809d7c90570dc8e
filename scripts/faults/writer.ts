/**
 * A child process that appends entries of all sizes and dies by SIGKILL at the failpoint it is given. It reports an
 * entry only after its append was acknowledged.
 */

import { appendFileSync, existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from '../../src/core/journal/journal.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { FileBlobStore, nodeCrypto } from '../../src/node/storage/disk/fileBlobStore.ts';
import { DiskFile, FileJournalStore, type JournalFile } from '../../src/node/storage/journal/fileJournalStore.ts';
import { readJournal } from '../../src/node/storage/journal/readJournal.ts';
import { repairSession } from '../../src/node/storage/sessions/checkSession.ts';
import { redactSession } from '../../src/node/storage/sessions/redactSession.ts';
import { bodyOf, report, textOf } from './mark.ts';
import { CLOCK, openSample } from './sample.ts';

const [, , folder = '', failpoint = '', round = '0'] = process.argv;
const path = join(folder, 'journal.jsonl');
const writer = `${failpoint} ${round}`;
const random = seededRandom(Number(round) * 97 + failpoint.length);
/** It dies some appends in, so that each round leaves another state. */
let countdown = 1 + Math.floor(random() * 10);

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function dieAt(point: string): void {
  if (point === failpoint && --countdown <= 0) die();
}

const journal = await openWithFailpoints();
const blobs = new FileBlobStore(join(folder, 'blobs'));
const rewrites = failpoint === 'inRepair' || failpoint === 'inRedact';
if (failpoint === 'random') setTimeout(die, random() * 60);
for (let i = 0; !(rewrites && i === 4); i++) {
  await journal.append({ type: 'note', level: 'info', text: textOf(writer, i) });
  dieAt('beforeAck');
  report('entry', i);
  dieAt('afterAck');
  if (i % 5 === 4) {
    if (failpoint === 'inSync') setImmediate(() => dieAt('inSync'));
    if (failpoint === 'inIndex') setTimeout(() => dieAt('inIndex'), random() * 3);
    await journal.sync();
  }
  if (i % 3 === 2) {
    if (failpoint === 'inBlob') setTimeout(() => dieAt('inBlob'), random() * 2);
    await blobs.put(bodyOf(i));
    report('body', i);
  }
}
await journal.close();
await writeAnew();

/** The parent kills it some moments after this word, so that it also hits the middle of a rewrite. */
async function writeAnew(): Promise<void> {
  if (failpoint === 'inRepair') appendFileSync(path, 'not a line of ours\n');
  writeSync(1, 'rewriting\n');
  if (failpoint === 'inRepair') await repairSession(folder, 'sample', { clock: { now: Date.now }, crypto: nodeCrypto });
  else await redactSession(folder, ['a text that is nowhere'], nodeCrypto);
  setInterval(() => undefined, 1_000);
}

/**
 * `random` opens as the product does, `inIndex` too, with an index from the first byte. The others stand between store
 * and file.
 */
async function openWithFailpoints(): Promise<Journal> {
  if (!existsSync(path)) {
    const file = await DiskFile.open(path);
    const store = new FileJournalStore(path, file, { length: 0, needsBreak: false });
    const fresh = new Journal([], { store, clock: CLOCK, crypto: nodeCrypto });
    await fresh.append({ type: 'session', format: 1, id: 'sample', workspace: null, engine: 'faults', nonce: 'f00d' });
    await fresh.close();
  }
  if (failpoint === 'inIndex') return (await openSample(path, 0)).journal;
  if (failpoint === 'random') return (await openSample(path)).journal;
  const { entries, tail } = await readJournal(path, 'sample', nodeCrypto);
  const file = await DiskFile.open(path);
  const store = new FileJournalStore(path, withFailpoints(file, tail.torn !== null), tail);
  return new Journal(entries, { store, clock: CLOCK, crypto: nodeCrypto });
}

/**
 * To die while a torn line is cut off, there must be one: these writers die in the middle of a line every other time. The
 * one that always does goes on after the torn line of its last life.
 */
function withFailpoints(file: JournalFile, torn: boolean): JournalFile {
  const tears = failpoint === 'halfWrite' || ((failpoint === 'beforeCut' || failpoint === 'afterCut') && !torn);
  if (torn && failpoint !== 'halfWrite') countdown = 1;
  return {
    async write(bytes, offset, length) {
      dieAt('beforeWrite');
      if (tears && --countdown <= 0) {
        await file.write(bytes, offset, 1 + Math.floor((length - 2) * random()));
        die();
      }
      const written = await file.write(bytes, offset, length);
      dieAt('afterWrite');
      return written;
    },
    async truncate(length) {
      dieAt('beforeCut');
      await file.truncate(length);
      dieAt('afterCut');
    },
    datasync: () => file.datasync(),
    inspect: () => file.inspect(),
    readFrom: (from) => file.readFrom(from),
    revive: () => file.revive(),
    close: () => file.close(),
  };
}
