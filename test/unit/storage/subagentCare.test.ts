/** What is done with a session is done with the sessions of its subagents, which lie under it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { JournalError } from '../../../src/core/errors.ts';
import { nodeCrypto } from '../../../src/node/storage/disk/fileBlobStore.ts';
import { redactWithSubagents } from '../../../src/node/storage/sessions/redactSession.ts';
import { JOURNAL, listSubagents, SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';

const root = mkdtempSync(join(tmpdir(), 'subagents-'));
afterAll(() => rmSync(root, { recursive: true }));

const SECRET = 'sk-very-secret';

test('redaction, the trash and a lost lock hold for the sessions of subagents too', { tags: ['C15'] }, async () => {
  const folder = join(root, 'sessions');
  const store = new SessionStore({
    folder,
    workspace: null,
    engine: 'test',
    clock: { now: Date.now },
    crypto: nodeCrypto,
  });
  const parent = await store.create();
  const lost = { error: null as JournalError | null };
  const sub = await store
    .subagentsOf(parent.id)
    .create({ parentEntry: { session: parent.id, seq: 0 } }, { guard: async () => lost.error });
  const say = (text: string) => {
    const message = { role: 'user', kind: 'user', text } as const;
    return sub.journal.append({ type: 'message', message, tokens: 1 });
  };
  await say(`the key is ${SECRET}`);
  lost.error = new JournalError('locked', folder, 'Another window has it.');
  await expect(say('too late')).rejects.toThrow('Another window has it.');
  await sub.journal.close().catch(() => undefined);
  await parent.journal.close();

  expect(await listSubagents(parent.folder)).toEqual([sub.folder]);
  const report = await redactWithSubagents(parent.folder, [SECRET], nodeCrypto);
  expect(report.occurrences).toBe(1);
  expect(await readFile(join(sub.folder, JOURNAL), 'utf8')).not.toContain(SECRET);
  // They are no sessions of the list, and go with their parent.
  expect((await store.list()).map(({ id }) => id)).toEqual([parent.id]);
  const trashed = await store.remove(parent.id);
  expect(await listSubagents(trashed)).toHaveLength(1);
});
