/** *Ask Palimpsest…* on a selection: by key and from the menu, a question in a quick input, an edit through the usual card. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, chooseMenuItem, quickPick } from '../support/workbench.ts';

test('what a selection is to become is asked in the editor, and the edit is reviewed', { tag: '@item:13' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const source = 'export const wait = 1;\nexport const tries = 3;\n';
  const { page, panel, folder } = await startHost({
    folder: makeFolder({ 'retry.ts': source }),
    settings: model.settings,
  });
  const title = 'Ask Palimpsest about @retry.ts:1';
  await page.keyboard.press('ControlOrMeta+P');
  await page.locator('.quick-input-widget input.input').fill('retry.ts');
  await quickPick(page, 'retry.ts').click();
  const editor = page.locator('.part.editor .view-lines').first();
  await editor.click();
  await page.keyboard.press('ControlOrMeta+Home');

  await page.keyboard.press('Shift+End');

  // Escape sends nothing.
  await editor.click({ button: 'right', position: { x: 40, y: 8 } });
  await chooseMenuItem(page, 'Ask Palimpsest…');
  await expect(page.locator('.quick-input-title').last()).toHaveText(title);
  await capture('ask-code-1-input');
  await page.keyboard.press('Escape');
  await expect(page.locator('.quick-input-widget')).toBeHidden();
  await expect(panel.locator('.row.user')).toHaveCount(0);

  await page.keyboard.press('ControlOrMeta+1');
  await page.keyboard.press('ControlOrMeta+K');
  await page.keyboard.press('ControlOrMeta+E');
  await capture('ask-code-2-key');
  const edits = [{ old_string: 'wait = 1', new_string: 'wait = 2' }];
  model.planCall('edit_file', { path: 'retry.ts', edits }, 'Done.');
  await answerQuickInput(page, title, 'Wait twice as long');
  await expect(panel.locator('.row.user').last()).toContainText('@retry.ts:1 Wait twice as long');
  await expect(panel.locator('.approval .diff')).toContainText('+export const wait = 2;');
  await capture('ask-code-3-card');
  expect(readFileSync(join(folder, 'retry.ts'), 'utf8')).toBe(source);
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  expect(readFileSync(join(folder, 'retry.ts'), 'utf8')).toContain('wait = 2');
  expect(lastTurn(model.server).messages.some(({ text }) => text.includes('retry.ts: lines 1-1 of 2'))).toBe(true);
});
