/** A compacted session of another program, imported through the real store and real files, and what to look at in it. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { Message } from '../../../src/core/context/message.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';
import { newImportReport } from '../../../src/core/sessions/recorded.ts';
import { Calibration } from '../../../src/core/tokens/calibrate.ts';
import { readMeter } from '../../../src/core/tokens/meter.ts';
import { NOTHING_LIVE } from '../../../src/core/transcript/liveTurn.ts';
import { Transcript } from '../../../src/core/transcript/transcript.ts';
import { importFile } from '../../../src/node/storage/sessions/importFile.ts';
import { SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { pairingFault } from '../journal/reference.ts';

/** About 10,000 tokens, and short enough for the start of a file that tells its format. */
export const LONG = 'one more word of a long history '.repeat(1_500);

/** Each import has a store of its own, in a folder that its test leaves nothing of. */
export function useImports() {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return async (name: string, text: string): Promise<Journal> => {
    const path = join(folder, name);
    await writeFile(path, text);
    const ports = { clock: testClock(), crypto: testCrypto() };
    const store = new SessionStore({
      folder: await mkdtemp(join(folder, 'store-')),
      workspace: null,
      engine: 'palimpsest/test',
      ...ports,
    });
    const report = newImportReport();
    const id = await importFile({ store, path, report, signal: new AbortController().signal });
    expect(report).toMatchObject({ badLines: [], strayResults: 0 });
    const { journal } = await store.open(id ?? '');
    expect(pairingFault(lowerContext(journal.context))).toBe(null);
    return journal;
  };
}

export const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join('\n');
export const brief = (message: Message) =>
  `${message.role === 'user' ? message.kind : message.role}: ${message.text.slice(0, 24)}`.trim();
export const contextOf = (journal: Journal) => journal.context.conversation.map(({ message }) => brief(message));
export const meterOf = (journal: Journal) => readMeter(journal.context, 'm', new Calibration());

export function rowsOf(journal: Journal) {
  return Transcript.of(journal.path()).rows(journal.context, NOTHING_LIVE, null, 100).rows;
}

/** The newest compaction is drawn as ours are, and its undo and redo bring back what was before and after. */
export async function expectLikeOurs(journal: Journal, before: readonly string[]): Promise<void> {
  const after = contextOf(journal);
  const [entry] = journal.context.activeCompactions.slice(-1);
  const row = rowsOf(journal).find(({ type }) => type === 'compaction');
  expect(row).toMatchObject({ type: 'compaction', state: 'active', strategy: 'recorded' });
  expect(entry?.tokensBefore).toBeGreaterThan(entry?.tokensAfter ?? Number.POSITIVE_INFINITY);
  await journal.append({ type: 'compactionUndone', target: entry?.seq ?? -1 });
  expect(contextOf(journal)).toEqual(before);
  expect(pairingFault(lowerContext(journal.context))).toBe(null);
  await journal.append({ type: 'compactionRedone', target: entry?.seq ?? -1 });
  expect(contextOf(journal)).toEqual(after);
}
