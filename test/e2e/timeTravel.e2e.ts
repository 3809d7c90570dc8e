/**
 * Going back and coming forward: files as they were, with what others changed left to the person; a message edited and
 * sent again; a branch returned to; a message that the model sends to its own past, across a compaction.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { SCRIPTED_MODEL, startScriptedModel } from '../support/modelServerScript.ts';
import { eventually, openPanel, typeInto } from './support/actions.ts';
import { panelFrame } from './support/host.ts';
import { ask, send, waitUntilIdle } from './support/panel.ts';
import { scenario } from './support/scenario.ts';

const server = await startScriptedModel();
after(() => server.close());

const settings = { 'palimpsest.endpoint.baseUrl': server.baseUrl, 'palimpsest.model': SCRIPTED_MODEL };

async function askAndAllow(panel: FrameLocator, text: string): Promise<void> {
  await send(panel, text);
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
}

/** The quick pick that shows these words in its title, placeholder or rows. */
async function choose(page: Page, text: string): Promise<void> {
  await page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first().click();
}

async function restore(panel: FrameLocator, nth: number): Promise<void> {
  const row = panel.locator('.row.checkpoint').nth(nth);
  await row.hover();
  await row.getByRole('button', { name: /Restore/ }).click();
}

const texts = async (panel: FrameLocator) =>
  (await panel.locator('.row.user .user-text').allInnerTexts()).map((text) => text.split('\n')[0]);

scenario('back to a checkpoint, and forward again', { settings }, async ({ page, folder }, screenshot) => {
  const path = (name: string) => join(folder ?? '', name);
  const read = (name: string) => readFileSync(path(name), 'utf8');
  writeFileSync(path('one.txt'), 'one\n');
  writeFileSync(path('two.txt'), 'two\n');
  await openPanel(page);
  const panel = panelFrame(page);
  await askAndAllow(panel, 'edit one.txt replace "one" with "changed"');
  await askAndAllow(panel, 'edit two.txt replace "two" with "changed"');
  await askAndAllow(panel, 'run `echo made > made.txt; rm greet.ts`');
  assert.deepEqual([existsSync(path('made.txt')), existsSync(path('greet.ts'))], [true, false]);
  writeFileSync(path('two.txt'), 'changed by a person\n');

  await restore(panel, 0);
  await page.locator('.quick-input-widget', { hasText: 'Restore Checkpoint 0' }).waitFor();
  await screenshot('time-1-what-to-restore');
  await choose(page, 'Conversation and files');
  const changes = page.locator('.quick-input-list .monaco-list-row');
  await changes.filter({ hasText: 'Somebody else changed it since' }).waitFor();
  await screenshot('time-2-preview');
  assert.deepEqual(await changes.count(), 4);
  await changes.filter({ hasText: 'two.txt' }).hover();
  await changes
    .filter({ hasText: 'two.txt' })
    .getByRole('button', { name: /Show the Changes/ })
    .click();
  await page.locator('.tab', { hasText: 'two.txt' }).waitFor();
  await screenshot('time-3-diff');
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();

  await panel.locator('.row.notice', { hasText: '3 files were restored' }).waitFor();
  assert.deepEqual(
    [read('one.txt'), read('two.txt'), existsSync(path('made.txt')), existsSync(path('greet.ts'))],
    ['one\n', 'changed by a person\n', false, true],
  );
  assert.deepEqual(await texts(panel), []);
  await screenshot('time-4-restored');

  await panel.getByRole('button', { name: 'Undo the restore' }).click();
  await changes.filter({ hasText: 'one.txt' }).waitFor();
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  await eventually(
    () => [read('one.txt'), existsSync(path('made.txt')), existsSync(path('greet.ts'))].join(),
    (now) => now === 'changed\n,true,false',
  );

  await panel.getByRole('button', { name: 'Show branches' }).first().click();
  await screenshot('time-5-branches');
  await choose(page, 'edit one.txt');
  await eventually(
    async () => (await texts(panel)).length,
    (count) => count === 3,
  );

  const last = panel.locator('.row.user').last();
  await last.hover();
  await last.getByRole('button', { name: 'Edit this message' }).click();
  await panel.getByText('Editing an earlier message').waitFor();
  await screenshot('time-6-editing');
  const composer = panel.getByRole('combobox', { name: 'Message' });
  await typeInto(composer, 'list the folder instead');
  await composer.press('Enter');
  await eventually(
    async () => (await texts(panel)).at(-1),
    (text) => text === 'list the folder instead',
  );
  await waitUntilIdle(panel);
  assert.equal((await texts(panel)).length, 3);
  await screenshot('time-7-edited');

  await send(panel, '/clear');
  await panel.locator('.row.notice', { hasText: 'cleared' }).waitFor();
  assert.deepEqual(await texts(panel), []);
  await panel.getByRole('button', { name: 'Show branches' }).click();
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'left by clearing' }).waitFor();
  await page.keyboard.press('Escape');
  assert.deepEqual(server.failures, []);
});

const dmailSettings = {
  ...settings,
  'palimpsest.agent.dmail': true,
  'palimpsest.agent.dmailLimit': 1,
  'palimpsest.compaction.strategy': 'llm-summary',
};

scenario('a message to the past, across a compaction', { settings: dmailSettings }, async ({ page }, screenshot) => {
  await openPanel(page);
  const panel = panelFrame(page);
  await ask(panel, 'read greet.ts and be long');
  await ask(panel, 'list the folder and be long');
  await ask(panel, 'be long once more');
  await send(panel, '/compact');
  await panel.locator('.row.compaction').waitFor();
  await waitUntilIdle(panel);
  await send(panel, 'call send_message_to_past {"checkpoint":1,"message":"The folder was no help."}');
  const mail = panel.locator('.row.dmail');
  await mail.waitFor();
  await waitUntilIdle(panel);
  assert.match(await mail.innerText(), /checkpoint 1[\s\S]*The folder was no help\./);
  // The open request came along; the compaction, and what it stood for, lie on the branch that was left.
  assert.deepEqual(await texts(panel), [
    'read greet.ts and be long',
    'call send_message_to_past {"checkpoint":1,"message":"The folder was no help."}',
  ]);
  assert.equal(await panel.locator('.row.compaction').count(), 0);
  await screenshot('time-8-dmail');
  await mail.getByRole('button', { name: 'Show branches' }).click();
  await choose(page, 'left by the agent');
  await panel.locator('.row.compaction').waitFor();
  assert.deepEqual(server.failures, []);
});
