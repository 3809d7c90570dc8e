/** VS Code's own dialog for files, which code-server always shows: `files.simpleDialog.enable` makes it so elsewhere. */

import type { Page } from 'playwright-core';
import { eventually } from './actions.ts';

/** What the dialog says when it stays open. */
export const REFUSAL = 'Please enter a path that exists';

/**
 * Types the path and confirms it. The dialog fills its field when it has read a folder, over what was typed meanwhile; so
 * what it was given is compared and given again.
 */
export async function choosePath(page: Page, path: string, kind: 'open' | 'save' = 'open'): Promise<void> {
  const widget = page.locator('.quick-input-widget');
  const input = widget.locator('input.input');
  await eventually(
    () => input.inputValue(),
    // A dialog to save ends with a name for the file; until then Enter would take that name.
    (value) => value.startsWith('/') && (kind === 'open' || !value.endsWith('/')),
  );
  for (let attempt = 1; attempt <= 5; attempt++) {
    await input.fill(path);
    await input.press('Enter');
    const closed = await widget.waitFor({ state: 'hidden', timeout: 3_000 }).then(
      () => true,
      () => false,
    );
    if (closed || (await widget.getByText(REFUSAL).isVisible())) return;
  }
  throw new Error(`the dialog did not take ${path}`);
}
