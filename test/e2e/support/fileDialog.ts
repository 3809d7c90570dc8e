/** VS Code's own dialog for files, which code-server always shows: `files.simpleDialog.enable` makes it so elsewhere. */

import type { Page } from 'playwright-core';
import { eventually } from './actions.ts';

/** Types the path and confirms it. The dialog fills its field once it knows its folder; what was typed earlier is lost. */
export async function choosePath(page: Page, path: string): Promise<void> {
  const input = page.locator('.quick-input-widget input.input');
  await eventually(
    () => input.inputValue(),
    (value) => value.startsWith('/'),
  );
  await eventually(
    async () => {
      await input.fill(path);
      return input.inputValue();
    },
    (value) => value === path,
  );
  await input.press('Enter');
}
