/** A window that is opened for the first time, with its side bar open: the panel is there, and nobody did anything. */

import { workbenchUrl } from '../../../scripts/host/codeServer.ts';
import { panelFrame } from '../support/host.ts';
import { expect, test } from '../support/scenario.ts';

test('a fresh window whose side bar is open shows the panel at once', { tag: ['@item:1'] }, async ({
  startHost,
  makeFolder,
  context,
}) => {
  const settings = { 'workbench.secondarySideBar.defaultVisibility': 'visible' };
  const host = await startHost({ folder: makeFolder({ 'a.txt': 'a\n' }), settings });
  await host.page.close();
  const page = await context.newPage();
  await page.goto(workbenchUrl(host.server, { folder: makeFolder({ 'b.txt': 'b\n' }) }));
  await page.locator('.part.statusbar').waitFor();
  const panel = panelFrame(page);
  await panel.getByText('The window fills').waitFor();
  await expect(panel.getByRole('combobox', { name: 'Message' })).toBeVisible();
});
