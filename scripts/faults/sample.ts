/** Sessions to break, and the question asked of each afterwards: is everything acknowledged still there? */

import { encodeEntry } from '../../src/core/journal/codec.ts';
import type { Entry } from '../../src/core/journal/entry.ts';
import { Journal } from '../../src/core/journal/journal.ts';
import { nodeCrypto } from '../../src/node/storage/disk/fileBlobStore.ts';
import { openJournal } from '../../src/node/storage/journal/openJournal.ts';
import { readJournal } from '../../src/node/storage/journal/readJournal.ts';

export const CLOCK = { now: () => Date.UTC(2026, 0, 1) };

/**
 * Lines of a small session with every script a person may type: `count` messages after the session entry, made longer
 * where needed to reach `bytes`.
 */
export async function sampleLines(count: number, bytes = 0): Promise<string[]> {
  const padding = Math.max(0, Math.floor(bytes / count) - 230);
  const lines: string[] = [];
  const store = {
    name: 'sample',
    readOnly: null,
    unwritten: 0,
    append: async (line: string) => {
      lines.push(line);
    },
    sync: async () => undefined,
    close: async () => undefined,
  };
  const journal = new Journal([], { store, clock: CLOCK, crypto: nodeCrypto });
  await journal.append({ type: 'session', format: 1, id: 'sample', workspace: null, engine: 'faults', nonce: 'f00d' });
  for (let i = 0; i < count; i++) {
    const text = `${i}: naïve 世界 🙂 \u202e"quoted"\\ ${'x'.repeat((i % 40) + padding)}`;
    await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 1 });
  }
  return lines;
}

/** As the product opens it, unless a length is given from which on its index is used. */
export const openSample = (path: string, indexFrom?: number) =>
  openJournal({
    path,
    id: 'sample',
    clock: CLOCK,
    crypto: nodeCrypto,
    ...(indexFrom === undefined ? {} : { indexFrom }),
  });

/** Only reads it. */
export const readSample = (path: string) => readJournal(path, 'sample', nodeCrypto);

/** The entry as it is on disk. Two entries are the same when these are. */
export function lineOf(entry: Entry): string {
  return encodeEntry(entry, nodeCrypto);
}
