import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newImportReport } from '../../../../src/core/sessions/recorded.ts';
import { restoreSession } from '../../../../src/host/lab/autopsyPage.ts';
import { readStored } from '../../../../src/node/lab/storedSession.ts';
import { nodeCrypto } from '../../../../src/node/storage/disk/fileBlobStore.ts';
import { importFile } from '../../../../src/node/storage/sessions/importFile.ts';
import { JOURNAL, SessionStore } from '../../../../src/node/storage/sessions/sessionStore.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restore-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Claude Code's form: two messages, a compaction, and one message after it. */
const line = (uuid: string, parentUuid: string | null, role: string, content: unknown, more: object = {}) =>
  `${JSON.stringify({ type: role, uuid, parentUuid, isSidechain: false, sessionId: 's', version: '2.0.0', message: { role, content }, ...more })}\n`;
const RECORDED = [
  line('1', null, 'user', 'Mend src/totals.ts.'),
  line('2', '1', 'assistant', [{ type: 'text', text: 'It adds the wrong way.' }]),
  `${JSON.stringify({ type: 'system', subtype: 'compact_boundary', uuid: '3', parentUuid: null, logicalParentUuid: '2', compactMetadata: { trigger: 'auto', preTokens: 9 } })}\n`,
  line('4', '3', 'user', 'This session is being continued from a previous conversation: they mend things.', {
    isCompactSummary: true,
  }),
  line('5', '4', 'assistant', [{ type: 'text', text: 'Where were we?' }]),
].join('');

it('goes on from before a compaction with everything that had left, in a session of its own', async () => {
  const ports = { clock: { now: () => 0 }, crypto: nodeCrypto };
  const store = new SessionStore({ folder: join(folder, 'sessions'), workspace: null, engine: 'test', ...ports });
  const path = join(folder, 'claude.jsonl');
  await writeFile(path, RECORDED);
  const { signal } = new AbortController();
  const id = (await importFile({ store, path, report: newImportReport(), signal })) ?? expect.fail('not imported');
  const stored = { id, title: 'Totals', path: join(store.folderOf(id), JOURNAL), size: 0 };
  const { compactions } = await readStored(stored);
  expect(compactions).toMatchObject([{ after: 2, by: 'recorded' }]);

  const restored = await restoreSession(store, stored, 1, 'Totals, before compaction 1');
  const { journal } = await store.open(restored);
  expect(journal.title).toBe('Totals, before compaction 1');
  expect(journal.context.conversation.map(({ message }) => message.text)).toEqual([
    'Mend src/totals.ts.',
    'It adds the wrong way.',
  ]);
  expect(journal.context.activeCompactions).toEqual([]);
  await journal.close();
  expect((await readStored(stored)).messages).toHaveLength(3);
  await expect(restoreSession(store, stored, 2, 'x')).rejects.toThrow('Totals has no compaction 2.');
});
