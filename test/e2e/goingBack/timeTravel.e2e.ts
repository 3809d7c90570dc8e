/**
 * Going back and forward: files are as they were, and the person decides about those that others changed; a message is
 * edited and sent again; an earlier branch is opened; a summary of what is left is taken along; the model sends a message
 * to its own past, across a compaction.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from '@playwright/test';
import { pageFrame } from '../support/host.ts';
import { ask, askAndAllow, askAndAllowDeleting, scrollUpTo, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, typeInto } from '../support/workbench.ts';

async function restore(panel: FrameLocator, nth: number): Promise<void> {
  const row = panel.locator('.row.user').nth(nth);
  await row.hover();
  await row.getByRole('button', { name: /Restore/ }).click();
}

const asked = (panel: FrameLocator) => panel.locator('.row.user .user-text');

test('back to a checkpoint, and forward again', {
  tag: ['@everyday', '@M3', '@item:11', '@item:24', '@M8', '@M7'],
}, async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel();
  const { page, panel, folder } = await startHost({ share: true, settings });
  const path = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(path(name), 'utf8');
  writeFileSync(path('one.txt'), 'one\n');
  writeFileSync(path('two.txt'), 'two\n');
  await askAndAllow(panel, 'edit one.txt replace "one" with "changed"');
  await askAndAllow(panel, 'edit two.txt replace "two" with "changed"');
  await askAndAllowDeleting(panel, 'run `echo made > made.txt; rm greet.ts`');
  assert.deepEqual([existsSync(path('made.txt')), existsSync(path('greet.ts'))], [true, false]);
  writeFileSync(path('two.txt'), 'changed by a person\n');

  await restore(panel, 0);
  await page.locator('.quick-input-widget', { hasText: 'Restore Checkpoint 0' }).waitFor();
  const changes = page.locator('.quick-input-list .monaco-list-row');
  await changes.filter({ hasText: 'Someone else has changed it since' }).waitFor();
  await capture('time-2-preview');
  // The conversation, the heading of the files, and four of them; a summary is asked for by its own tick.
  await expect(changes.filter({ hasText: /removes \d+ messages, \S+ → \S+ tokens/ })).toHaveCount(1);
  await expect(changes.filter({ hasText: 'a model is asked for it' })).toHaveCount(1);
  await expect(changes.filter({ hasText: /will be|Tick it/ })).toHaveCount(4);
  await changes.filter({ hasText: 'two.txt' }).hover();
  await changes
    .filter({ hasText: 'two.txt' })
    .getByRole('button', { name: /Show the Changes/ })
    .click();
  await page.locator('.tab', { hasText: 'two.txt' }).waitFor();
  await capture('time-3-diff');
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();

  await panel.locator('.row.notice', { hasText: '3 files were restored' }).waitFor();
  assert.deepEqual(
    [read('one.txt'), read('two.txt'), existsSync(path('made.txt')), existsSync(path('greet.ts'))],
    ['one\n', 'changed by a person\n', false, true],
  );
  await expect(asked(panel)).toHaveCount(0);
  const field = panel.getByRole('combobox', { name: 'Message' });
  await expect(field).toHaveValue('edit one.txt replace "one" with "changed"');
  await capture('time-4-restored');

  await test.step('one press gives back conversation, files and message field, without what was written meanwhile', async () => {
    await field.fill(`${await field.inputValue()}\n\nand this, written meanwhile`);
    await panel.getByRole('button', { name: 'Undo the restore' }).click();
    await panel.locator('.row.notice', { hasText: 'The restore was undone. 3 files were restored.' }).waitFor();
    await expect(asked(panel)).toHaveCount(3);
    await expect(field).toHaveValue('and this, written meanwhile');
    assert.deepEqual(
      [read('one.txt'), existsSync(path('made.txt')), existsSync(path('greet.ts'))],
      ['changed\n', true, false],
    );
    await capture('time-5-undone');
    await field.fill('');
  });

  const last = panel.locator('.row.user').last();
  await last.hover();
  await last.getByRole('button', { name: 'Edit this message' }).click();
  await panel.getByText('Editing an earlier message').waitFor();
  await panel.getByRole('checkbox', { name: 'Put 2 files back as they were before' }).waitFor();
  await panel.getByRole('button', { name: 'Show files' }).click();
  await panel.locator('.edit-list li', { hasText: /made\.txt\s*will be deleted/ }).waitFor();
  await panel.locator('.edit-list li', { hasText: /greet\.ts\s*will be created again/ }).waitFor();
  await capture('time-6-editing');
  const edited = panel.getByRole('combobox', { name: 'New text' });
  await edited.press('Escape');
  await expect(asked(panel)).toHaveCount(3);
  await last.hover();
  await last.getByRole('button', { name: 'Edit this message' }).press('Enter');
  await panel.getByRole('checkbox', { name: 'Put 2 files back as they were before' }).waitFor();
  await typeInto(edited, 'list the folder instead');
  await edited.press('Enter');
  await expect(asked(panel).last()).toHaveText(/^list the folder instead/);
  await waitUntilIdle(panel);
  await expect(asked(panel)).toHaveCount(3);
  await panel.locator('.row.notice', { hasText: '2 files were restored' }).waitFor();
  assert.deepEqual(
    [read('one.txt'), existsSync(path('made.txt')), existsSync(path('greet.ts'))],
    ['changed\n', false, true],
  );
  await capture('time-7-edited');
  await panel.getByRole('button', { name: 'Undo the restore' }).last().click();
  await changes.filter({ hasText: 'made.txt' }).waitFor();
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  await panel.locator('.row.notice', { hasText: 'The restore was undone. 2 files were restored.' }).waitFor();
  assert.deepEqual([existsSync(path('made.txt')), existsSync(path('greet.ts'))], [true, false]);
  await expect(asked(panel).last()).toHaveText(/^run/);
  await ask(panel, 'list the folder');

  await test.step('back to right after a message, which is answered once more', async () => {
    const newest = panel.locator('.row.assistant').last();
    await expect(newest).toContainText('you wrote “list the folder”');
    await send(panel, '/restore');
    await quickPick(page, 'after the message').waitFor();
    await capture('time-13-checkpoints');
    await quickPick(page, 'after the message').click();
    await page.locator('.quick-input-titlebar').getByRole('button', { name: 'Conversation only' }).click();
    await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
    const back = panel.locator('.row.notice', { hasText: 'Went back to checkpoint' }).last();
    await expect(newest).toContainText('you wrote “run');
    await back.getByRole('button', { name: 'Continue' }).click();
    await expect(newest).toContainText('you wrote “list the folder”');
    await waitUntilIdle(panel);
    await expect(asked(panel).last()).toHaveText(/^list the folder/);
  });

  await test.step('the conversation is cleared, and what was said is a branch', async () => {
    await send(panel, '/clear');
    await panel.locator('.row.notice', { hasText: 'cleared' }).waitFor();
    await expect(asked(panel)).toHaveCount(0);
    await panel.getByRole('button', { name: 'Show branches' }).click();
    await quickPick(page, 'left by clearing').click();
    await expect(asked(panel).last()).toHaveText(/^list the folder/);
  });

  await test.step('a branch is looked at, and returned to with its files', async () => {
    await restore(panel, 0);
    await changes.filter({ hasText: 'made.txt' }).waitFor();
    await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
    await expect.poll(() => read('one.txt')).toBe('one\n');
    await send(panel, '/branches');
    const branch = changes.filter({ hasText: 'edit one.txt' }).first();
    await branch.hover();
    await branch.getByRole('button', { name: 'View This Branch' }).click();
    await pageFrame({ page }).getByText('You: edit two.txt').waitFor();
    await capture('time-14-branch-tree');
    await pageFrame({ page }).getByRole('button', { name: 'Return to this branch' }).click();
    await changes.filter({ hasText: /^made\.txt\s*will be created again/ }).waitFor();
    await capture('time-15-files-of-a-branch');
    await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
    await expect.poll(() => read('one.txt')).toBe('changed\n');
    await expect(asked(panel)).not.toHaveCount(0);
  });
});

test('back with a summary of the branch that is left', async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel();
  const { page, panel } = await startHost({
    share: true,
    settings: { ...settings, 'palimpsest.compaction.trigger.perModel': { 'scripted*': 'messages 400' } },
  });
  await ask(panel, 'hello');
  await panel.locator('button.meter').click();
  await panel
    .getByText(/Compaction starts at .* · Also at 400 messages and results; there are \d+ now · Set for scripted\*/)
    .waitFor();
  await capture('time-8-thresholds-of-the-model');
  await page.keyboard.press('Escape');
  await ask(panel, 'read greet.ts');
  await ask(panel, 'list the folder and be long');
  await send(panel, '/restore');
  await quickPick(page, 'list the folder and be long').click();
  await quickPick(page, 'Summary of what is removed').click();
  await capture('time-9-with-a-summary');
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  const carried = panel.locator('.row.compaction', { hasText: 'summary of a branch' });
  await carried.waitFor();
  await waitUntilIdle(panel);
  await expect(asked(panel)).toHaveText([/^hello/, /^read greet\.ts/]);
  await panel.locator('.row.notice', { hasText: 'Went back to checkpoint 4' }).waitFor();
  await carried.getByRole('button', { expanded: false }).click();
  await expect(carried.locator('pre.summary')).toContainText('Summary of a branch of this conversation');
  await capture('time-10-carried-over');
  await carried.getByRole('button', { name: 'Remove the summary of the branch' }).click();
  await carried.locator('.tag', { hasText: 'undone' }).waitFor();
  await carried.getByRole('button', { name: 'Restore the summary of the branch' }).click();
  await carried.getByRole('button', { name: 'Remove the summary of the branch' }).waitFor();
  await ask(panel, 'be brief');
});

test('a message to the past, across a compaction', { tag: ['@M4', '@M2'] }, async ({
  startHost,
  startScriptedModel,
  capture,
}) => {
  const { server, settings } = await startScriptedModel();
  const { page, panel } = await startHost({
    share: true,
    settings: {
      ...settings,
      'palimpsest.agent.tellCheckpoints': true,
      'palimpsest.agent.dmail': true,
      'palimpsest.compaction.strategy': 'llm-summary',
    },
  });
  await ask(panel, 'read greet.ts and be long');
  await ask(panel, 'list the folder and be long');
  await ask(panel, 'be long once more');
  await test.step('each turn begins with a checkpoint, and the model is told of it', async () => {
    await scrollUpTo(panel, panel.locator('.row.checkpoint'));
    await panel.locator('.conversation').evaluate((element) => element.scrollTo(0, element.scrollHeight));
    const [, told] = lastTurn(server).messages;
    assert.equal(told?.text, '<system-reminder>\nCHECKPOINT 0\n</system-reminder>');
  });
  await send(panel, '/compact');
  await panel.locator('.row.compaction').waitFor();
  await waitUntilIdle(panel);
  await send(panel, 'call send_message_to_past {"checkpoint":1,"message":"The folder was no help."}');
  const mail = panel.locator('.row.dmail');
  await mail.waitFor();
  await waitUntilIdle(panel);
  assert.match(await mail.innerText(), /checkpoint 1[\s\S]*The folder was no help\./);
  // The open request came along. The compaction and the messages it replaced are on the branch that was left.
  await expect(asked(panel)).toHaveText([
    /^read greet\.ts and be long/,
    /^call send_message_to_past \{"checkpoint":1,"message":"The folder was no help\."\}/,
  ]);
  await expect(panel.locator('.row.compaction')).toHaveCount(0);
  await capture('time-11-dmail');
  await mail.getByRole('button', { name: 'Show branches' }).click();
  // The model sends its message up to three times; the branch with the compaction is the first that was left, listed last.
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'left by the agent' }).last().click();
  await panel.locator('.row.compaction').waitFor();
  const prompt = 'call report_to_past {"report":"It is in line 7."}';
  await send(panel, `call task ${JSON.stringify({ title: 'Look', prompt })}`);
  const report = panel.locator('.row.dmail', { hasText: 'The subagent Palimpsest sent its report' });
  await report.getByText('It is in line 7.').waitFor();
  await waitUntilIdle(panel);
  await capture('time-12-report');
});
