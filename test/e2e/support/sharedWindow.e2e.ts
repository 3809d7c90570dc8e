/** A scenario in a shared window begins as in a new one, whatever the one before has left there. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { reloadWindow } from './host.ts';
import { ask } from './panel.ts';
import { expect, test } from './scenario.ts';
import { runCommand, typeInto } from './workbench.ts';

test('a scenario leaves nothing in the window that it shares', async ({
  startHost,
  startScriptedModel,
  makeFolder,
}) => {
  const { settings } = await startScriptedModel();
  const options = { share: true, settings, folder: makeFolder({ 'notes.md': 'notes\n' }) };
  const begin = async () => {
    const host = await startHost(options);
    const composer = host.panel.getByRole('combobox', { name: 'Message' });
    await expect(composer).toHaveValue('');
    await expect(host.panel.getByRole('button', { name: /^Remove / })).toHaveCount(0);
    await expect(host.panel.locator('.row, .popover, .overlay')).toHaveCount(0);
    await expect(host.panel.getByTitle(/^Mode: Act/)).toHaveCount(1);
    await expect(host.page.locator('.part.editor .tab, .terminal-outer-container .xterm')).toHaveCount(0);
    await expect(host.page.locator('.notification-toast')).toHaveCount(0);
    return { ...host, composer };
  };

  await test.step('a message that is being written, with an image, beside an open list, and a terminal', async () => {
    const { page, panel, composer, folder } = await begin();
    await ask(panel, 'be short');
    await runCommand(page, 'Terminal: Create New Terminal');
    await page.locator('.terminal-outer-container .xterm').waitFor();
    writeFileSync(join(folder, 'left.md'), 'left\n');
    await typeInto(composer, 'Is anybody there?');
    await paste(composer);
    await panel.getByRole('button', { name: 'Remove left.png' }).waitFor();
    await panel.getByRole('button', { name: /^Model: / }).click();
    await panel.locator('.popover').waitFor();
  });

  await test.step('a mode that the next message would have, and a draft without any session', async () => {
    const { page, composer, panel } = await begin();
    await runCommand(page, 'File: New Untitled Text File');
    await page.locator('.part.editor .monaco-editor').first().waitFor();
    await page.keyboard.type('not saved');
    await typeInto(composer, 'half a thought');
    await composer.press('Control+.');
    await expect(panel.getByTitle(/^Mode: Act/)).toHaveCount(0);
    await panel.getByRole('button', { name: /^Model: / }).click();
    await panel.locator('.popover').waitFor();
  });

  await test.step('and the next begins with nothing of it, and goes on after a reload', async () => {
    const host = await begin();
    await ask(host.panel, 'be short');
    await reloadWindow(host);
    await ask(host.panel, 'be short again');
    await expect(host.panel.locator('.row.user')).toHaveCount(2);
  });
});

/** Pastes the picture of one dot. */
async function paste(composer: Locator): Promise<void> {
  await composer.evaluate((target) => {
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(dot), (c) => c.charCodeAt(0))], 'left.png', { type: 'image/png' }));
    target.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
  });
}
