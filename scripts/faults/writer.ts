/**
 * A child process that appends entries of all sizes and dies by SIGKILL at the failpoint it is told. It reports a text
 * only after its append was acknowledged, through a channel that the kernel keeps.
 */

import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Journal } from '../../src/core/journal/journal.ts';
import { DiskFile } from '../../src/host/storage/diskFile.ts';
import { FileBlobStore } from '../../src/host/storage/fileBlobStore.ts';
import { FileJournalStore, type JournalFile } from '../../src/host/storage/fileJournalStore.ts';
import { nodeCrypto } from '../../src/host/storage/nodeCrypto.ts';
import { openJournal } from '../../src/host/storage/openJournal.ts';
import { readJournal } from '../../src/host/storage/readJournal.ts';
import { CLOCK, seeded } from './sample.ts';

const [, , path = '', failpoint = '', round = '0'] = process.argv;
const random = seeded(Number(round) * 97 + failpoint.length);
/** The death comes some appends in, so that each round leaves another state. */
let countdown = 3 + Math.floor(random() * 12);

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function dieAt(point: string): void {
  if (point === failpoint && --countdown <= 0) die();
}

const journal = await openWithFailpoints();
const blobs = new FileBlobStore(join(dirname(path), 'blobs'));
if (failpoint === 'random') setTimeout(die, 20 + random() * 200);
for (let i = 0; ; i++) {
  const text = `${failpoint} ${round} ${i} ${'é'.repeat(random() < 0.1 ? 2_000_000 : 30)}`;
  await journal.append({ type: 'note', level: 'info', text });
  dieAt('beforeAck');
  await new Promise((resolve) => process.send?.(text, resolve));
  dieAt('afterAck');
  if (i % 5 === 4) {
    if (failpoint === 'inSync') setImmediate(() => dieAt('inSync'));
    if (failpoint === 'inIndex') setTimeout(() => dieAt('inIndex'), random() * 6);
    await journal.sync();
  }
  if (i % 3 === 2) {
    if (failpoint === 'inBlob') setTimeout(() => dieAt('inBlob'), random() * 3);
    await blobs.put(Buffer.alloc(300_000, i));
  }
}

/** `inIndex` opens as the product does, with an index from the first byte on; the others stand between store and file. */
async function openWithFailpoints(): Promise<Journal> {
  const exists = await open(path, 'r').then(
    (file) => file.close().then(() => true),
    () => false,
  );
  if (!exists) {
    const file = await DiskFile.open(path);
    const fresh = new Journal([], {
      store: new FileJournalStore(path, file, { length: 0, needsBreak: false }),
      clock: CLOCK,
      crypto: nodeCrypto,
    });
    await fresh.append({ type: 'session', format: 1, id: 'sample', workspace: null, engine: 'faults', nonce: 'f00d' });
    await fresh.close();
  }
  if (failpoint === 'inIndex') {
    return (await openJournal({ path, id: 'sample', clock: CLOCK, crypto: nodeCrypto, indexFrom: 0 })).journal;
  }
  const { entries, tail, torn } = await readJournal(path, 'sample', nodeCrypto);
  const file = await DiskFile.open(path);
  const store = new FileJournalStore(path, withFailpoints(file), { ...tail, torn });
  return new Journal(entries, { store, clock: CLOCK, crypto: nodeCrypto });
}

function withFailpoints(file: JournalFile): JournalFile {
  return {
    async write(bytes, offset, length) {
      dieAt('beforeWrite');
      if (failpoint === 'halfWrite' && --countdown <= 0) {
        await file.write(bytes, offset, Math.floor(length * random()));
        die();
      }
      const written = await file.write(bytes, offset, length);
      dieAt('afterWrite');
      return written;
    },
    truncate: (length) => file.truncate(length),
    datasync: () => file.datasync(),
    isGone: () => file.isGone(),
    revive: () => file.revive(),
    close: () => file.close(),
  };
}
