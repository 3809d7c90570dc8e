/**
 * What happens to a session when an extension host is killed in the middle of an answer, when two windows have one folder
 * open, and when a browser crashes. Nothing that was acknowledged is missing, and one window writes at a time.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { FrameLocator } from '@playwright/test';
import { RESULTS } from '../../../scripts/paths.ts';
import { listExtensionHosts, openSecondWindow, reloadWindow, type Window } from '../support/host.ts';
import { journalPath, readLines } from '../support/journals.ts';
import { ask, openSession, send } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

const PACE = { pieceDelayMs: 60 };

const answers = (panel: FrameLocator) => panel.locator('.row.assistant');
const banner = (panel: FrameLocator) => panel.locator('.banner', { hasText: 'another window' });

/** Opens the session from the list if the window shows none. */
async function showSession(window: Window, text: string): Promise<void> {
  if ((await window.panel.locator('.row').count()) === 0) await openSession(window, text);
}

test('M1: the extension host killed in the middle of an answer', async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel(PACE);
  const host = await startHost({ settings });
  const { panel } = host;
  await ask(panel, 'list the folder');
  await send(panel, 'now be long');
  await answers(panel).last().getByText('This paragraph is filler').first().waitFor();
  const before = readLines(journalPath(host));
  for (const pid of listExtensionHosts(host)) process.kill(pid, 'SIGKILL');
  await reloadWindow(host);
  await panel.locator('.row.user', { hasText: 'now be long' }).waitFor();
  await expect(panel.locator('.row.user')).toHaveCount(2);
  assert.deepEqual(readLines(journalPath(host)).slice(0, before.length), before);
  assert.equal(await banner(panel).count(), 0);
  await capture('sessions-1-after-kill');
  await ask(panel, 'list the folder again');
});

test('two windows on one folder, and a browser that dies', async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel(PACE);
  const host = await startHost({ settings });
  const { page, panel: first } = host;
  await ask(first, 'list the folder');

  const window2 = await openSecondWindow(host);
  const { page: page2, panel: second } = window2;
  await showSession(window2, 'list the folder');
  await banner(second).waitFor();
  await page2.screenshot({ path: join(RESULTS, 'screenshots/sessions-2-read-only.png') });
  await expect(second.getByRole('combobox', { name: 'Message' })).toBeDisabled();
  await expect(second.locator('.row.user')).toHaveCount(1);
  await second.getByRole('button', { name: 'Take over' }).click();
  await expect(banner(second)).toHaveCount(0);
  await banner(first).waitFor();
  await capture('sessions-3-taken-over');
  await ask(second, 'list it from here');

  // A page whose renderer has crashed can tell nobody, and its extension host lives on.
  await page2.goto('chrome://crash').catch(() => undefined);
  await page.close();
  const window3 = await openSecondWindow(host);
  const { page: page3, panel: third } = window3;
  await showSession(window3, 'list the folder');
  await third.locator('.row.user', { hasText: 'list it from here' }).waitFor();
  await page3.screenshot({ path: join(RESULTS, 'screenshots/sessions-4-after-crash.png') });
  assert.equal(await banner(third).count(), 0);
  await ask(third, 'and on');
  await expect(third.locator('.row.user')).toHaveCount(3);
  const numbers = readLines(journalPath(host)).map((line) => JSON.parse(line).seq);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index),
  );
});
