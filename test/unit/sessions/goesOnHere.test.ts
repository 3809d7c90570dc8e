/** A session of another program that goes on here is known again, whatever its file is called, and so is what was added to it. */

import { appendFileSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newImportReport } from '../../../src/core/sessions/recorded.ts';
import { importFile } from '../../../src/node/storage/sessions/importFile.ts';
import { sourceOf } from '../../../src/node/storage/sessions/recordedSource.ts';
import { SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'here-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const said = (sessionId: string, text: string) =>
  `${JSON.stringify({ type: 'user', sessionId, uuid: text, parentUuid: null, message: { role: 'user', content: text } })}\n`;
const aider = '# aider chat started at 2026-01-02 10:00:00\n\n#### Mend it\n\nDone.\n';

test.each([
  ['by the id of its program', 'a.jsonl', said('s1', 'Fix it'), said('s1', 'And this')],
  ['by its place where it has no id', '.aider.chat.history.md', aider, '\n#### More\n\nYes.\n'],
])('%s', { tags: ['item:26'] }, async (_, name, content, more) => {
  const store = new SessionStore({
    folder: join(folder, 'sessions'),
    workspace: null,
    engine: 'test',
    clock: testClock(),
    crypto: testCrypto(),
  });
  const path = join(folder, name);
  writeFileSync(path, content);
  await importFile({ store, path, report: newImportReport(), signal });
  const from = async () => (await store.list()).map((session) => session.from);
  expect(await from()).toEqual([await sourceOf({ path }, signal)]);
  // Also from the stored summary.
  expect(await from()).toEqual([await sourceOf({ path }, signal)]);

  const before = await sourceOf({ path }, signal);
  appendFileSync(path, more);
  const now = await sourceOf({ path }, signal);
  expect([now.session, now.state === before.state]).toEqual([before.session, false]);

  const copy = join(folder, 'copy.jsonl');
  copyFileSync(path, copy);
  expect((await sourceOf({ path: copy }, signal)).session === now.session).toBe(name === 'a.jsonl');
});
