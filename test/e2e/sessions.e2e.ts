/**
 * Sessions through what happens to windows: an extension host killed in the middle of an answer, two windows on one
 * folder, a browser that dies without a word. Nothing acknowledged is missing, and one window writes at a time.
 */

import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { encodeEntry } from '../../src/core/journal/codec.ts';
import { nodeCrypto } from '../../src/host/storage/nodeCrypto.ts';
import { SCRIPTED_MODEL, startScriptedModel } from '../support/modelServerScript.ts';
import { eventually, openPanel, runCommand, typeInto, waitForToast } from './support/actions.ts';
import { type Host, listExtensionHosts, openSecondWindow, panelFrame, reloadWindow } from './support/host.ts';
import { ask, send, waitUntilIdle } from './support/panel.ts';
import { type Screenshot, scenario } from './support/scenario.ts';

const server = await startScriptedModel({ pieceDelayMs: 60 });
after(() => server.close());

const settings = { 'palimpsest.endpoint.baseUrl': server.baseUrl, 'palimpsest.model': SCRIPTED_MODEL };

/** Of the session written last. */
function journalPath({ server: { userDataDir } }: Host): string {
  const found = globSync('**/journal.jsonl', { cwd: userDataDir }).map((name) => join(userDataDir, name));
  const [path] = found.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  assert.ok(path, 'there is a session on disk');
  return path;
}

/** Its lines, as far as they are whole. */
function readJournal(host: Host): string[] {
  return readFileSync(journalPath(host), 'utf8').split('\n').slice(0, -1);
}

const answers = (panel: FrameLocator) => panel.locator('.row.assistant');
const banner = (panel: FrameLocator) => panel.locator('.banner', { hasText: 'another window' });

async function openHistory(page: Page): Promise<FrameLocator> {
  await runCommand(page, 'Palimpsest: Show History');
  const panel = panelFrame(page);
  await panel.locator('.overlay .session').first().waitFor();
  return panel;
}

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
  for (const index of UNREADABLE.keys())
    await bad(await openHistory(page))
      .nth(index)
      .click();
  for (const [id, , text] of UNREADABLE) {
    if (id === 'later') await panelFrame(page).locator('.banner', { hasText: text }).waitFor();
    else await waitForToast(page, text);
  }
  await screenshot('sessions-9-unreadable');
}

scenario('the extension host killed in the middle of an answer', { settings }, async (host, screenshot) => {
  const { page } = host;
  await openPanel(page);
  const panel = panelFrame(page);
  await ask(panel, 'list the folder');
  await send(panel, 'now be long');
  await answers(panel).last().getByText('This paragraph is filler').first().waitFor();
  const before = readJournal(host);
  for (const pid of listExtensionHosts(host)) process.kill(pid, 'SIGKILL');
  await reloadWindow(host);
  await openPanel(page);
  const again = panelFrame(page);
  await again.locator('.row.user', { hasText: 'now be long' }).waitFor();
  assert.equal(await again.locator('.row.user').count(), 2);
  assert.deepEqual(readJournal(host).slice(0, before.length), before);
  assert.equal(await banner(again).count(), 0);
  await screenshot('sessions-1-after-kill');
  await ask(again, 'list the folder again');
  assert.deepEqual(server.failures, []);
});

scenario('two windows on one folder, and a browser that dies', { settings }, async (host, screenshot) => {
  const { page } = host;
  await openPanel(page);
  const first = panelFrame(page);
  await ask(first, 'list the folder');

  const page2 = await openSecondWindow(host);
  await page2.bringToFront();
  await openPanel(page2);
  if ((await panelFrame(page2).locator('.row').count()) === 0) {
    await (await openHistory(page2)).locator('.session-open', { hasText: 'list the folder' }).click();
  }
  const second = panelFrame(page2);
  await banner(second).waitFor();
  await page2.screenshot({ path: 'test-results/screenshots/sessions-2-read-only.png' });
  assert.equal(await second.getByRole('combobox', { name: 'Message' }).isDisabled(), true);
  assert.equal(await second.locator('.row.user').count(), 1);
  await second.getByRole('button', { name: 'Take over' }).click();
  await eventually(
    () => banner(second).count(),
    (count) => count === 0,
  );
  await banner(first).waitFor();
  await screenshot('sessions-3-taken-over');
  await ask(second, 'list it from here');

  // A page whose renderer is gone says nothing to anybody; its extension host lives on.
  await page2.goto('chrome://crash').catch(() => undefined);
  await page.close();
  const page3 = await openSecondWindow(host);
  await page3.bringToFront();
  await openPanel(page3);
  const third = panelFrame(page3);
  if ((await third.locator('.row').count()) === 0) {
    await (await openHistory(page3)).locator('.session-open', { hasText: 'list the folder' }).click();
  }
  await third.locator('.row.user', { hasText: 'list it from here' }).waitFor();
  await page3.screenshot({ path: 'test-results/screenshots/sessions-4-after-crash.png' });
  assert.equal(await banner(third).count(), 0);
  await ask(third, 'and on');
  assert.equal(await third.locator('.row.user').count(), 3);
  const numbers = readJournal(host).map((line) => JSON.parse(line).seq);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index),
  );
});

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
