/**
 * What happens to a session, and to what was not sent yet, when its page or an extension host dies in the middle of an answer, when two windows have one folder
 * open, and when a browser crashes. Nothing that was acknowledged is missing, and one window writes at a time.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FrameLocator } from '@playwright/test';
import { RESULTS } from '../../../scripts/paths.ts';
import { listExtensionHosts, openSecondWindow, reloadWindow, type Window } from '../support/host.ts';
import { journalPath, readLines } from '../support/journals.ts';
import { ask, openSession, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { typeInto } from '../support/workbench.ts';

const PACE = { pieceDelayMs: 60 };

const answers = (panel: FrameLocator) => panel.locator('.row.assistant');
const composer = (panel: FrameLocator) => panel.getByRole('combobox', { name: 'Message' });
const queue = (panel: FrameLocator) => panel.getByRole('region', { name: 'Waiting messages' });
const banner = (panel: FrameLocator) => panel.locator('.banner', { hasText: 'another window' });

/** Opens the session from the list if the window shows none. */
async function showSession(window: Window, text: string): Promise<void> {
  if ((await window.panel.locator('.row').count()) === 0) await openSession(window, text);
}

test('sessions are not lost with the extension host (killed in the middle of an answer)', {
  tag: ['@everyday', '@complaint:13', '@M1'],
}, async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel(PACE);
  const host = await startHost({ settings });
  const { panel } = host;
  await ask(panel, 'list the folder');
  await send(panel, 'now be long');
  await answers(panel).last().getByText('This paragraph is filler').first().waitFor();

  await send(panel, 'and then this');
  await queue(panel).getByText('and then this').waitFor();
  await typeInto(composer(panel), 'half a thought about @README.md');

  // The page sends a draft some moments after the last key, and only then it is safe.
  const draft = join(dirname(journalPath(host)), 'draft.view.json');
  await expect.poll(() => readFileSync(draft, 'utf8')).toContain('half a thought about @README.md');
  const before = readLines(journalPath(host));
  for (const pid of listExtensionHosts(host)) process.kill(pid, 'SIGKILL');
  await reloadWindow(host);
  await panel.locator('.row.user', { hasText: 'now be long' }).waitFor();
  await expect(panel.locator('.row.user')).toHaveCount(2);
  assert.deepEqual(readLines(journalPath(host)).slice(0, before.length), before);
  assert.equal(await banner(panel).count(), 0);
  // What was not sent is there and waits for the person, also after the next answer.
  await expect(composer(panel)).toHaveValue('half a thought about @README.md');
  await queue(panel).getByText('Not sent before the session was closed').waitFor();
  await capture('sessions-1-after-kill');
  await ask(panel, 'list the folder again');
  await queue(panel).getByRole('button', { name: 'Send: and then this' }).click();
  await panel.locator('.row.user', { hasText: 'and then this' }).waitFor();
  await expect(queue(panel)).toHaveCount(0);
  await waitUntilIdle(panel);
});

test('a page that dies in the middle of an answer is back, with draft, queue and place', async ({
  startHost,
  startScriptedModel,
  capture,
}) => {
  const { settings } = await startScriptedModel({ pieceDelayMs: 150 });
  const { panel } = await startHost({ settings });
  await ask(panel, 'list the folder');
  // It goes on until the page is back, however slow the machine is.
  await send(panel, 'now be long');
  await answers(panel).last().getByText('This paragraph is filler').first().waitFor();
  await send(panel, 'and then this');
  await queue(panel).getByText('and then this').waitFor();
  await typeInto(composer(panel), 'half a thought about @README.md');
  await answers(panel).last().locator('li').nth(5).waitFor();
  await panel.locator('.conversation').evaluate((element) => element.scrollTo(0, 60));
  const top = () => panel.locator('.conversation').evaluate((element) => element.scrollTop);
  const where = await top();
  await panel.locator('body').evaluate((body) => {
    body.dataset.before = 'yes';
    setTimeout(() => location.reload(), Math.random() * 500);
  });
  await panel.locator('body[data-before]').waitFor({ state: 'detached' });
  const since = Date.now();
  await panel.locator('.row.user', { hasText: 'now be long' }).waitFor();
  // How fast the machine is decides the rest: the product itself waits a quarter of a second.
  test.info().annotations.push({ type: 'the page was back after', description: `${Date.now() - since} ms` });
  await capture('sessions-0-page-died');
  await expect(composer(panel)).toHaveValue('half a thought about @README.md');
  await expect(queue(panel).locator('li')).toHaveCount(1);
  await expect.poll(async () => Math.abs((await top()) - where)).toBeLessThan(3);
  await panel.getByText('Working…').waitFor();
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
  await send(third, 'now be long');
  await send(third, 'and on');
  await queue(third).getByText('and on').waitFor();
  await third.locator('.row.user', { hasText: 'and on' }).waitFor();
  await waitUntilIdle(third);
  await test.step('what was queued and sent does not come back with the window', async () => {
    await reloadWindow(window3);
    await third.locator('.row.user', { hasText: 'and on' }).waitFor();
    await expect(composer(third)).toHaveValue('');
    await expect(queue(third)).toHaveCount(0);
  });
  const numbers = readLines(journalPath(host)).map((line) => JSON.parse(line).seq);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index),
  );
});
