/** A window that takes the session when it can, appends a few entries and dies without cleaning up. */

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Journal } from '../../src/core/journal/journal.ts';
import { DiskFile } from '../../src/host/storage/diskFile.ts';
import { FileJournalStore } from '../../src/host/storage/fileJournalStore.ts';
import { nodeCrypto } from '../../src/host/storage/nodeCrypto.ts';
import { openJournal } from '../../src/host/storage/openJournal.ts';
import { lockSession } from '../../src/host/storage/sessionLock.ts';
import { CLOCK, seeded } from './sample.ts';

const [, , folder = '', window = '0', life = '0'] = process.argv;
const random = seeded(Number(window) * 1_009 + Number(life));
const path = join(folder, 'journal.jsonl');
const outcome = await lockSession({ folder, onWanted: async () => false, waitMs: 600 });
if (outcome.kind === 'held') process.exit(1);
const { lock } = outcome;
const guard = () => lock.guard();
const journal = await openOrCreate();
const count = 1 + Math.floor(random() * 8);
for (let i = 0; i < count; i++) {
  const text = `${window} ${life} ${i} ${'x'.repeat(random() < 0.2 ? 700_000 : 20)}`;
  await journal.append({ type: 'note', level: 'info', text });
  await new Promise((resolve) => process.send?.(text, resolve));
}
process.kill(process.pid, 'SIGKILL');

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
