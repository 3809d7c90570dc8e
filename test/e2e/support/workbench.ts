/** What a person does in the workbench, each step waiting until it has taken effect. */

import { expect, type Locator, type Page } from '@playwright/test';

/** Milliseconds after which a step is tried again. */
const FIRST_TRY_MS = 1_000;
/** The same in the palette, where each further try is given half as long again: a window that opens knows a command late. */
const FIRST_LOOK_MS = 300;
const CLICK_MS = 30_000;

/**
 * Runs a command of the palette by its title, as shown there. The palette lists the commands that exist when a letter is
 * typed, and closes when the workbench takes the focus elsewhere, as it does while a window is still opening.
 */
export async function runCommand(page: Page, title: string): Promise<void> {
  // While the list closes it is still drawn, and takes nothing.
  const input = page.locator('.quick-input-widget:not([inert]) input.input');
  const row = quickPick(page, title);
  let patience = FIRST_LOOK_MS;
  await expect(async () => {
    const timeout = patience;
    patience *= 1.5;
    if (!(await input.isVisible())) await openPalette(page, timeout);
    await input.fill('>', { timeout });
    await input.fill(`>${title}`, { timeout });
    await row.waitFor({ timeout });
    await row.click({ timeout, trial: true });
    const box = await row.boundingBox({ timeout });
    if (!box) throw new Error('the list has closed');
    // A command may keep the window busy for long, or show a list of its own: one click, which nothing makes again.
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await row.waitFor({ state: 'hidden', timeout: CLICK_MS });
  }, `the command palette lists '${title}'`).toPass({ timeout: 2 * CLICK_MS });
}

/** Runs a command that shows a list, and chooses from it. */
export async function runAndChoose(page: Page, title: string, row: string): Promise<void> {
  await runCommand(page, title);
  await quickPick(page, row).click();
}

/** The first row of the quick pick on screen that shows `text`. */
export function quickPick(page: Page, text: string): Locator {
  return page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
}

/** Answers the quick input on screen; `title` tells it from the one before, which may still be there. */
export async function answerQuickInput(page: Page, title: string, text: string): Promise<void> {
  const input = page.locator('.quick-input-widget', { hasText: title }).locator('input.input');
  await input.fill(text);
  await input.press('Enter');
}

/** Opens the Settings editor on the settings that match `query`. */
export async function openSettings(page: Page, query: string): Promise<Locator> {
  await runCommand(page, 'Preferences: Open Settings (UI)');
  const editor = page.locator('.settings-editor');
  await editor.locator('.suggest-input-container .monaco-editor').click();
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

/** Unticks a box of the Settings editor, which is drawn again when the search ends and may lose a click then. */
export async function untickSetting(editor: Locator): Promise<void> {
  const box = editor.locator('.setting-item-contents .setting-value-checkbox').first();
  await expect(async () => {
    if ((await box.getAttribute('aria-checked')) === 'true') await box.click();
    await expect(box).toHaveAttribute('aria-checked', 'false', { timeout: FIRST_TRY_MS });
  }).toPass();
}

/** Settings open in a modal editor here; Escape leaves the search, then the editor. */
export async function closeSettings(page: Page): Promise<void> {
  const modal = page.locator('.monaco-modal-editor-block');
  await expect(async () => {
    await page.keyboard.press('Escape');
    await expect(modal).toBeHidden({ timeout: FIRST_TRY_MS });
  }).toPass();
}

/**
 * Closes all editors. With a page of ours in front, the palette gives that page the focus back when it closes, which takes
 * some 50 ms: a list that the command opens meanwhile loses the focus and closes. The workbench avoids this only as far as
 * the page is quick, so a list is opened from the palette with no page in front.
 */
export function closeEditors(page: Page): Promise<void> {
  return runCommand(page, 'View: Close All Editors');
}

/** The notification toast that holds `text`, once it shows. It leaves by itself after some ten seconds. */
export async function waitForToast(page: Page, text: string | RegExp): Promise<Locator> {
  const toast = page.locator('.notification-toast', { hasText: text }).first();
  await toast.waitFor();
  return toast;
}

/** Waits until each of `texts` was notified. The list of all notifications keeps them after their toasts have left. */
export async function expectNotifications(page: Page, ...texts: readonly string[]): Promise<void> {
  await runCommand(page, 'Notifications: Show Notifications');
  const centre = page.locator('.notifications-center');
  for (const text of texts) await centre.getByText(text).first().waitFor();
  await centre.getByRole('button', { name: /Hide Notifications/ }).click();
}

/** Monaco shows blanks as no-break ones, and wraps lines where they end. */
export async function editorText(page: Page): Promise<string> {
  const shown = await page.locator('.part.editor .view-lines').first().innerText();
  return shown.replaceAll('\u00a0', ' ');
}

/**
 * Types with real key events. The workbench may take the focus once, shortly after a view first opens, and swallow
 * letters; so what arrived is compared and typed again.
 */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await expect(async () => {
    await field.click();
    await field.fill('');
    await field.pressSequentially(text);
    expect(await field.inputValue()).toBe(text);
  }).toPass();
}

async function openPalette(page: Page, timeout: number): Promise<void> {
  await page.keyboard.press('F1');
  try {
    await page.locator('.quick-input-widget:not([inert]) input.input').waitFor({ timeout });
  } catch (error) {
    // Keys pressed while a webview has the focus may go to it; the status bar gives the focus back to the workbench.
    await page.locator('.part.statusbar').click({ position: { x: 400, y: 8 } });
    throw error;
  }
}

/** Chooses from an open menu by key: it ignores the mouse for a moment after it opened. */
export async function chooseMenuItem(page: Page, name: string): Promise<void> {
  const item = page.getByRole('menuitem', { name });
  await item.hover();
  await item.press('Enter');
}
