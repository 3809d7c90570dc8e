/**
 * A whole task by keyboard alone: the panel is opened, a message is sent, the edit reviewed and approved, looked at again
 * and undone, and the branch that was left is opened. What a screen reader is told on the way is told once and in time.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator, Page } from '@playwright/test';
import { CARD_KEY } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick } from '../support/workbench.ts';

/** Presses of the Tab key that may lie between two places. */
const MOST_STOPS = 30;

/** Runs a command as somebody does who has no mouse. */
async function command(page: Page, title: string): Promise<void> {
  const { keyboard } = page;
  await expect(async () => {
    await keyboard.press('F1');
    await page.locator('.quick-input-widget input.input').waitFor({ timeout: 2_000 });
    await keyboard.type(title);
    await quickPick(page, title).waitFor({ timeout: 2_000 });
  }).toPass();
  await keyboard.press('Enter');
}

/** What has the focus in the panel, by its name. */
const focused = (panel: FrameLocator) =>
  panel.locator('body').evaluate(() => {
    const active = document.activeElement;
    return (active?.getAttribute('aria-label') ?? active?.textContent ?? '').trim();
  });

/** Goes on with Tab until the focus is on what has that name. */
async function tabTo(page: Page, panel: FrameLocator, name: RegExp): Promise<void> {
  const seen: string[] = [];
  for (let n = 0; n < MOST_STOPS; n++) {
    const now = await focused(panel);
    if (name.test(now)) return;
    seen.push(now.slice(0, 40));
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not lead to ${name}, but to: ${seen.join(' | ')}`);
}

test('a whole task by keyboard alone, and what is read out on the way', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const folder = makeFolder({ 'retry.txt': 'const tries = 3;\n' });
  const host = await startHost({ folder, settings: model.settings });
  const { page, panel } = host;
  const { keyboard } = page;
  const onDisk = () => readFileSync(join(host.folder, 'retry.txt'), 'utf8');
  const diff = page.locator('.monaco-diff-editor');
  const answer = panel.locator('.row.assistant', { hasText: 'It tries five times now.' });
  const inComposer = () => expect.poll(() => focused(panel)).toBe('Message');
  const backToPanel = async () => {
    await command(page, 'View: Close All Editors');
    await expect(diff).toHaveCount(0);
    await command(page, 'Palimpsest: Focus on Palimpsest View');
  };

  // The first start: the caret is where one types.
  await command(page, 'Palimpsest: Focus on Palimpsest View');
  await inComposer();
  await panel.locator('.announcer').evaluate((announcer) => {
    const said: string[] = [];
    Object.assign(window, { said });
    new MutationObserver(() => said.push(announcer.textContent ?? '')).observe(announcer, { childList: true });
  });
  const edits = [{ old_string: 'tries = 3', new_string: 'tries = 5' }];
  model.planCall('edit_file', { path: 'retry.txt', edits }, 'It tries five times now.');
  await keyboard.type('Be more patient');
  await keyboard.press('Enter');

  await test.step('the edit is reviewed before it is written, and allowed', async () => {
    const card = panel.locator('.approval');
    await card.waitFor();
    await inComposer();
    await keyboard.press(CARD_KEY);
    await expect.poll(() => focused(panel)).toContain('retry.txt');
    await tabTo(page, panel, /^Review$/);
    await keyboard.press('Enter');
    await diff.waitFor();
    await capture('keyboard-1-review');
    await backToPanel();
    await inComposer();
    assert.equal(onDisk(), 'const tries = 3;\n');
    await keyboard.press(CARD_KEY);
    await keyboard.press('y');
    await card.waitFor({ state: 'detached' });
    await answer.waitFor();
    await inComposer();
    assert.equal(onDisk(), 'const tries = 5;\n');
  });

  await test.step('what was changed is looked at again, from its row', async () => {
    // The row that was last at.
    await keyboard.press('Control+ArrowUp');
    await expect.poll(() => focused(panel)).toContain('Edited retry.txt');
    await expect(panel.getByRole('combobox', { name: 'Message' }), 'no message is recalled').toHaveValue('');
    await keyboard.press('Enter');
    await tabTo(page, panel, /^Review/);
    await capture('keyboard-2-row');
    await keyboard.press('Enter');
    await diff.waitFor();
    await backToPanel();
  });

  await test.step('the turn is undone, files included', async () => {
    await inComposer();
    await keyboard.press('Control+ArrowUp');
    await expect.poll(() => focused(panel)).not.toBe('Message');
    await keyboard.press('Home');
    await expect.poll(() => focused(panel)).not.toContain('Edited retry.txt');
    await tabTo(page, panel, /^Restore/);
    await keyboard.press('Enter');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'retry.txt' }).waitFor();
    await capture('keyboard-3-restore');
    await keyboard.press('Enter');
    await expect.poll(onDisk).toBe('const tries = 3;\n');
    await panel.locator('.row.notice').first().waitFor();
  });

  await test.step('the branch that was left is opened again', async () => {
    await command(page, 'Palimpsest: Show Branches');
    await quickPick(page, 'Be more patient').waitFor();
    await keyboard.type('Be more patient');
    await capture('keyboard-4-branches');
    await keyboard.press('Enter');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'retry.txt' }).waitFor();
    await keyboard.press('Enter');
    await answer.waitFor();
    await expect.poll(onDisk).toBe('const tries = 5;\n');
  });

  const said = await panel.locator('body').evaluate(() => (window as unknown as { said: string[] }).said);
  const about = (wanted: RegExp) => said.filter((text) => wanted.test(text)).length;
  assert.deepEqual(
    [about(/^Allow this edit\? retry\.txt/), about(/^Assistant: It tries five times now\./)],
    [1, 1],
    said.join('\n'),
  );
});
