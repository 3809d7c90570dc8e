/** A window that takes the session when it can, appends a few entries, and dies without cleaning up. */

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { JournalError } from '../../src/core/errors.ts';
import { Journal } from '../../src/core/journal/journal.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { nodeCrypto } from '../../src/node/storage/disk/fileBlobStore.ts';
import { DiskFile, FileJournalStore } from '../../src/node/storage/journal/fileJournalStore.ts';
import { openJournal } from '../../src/node/storage/journal/openJournal.ts';
import { lockSession, takeOver } from '../../src/node/storage/sessions/sessionLock.ts';
import { report, textOf } from './mark.ts';
import { CLOCK } from './sample.ts';

const [, , folder = '', window = '0', life = '0'] = process.argv;
const random = seededRandom(Number(window) * 1_009 + Number(life));
const path = join(folder, 'journal.jsonl');
/** No person waits here, so everybody looks more often than a window would. */
const options = { folder, onWanted: async () => false, waitMs: 400_000, wait: () => delay(10) };
const lock = await (random() < 0.2 ? takeOver(options) : waitForLock());
const guard = () => lock.guard();
const count = 1 + Math.floor(random() * 8);
try {
  const journal = await openOrCreate();
  for (let i = 0; i < count; i++) {
    await journal.append({ type: 'note', level: 'info', text: textOf(`${window} ${life}`, i) });
    report('entry', i);
  }
} catch (thrown) {
  // Another window took the session over while it was written or before it could be read. What was said still holds.
  if (!(thrown instanceof JournalError) || thrown.kind !== 'locked') throw thrown;
}
process.kill(process.pid, 'SIGKILL');

async function waitForLock() {
  for (;;) {
    const outcome = await lockSession(options);
    if (outcome.kind === 'owned') return outcome.lock;
  }
}

async function openOrCreate(): Promise<Journal> {
  const file = await open(path, 'a');
  const { size } = await file.stat();
  await file.close();
  if (size > 0) return (await openJournal({ path, id: 'sample', clock: CLOCK, crypto: nodeCrypto, guard })).journal;
  const store = new FileJournalStore(path, await DiskFile.open(path), { length: 0, needsBreak: false }, guard);
  const fresh = new Journal([], { store, clock: CLOCK, crypto: nodeCrypto });
  await fresh.append({ type: 'session', format: 1, id: 'sample', workspace: null, engine: 'faults', nonce: 'f00d' });
  return fresh;
}
