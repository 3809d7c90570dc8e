/**
 * Whole sessions: marked, searched, deleted and brought back, checked, exported; and files that are no sessions, each of
 * which says what it is and what can be done.
 */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import type { FrameLocator } from 'playwright-core';
import { encodeEntry } from '../../src/core/journal/codec.ts';
import { nodeCrypto } from '../../src/host/storage/disk/nodeCrypto.ts';
import { SCRIPTED_MODEL, startScriptedModel } from '../support/modelServerScript.ts';
import { eventually, openPanel, runCommand, typeInto, waitForToast } from './support/actions.ts';
import { type Host, panelFrame } from './support/host.ts';
import { journalPath } from './support/journals.ts';
import { ask, openHistory, waitUntilIdle } from './support/panel.ts';
import { type Screenshot, scenario } from './support/scenario.ts';

const server = await startScriptedModel();
after(() => server.close());

const settings = { 'palimpsest.endpoint.baseUrl': server.baseUrl, 'palimpsest.model': SCRIPTED_MODEL };

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

/** Journals that are none, or not yet: each is listed, and says when it is opened which file it is and what can be done. */
const UNREADABLE = [
  ['empty', '', 'empty/journal.jsonl is empty'],
  ['garbage', '\u0000\u0001 no line of a journal\n', 'garbage/journal.jsonl'],
  ['foreign', '{"type":"user","message":{"content":"hello"}}\n', 'foreign/journal.jsonl'],
  ['later', `${NEWER}\n`, 'newer Palimpsest'],
] as const;

async function openUnreadable(host: Host, screenshot: Screenshot): Promise<void> {
  const { page } = host;
  const sessions = dirname(dirname(journalPath(host)));
  for (const [id, content] of UNREADABLE) {
    mkdirSync(join(sessions, id));
    writeFileSync(join(sessions, id, 'journal.jsonl'), content);
  }
  const bad = (panel: FrameLocator) => panel.locator('.session-open', { hasText: /is empty|no readable|0 messages/ });
  await screenshot('sessions-8-unreadable');
  // A toast stays for a few seconds only, so each is looked for right after the click that brings it.
  const unsaid = new Set(UNREADABLE.map(([id]) => id));
  for (const index of UNREADABLE.keys()) {
    await bad(await openHistory(page))
      .nth(index)
      .click();
    await eventually(
      async () => {
        for (const [id, , text] of UNREADABLE) {
          const told =
            id === 'later'
              ? panelFrame(page).locator('.banner', { hasText: text })
              : page.locator('.notification-toast', { hasText: text });
          if (await told.first().isVisible()) unsaid.delete(id);
        }
        return unsaid.size;
      },
      (size) => size === UNREADABLE.length - index - 1,
    );
  }
  await screenshot('sessions-9-unreadable');
}

scenario('what is done with whole sessions', { settings }, async (host, screenshot) => {
  const { page, folder } = host;
  await openPanel(page);
  const panel = panelFrame(page);
  await ask(panel, 'list the alder folder');
  await runCommand(page, 'Palimpsest: New Session');
  await panel.locator('.row').first().waitFor({ state: 'detached' });
  await ask(panel, 'list the birch folder');
  await openHistory(page);
  const session = (text: string) => panel.locator('.session', { hasText: text });
  await session('alder').hover();
  await session('alder').getByRole('button', { name: 'Mark as favourite' }).click();
  await session('alder').getByRole('button', { name: 'No longer a favourite' }).waitFor();
  assert.match(await panel.locator('.session').first().innerText(), /alder/);
  await session('alder').hover();
  await screenshot('sessions-5-history');

  const search = panel.locator('.overlay vscode-text-field input');
  await typeInto(search, 'birch folder”');
  await eventually(
    () => panel.locator('.session').count(),
    (count) => count === 1,
  );
  assert.match(await panel.locator('.session-passage').innerText(), /birch folder”/);
  await screenshot('sessions-6-search');
  await typeInto(search, 'alder');
  await panel.getByRole('button', { name: 'All folders' }).click();
  await session('alder').hover();
  await session('alder')
    .getByRole('button', { name: /Move to the trash/ })
    .click();
  const toast = await waitForToast(page, 'was moved to the trash');
  await screenshot('sessions-7-trash');
  await toast.getByRole('button', { name: 'Undo' }).click();
  await panel.locator('.row.user', { hasText: 'alder' }).waitFor();
  await panel.locator('.overlay').waitFor({ state: 'detached' });

  await openUnreadable(host, screenshot);

  await runCommand(page, 'Palimpsest: New Session');
  await (await openHistory(page)).locator('.session-open', { hasText: 'alder' }).click();
  await panel.locator('.row.user', { hasText: 'alder' }).waitFor();
  await runCommand(page, 'Palimpsest: Check Session');
  await page.locator('.editor-instance', { hasText: 'Everything is as it should be.' }).waitFor();
  await screenshot('sessions-8-check');
  await runCommand(page, 'Palimpsest: Export Session');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Markdown' }).click();
  const path = page.locator('.quick-input-widget input.input');
  await path.fill(join(folder ?? '', 'exported.md'));
  await path.press('Enter');
  await waitForToast(page, 'was exported');
  assert.match(readFileSync(join(folder ?? '', 'exported.md'), 'utf8'), /list the alder folder/);
  await waitUntilIdle(panel);
});
