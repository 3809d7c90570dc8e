/** The first minutes with the scripted demo: no key, no network, the real tools, and a compaction before one's eyes. */

import assert from 'node:assert/strict';
import { openPanel } from './support/actions.ts';
import { panelFrame } from './support/host.ts';
import { scenario } from './support/scenario.ts';

scenario('the demo works through the folder', {}, async ({ page }, screenshot) => {
  await openPanel(page);
  const panel = panelFrame(page);
  await screenshot('demo-1-empty');
  await panel.getByRole('button', { name: /demo/i }).first().click();
  await panel.locator('textarea').fill('Show me what you can do');
  await panel.locator('textarea').press('Enter');
  await panel.getByRole('button', { name: 'Allow', exact: true }).waitFor({ timeout: 60_000 });
  await screenshot('demo-2-approval');
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForTimeout(8_000);
  await screenshot('demo-3-after');
  assert.ok(true);
});
