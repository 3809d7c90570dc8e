/** VS Code's own dialog for files, which code-server always shows: `files.simpleDialog.enable` makes it so elsewhere. */

import { expect, type Page } from '@playwright/test';

/** What the dialog says when it stays open. */
export const REFUSAL = 'Please enter a path that exists';

/**
 * Types the path and confirms it. The dialog fills its field when it has read a folder, over what was typed meanwhile; so
 * what it was given is compared and given again.
 */
export async function choosePath(page: Page, path: string, kind: 'open' | 'save' = 'open'): Promise<void> {
  const widget = page.locator('.quick-input-widget');
  const input = widget.locator('input.input');
  // A dialog to save ends with a name for the file; until then Enter would take that name.
  await expect(input).toHaveValue(kind === 'open' ? /^\// : /^\/.*[^/]$/);
  const refused = async () => (await widget.getByText(REFUSAL).isVisible()) && (await input.inputValue()) === path;
  await expect(async () => {
    // The dialog looks at what changes: the same path once more would be no change.
    if ((await input.inputValue()) === path) await input.fill('/', { timeout: 1_000 });
    await input.fill(path, { timeout: 1_000 });
    // A question that follows at once is in the same place, with an empty field.
    const follows = async () => (await input.inputValue({ timeout: 1_000 })) === '';
    const ended = async () => (await widget.isHidden()) || (await refused()) || (await follows());
    // While it still reads the folder of what was typed, it takes no Enter.
    await expect(async () => {
      if (!(await ended())) await input.press('Enter', { timeout: 1_000 });
      await expect.poll(ended, { timeout: 1_000 }).toBe(true);
    }).toPass({ timeout: 5_000 });
  }, `the dialog takes ${path}`).toPass();
}
