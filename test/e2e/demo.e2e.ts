/** The first minutes with the scripted demo: no key, no network, the real tools, and a compaction before one's eyes. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../../scripts/paths.ts';
import { openPanel } from './support/actions.ts';
import { panelFrame } from './support/host.ts';
import { send, waitUntilIdle } from './support/panel.ts';
import { scenario } from './support/scenario.ts';

const folder = join(ROOT, 'scripts/sample-workspace');

/** Drags the border of the panel, as a person makes room for it. */
async function widenPanel(page: Page): Promise<void> {
  const part = page.locator('.part.auxiliarybar');
  const { x = 0 } = (await part.boundingBox()) ?? {};
  await page.mouse.move(x - 1, 500);
  await page.mouse.down();
  await page.mouse.move(x - 200, 500, { steps: 5 });
  await page.mouse.up();
}

for (const theme of process.env.PALIMPSEST_FULL ? ['Dark', 'Light'] : ['Dark']) {
  const settings = { 'workbench.colorTheme': `Default ${theme} Modern` };
  scenario(`the demo works through the folder, ${theme}`, { folder, settings }, async (host, screenshot) => {
    const { page } = host;
    const name = (step: string) => `demo-${theme.toLowerCase()}-${step}`;
    await openPanel(page);
    await widenPanel(page);
    const panel = panelFrame(page);
    await screenshot(name('1-empty'));
    await panel.getByText('Try the demo model').click();
    await send(panel, 'Show me what you can do');

    const allow = panel.getByRole('button', { name: 'Allow', exact: true });
    await allow.waitFor({ timeout: 60_000 });
    await screenshot(name('2-approval'));
    // By keyboard alone: y allows, once the card has been on screen for a moment.
    await panel.locator('.approval').focus();
    await page.waitForTimeout(700);
    await page.keyboard.press('y');
    await waitUntilIdle(panel);
    await screenshot(name('3-done'));
    const compaction = panel.locator('.row.compaction').first();
    await compaction.getByRole('button', { name: /→/ }).click();
    await screenshot(name('4-compaction'));
    await panel
      .getByRole('button', { name: /^\d.* \/ 8k|tokens/ })
      .first()
      .click();
    await screenshot(name('5-meter'));
    const changed = readFileSync(join(host.folder ?? '', 'README.md'), 'utf8');
    assert.notEqual(changed, readFileSync(join(folder, 'README.md'), 'utf8'));
  });
}
