/** What a person does in the workbench, each step waiting until it has taken effect. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { panelFrame } from './host.ts';

/**
 * Runs a command of the palette by its title, as shown there. The list does not grow while it is open, so a command whose
 * extension is still being found needs another look.
 */
export async function runCommand(page: Page, title: string): Promise<void> {
  const row = page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
  for (let attempt = 1; attempt <= 10; attempt++) {
    const input = await openPalette(page);
    // The palette closes when the workbench takes the focus elsewhere, as it does while a window is still opening.
    const typed = await input.fill(`>${title}`, { timeout: 3_000 }).then(
      () => true,
      () => false,
    );
    if (typed && (await appears(row)) && (await clicks(row))) return;
    await page.keyboard.press('Escape');
  }
  throw new Error(`the command palette does not list '${title}'`);
}

/** Focuses the panel and waits until its document is there. */
export async function openPanel(page: Page): Promise<void> {
  await runCommand(page, 'Focus on Palimpsest View');
  await panelFrame(page).locator('body').waitFor();
}

/** Opens the Settings editor on the settings that match `query`. */
export async function openSettings(page: Page, query: string): Promise<Locator> {
  await runCommand(page, 'Preferences: Open Settings (UI)');
  const editor = page.locator('.settings-editor');
  const search = editor.locator('.suggest-input-container .monaco-editor');
  await search.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(query);
  // The search runs a moment after the last letter; until then the common settings show.
  await page.locator('.settings-editor.search-mode .setting-item-contents').first().waitFor();
  return editor;
}

/** Chooses an entry of a dropdown in the Settings editor; `description` is part of the setting's visible text. */
export async function chooseSetting(page: Page, editor: Locator, description: string, entry: string): Promise<void> {
  const row = editor.locator('.setting-item-contents', { hasText: description });
  await row.locator('select.monaco-select-box').click();
  await page.locator('.monaco-select-box-dropdown-container .monaco-list-row', { hasText: entry }).first().click();
}

/** The notification toast that holds `text`, once it shows. */
export async function waitForToast(page: Page, text: string): Promise<Locator> {
  const toast = page.locator('.notification-toast', { hasText: text }).first();
  await toast.waitFor();
  return toast;
}

/** Waits until `read` gives what `isWanted` accepts, and returns it; throws with the last value after ten seconds. */
export async function eventually<T>(read: () => T | Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  const until = Date.now() + 10_000;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (Date.now() > until) throw new Error(`after ten seconds it was still ${JSON.stringify(value)}`);
    await sleep(100);
  }
}

/**
 * Types with real key events. The workbench may take the focus once, shortly after a view first opens, and swallow
 * letters; so what arrived is compared and typed again.
 */
export async function typeInto(field: Locator, text: string): Promise<void> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    await field.click();
    await field.press('ControlOrMeta+A');
    await field.pressSequentially(text);
    if ((await field.inputValue()) === text) return;
  }
  throw new Error(`typed '${text}' five times, the field holds '${await field.inputValue()}'`);
}

async function openPalette(page: Page): Promise<Locator> {
  const input = page.locator('.quick-input-widget input.input');
  // Keys pressed while a webview has the focus go to it; the title bar takes the focus back to the workbench.
  for (let attempt = 1; attempt <= 5; attempt++) {
    await page.keyboard.press('F1');
    if (await appears(input)) return input;
    await page.locator('.part.statusbar').click({ position: { x: 400, y: 8 } });
  }
  throw new Error('the command palette did not open');
}

/** False when the element left before it could be clicked, as a palette does that loses the focus. */
function clicks(locator: Locator): Promise<boolean> {
  return locator.click({ timeout: 3_000 }).then(
    () => true,
    () => false,
  );
}

function appears(locator: Locator): Promise<boolean> {
  return locator.waitFor({ timeout: 3_000 }).then(
    () => true,
    () => false,
  );
}
