/**
 * Sessions are marked, searched, deleted and brought back, checked and exported. Files that are not sessions say what is
 * wrong with them and what can be done.
 */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeEntry } from '../../../src/core/journal/codec.ts';
import { nodeCrypto } from '../../../src/node/storage/disk/fileBlobStore.ts';
import { choosePath } from '../support/fileDialog.ts';
import { type Host, pageFrame } from '../support/host.ts';
import { journalPath } from '../support/journals.ts';
import { ask, newSession, openHistory, openSession, waitUntilIdle } from '../support/panel.ts';
import { expect, type Given, test } from '../support/scenario.ts';
import { closeEditors, quickPick, runAndChoose, runCommand, typeInto, waitForToast } from '../support/workbench.ts';

/** The first line of a session that a later version wrote. */
const NEWER = encodeEntry(
  {
    seq: 0,
    time: '2026-01-01T00:00:00.000Z',
    type: 'session',
    format: 99,
    id: 'from-later',
    workspace: null,
    engine: 'palimpsest/99',
    nonce: '00',
  },
  nodeCrypto,
);

/** Files that cannot be read as journals. Each is listed; opening it names the file and says what can be done. */
const UNREADABLE = [
  ['empty', '', 'empty/journal.jsonl is empty'],
  ['garbage', '\u0000\u0001 no line of a journal\n', 'garbage/journal.jsonl'],
  ['foreign', '{"type":"user","message":{"content":"hello"}}\n', 'foreign/journal.jsonl'],
  ['later', `${NEWER}\n`, 'newer Palimpsest'],
] as const;

async function openUnreadable(host: Host, capture: Given['capture']): Promise<void> {
  const { page, panel } = host;
  const sessions = dirname(dirname(journalPath(host)));
  for (const [id, content] of UNREADABLE) {
    mkdirSync(join(sessions, id));
    writeFileSync(join(sessions, id, 'journal.jsonl'), content);
  }
  const bad = panel.locator('.session-open', { hasText: /is empty|no readable|0 messages/ });
  await capture('sessions-8-unreadable');
  // A toast stays for only a few seconds, so each is looked for right after the click that brings it.
  const unsaid = new Set(UNREADABLE.map(([id]) => id));
  for (const index of UNREADABLE.keys()) {
    await openHistory(host);
    await bad.nth(index).click();
    await expect
      .poll(async () => {
        for (const [id, , text] of UNREADABLE) {
          const told =
            id === 'later'
              ? panel.locator('.banner', { hasText: text })
              : page.locator('.notification-toast', { hasText: text });
          if (await told.first().isVisible()) unsaid.delete(id);
        }
        return unsaid.size;
      })
      .toBe(UNREADABLE.length - index - 1);
  }
  await capture('sessions-9-unreadable');
}

test('what is done with whole sessions', async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel();
  const host = await startHost({ settings });
  const { page, panel, folder } = host;
  await ask(panel, 'list the alder folder');
  await newSession(host);
  await ask(panel, 'list the birch folder');
  await openHistory(host);
  const session = (text: string) => panel.locator('.session', { hasText: text });
  await session('alder').hover();
  await session('alder').getByRole('button', { name: 'Mark as favourite' }).click();
  await session('alder').getByRole('button', { name: 'No longer a favourite' }).waitFor();
  await expect(panel.locator('.session').first()).toContainText('alder');
  await session('alder').hover();
  await capture('sessions-5-history');

  const search = panel.locator('.overlay vscode-text-field input');
  await typeInto(search, 'birch folder”');
  await expect(panel.locator('.session')).toHaveCount(1);
  await expect(panel.locator('.session-passage')).toContainText('birch folder”');
  await capture('sessions-6-search');
  await typeInto(search, 'alder');
  await panel.getByRole('button', { name: 'All folders' }).click();
  await session('alder').hover();
  await session('alder')
    .getByRole('button', { name: /Move to the trash/ })
    .click();
  const toast = await waitForToast(page, 'was moved to the trash');
  await capture('sessions-7-trash');
  await toast.getByRole('button', { name: 'Undo' }).click();
  await panel.locator('.row.user', { hasText: 'alder' }).waitFor();
  await panel.locator('.overlay').waitFor({ state: 'detached' });

  await openUnreadable(host, capture);

  await newSession(host);
  await openSession(host, 'alder');
  await panel.locator('.row.user', { hasText: 'alder' }).waitFor();
  await runAndChoose(page, 'Palimpsest: Care of Sessions', 'Check a session');
  await pageFrame(host).getByText('Everything is as it should be.').waitFor();
  await capture('sessions-8-check');
  await closeEditors(page);
  await runCommand(page, 'Palimpsest: Export Session');
  await quickPick(page, 'Markdown').click();
  await choosePath(page, join(folder, 'exported.md'), 'save');
  await waitForToast(page, 'was exported');
  assert.match(readFileSync(join(folder, 'exported.md'), 'utf8'), /list the alder folder/);
  await waitUntilIdle(panel);
});
