/**
 * Sessions through what happens to windows: an extension host killed in the middle of an answer, two windows on one
 * folder, a browser that dies without a word. Nothing acknowledged is missing, and one window writes at a time.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after } from 'node:test';
import type { FrameLocator } from 'playwright-core';
import { SCRIPTED_MODEL, startScriptedModel } from '../support/modelServerScript.ts';
import { eventually, openPanel } from './support/actions.ts';
import { type Host, listExtensionHosts, openSecondWindow, panelFrame, reloadWindow } from './support/host.ts';
import { journalPath } from './support/journals.ts';
import { ask, openHistory, send } from './support/panel.ts';
import { scenario } from './support/scenario.ts';

const server = await startScriptedModel({ pieceDelayMs: 60 });
after(() => server.close());

const settings = { 'palimpsest.endpoint.baseUrl': server.baseUrl, 'palimpsest.model': SCRIPTED_MODEL };

/** Lines of the session written last, as far as they are whole. */
function readJournal(host: Host): string[] {
  return readFileSync(journalPath(host), 'utf8').split('\n').slice(0, -1);
}

const answers = (panel: FrameLocator) => panel.locator('.row.assistant');
const banner = (panel: FrameLocator) => panel.locator('.banner', { hasText: 'another window' });

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
