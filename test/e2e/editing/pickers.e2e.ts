/**
 * After a picker that was opened from the panel the caret is where it was, so that what is typed next is written into the
 * message and not into the file that is open beside it.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, send } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { editorText, runCommand } from '../support/workbench.ts';

/** What a person types in the panel, how the picker ends, and whether it shows several in a row. */
const WAYS = [
  { typed: '/mcp', title: 'MCP', keys: ['Escape'] },
  { typed: '/restore', title: 'Restore Checkpoint', keys: ['Escape'] },
  { typed: '/restore', title: 'Restore Checkpoint', keys: ['Enter', 'Escape'] },
  { typed: '/checkpoint', title: 'Set Checkpoint', keys: ['Enter'] },
  { typed: '/agent', title: 'Choose Agent', keys: ['Escape'] },
  { typed: '/export', title: 'Export Session', keys: ['Enter', 'Escape'] },
] as const;

test('after each picker of the panel the caret is in the panel again', {
  tag: ['@item:17'],
}, async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel();
  const host = await startHost({ settings: { ...settings, 'files.simpleDialog.enable': true } });
  const { page, panel, folder } = host;
  const path = join(folder, 'greet.ts');
  const before = readFileSync(path, 'utf8');
  await runCommand(page, 'Go to File...');
  await page.keyboard.type('greet.ts');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'greet.ts' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.tab', { hasText: 'greet.ts' }).waitFor();
  await expect(page.locator('.part.editor .monaco-editor.focused')).toHaveCount(1);
  const shown = await editorText(page);
  await ask(panel, 'list the folder');
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const picker = page.locator('.quick-input-widget');

  for (const { typed, title, keys } of WAYS) {
    await test.step(`${typed}, ${keys.join(', ')}`, async () => {
      await send(panel, typed);
      for (const key of keys) {
        await picker.getByText(title).first().waitFor();
        const said = await picker.innerText();
        await page.keyboard.press(key);
        await expect.poll(async () => !(await picker.isVisible()) || (await picker.innerText()) !== said).toBe(true);
      }
      await expect(picker).toBeHidden();
      await expect(composer).toBeFocused();
      await page.keyboard.type('typed afterwards');
      await expect(composer).toHaveValue('typed afterwards');
      await composer.fill('');
    });
  }
  await capture('pickers-1-caret');

  await test.step('a click into the file while a picker is open stays there', async () => {
    await send(panel, '/checkpoint');
    await picker.getByText('Set Checkpoint').first().waitFor();
    await page.locator('.part.editor .view-lines').first().click();
    await expect(picker).toBeHidden();
    await expect(page.locator('.part.editor .monaco-editor.focused')).toHaveCount(1);
  });
  assert.equal(await editorText(page), shown);
  assert.equal(readFileSync(path, 'utf8'), before);
});
