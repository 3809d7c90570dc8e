/** The first minutes with the scripted demo: no key, no network, the real tools, and a compaction to watch. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ROOT } from '../../../scripts/paths.ts';
import { CARD_KEY, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

const folder = join(ROOT, 'scripts/sample-workspace');

/** Makes room for the panel by dragging its border. */
async function widenPanel(page: Page): Promise<void> {
  const part = page.locator('.part.auxiliarybar');
  const { x = 0 } = (await part.boundingBox()) ?? {};
  await page.mouse.move(x - 1, 500);
  await page.mouse.down();
  await page.mouse.move(x - 200, 500, { steps: 5 });
  await page.mouse.up();
}

for (const theme of ['Dark', 'Light']) {
  test(`the demo works through the folder, ${theme}`, { tag: ['@item:1'] }, async ({ startHost, capture }) => {
    const host = await startHost({ folder, settings: { 'workbench.colorTheme': `Default ${theme} Modern` } });
    const { page, panel } = host;
    const name = (step: string) => `demo-${theme.toLowerCase()}-${step}`;
    await widenPanel(page);
    await capture(name('1-empty'));
    // One click: its suggestion sends itself.
    await panel.getByText('Take the tour').click();
    await panel.locator('.row.user', { hasText: 'Show me around' }).waitFor();

    // It stops where there is something to see, goes on when told to, and ends with its third step.
    const stop = panel.locator('.question-card', { hasText: 'was a compaction' });
    await stop.waitFor();
    await capture(name('1-stop'));
    await stop.getByRole('button', { name: 'Continue' }).click();
    await panel.locator('.row.assistant', { hasText: '3/3 · Undo. Press ↶' }).waitFor();
    await waitUntilIdle(panel);
    const steps = await panel
      .locator('.row.assistant')
      .filter({ hasText: /Tour \d/ })
      .allTextContents();
    assert.deepEqual([...new Set(steps.map((text) => /Tour (\d\/\d)/.exec(text)?.[1]))], ['1/3', '2/3', '3/3']);
    await capture(name('1-tour'));
    const tokens = () => panel.locator('.meter-numbers').textContent();
    const compacted = await tokens();
    await panel.locator('.row.compaction').first().getByRole('button', { name: /^Undo/ }).click();
    await expect.poll(tokens).not.toBe(compacted);
    await capture(name('1-undone'));

    // The rest is shown on demand.
    await panel.locator('.more').getByRole('button', { name: 'More…' }).click();
    const card = panel.locator('.approval');
    await card.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await capture(name('2-approval'));
    // By keyboard alone: a key leads to the card, and there `y` allows.
    await panel.getByRole('combobox', { name: 'Message' }).focus();
    await page.keyboard.press(CARD_KEY);
    await page.keyboard.press('y');
    await expect(card).toBeHidden();
    await waitUntilIdle(panel);
    await capture(name('3-done'));
    const compaction = panel.locator('.row.compaction').last();
    await compaction.getByRole('button', { name: /→/ }).click();
    await capture(name('4-compaction'));
    await panel
      .getByRole('button', { name: /^\d.* \/ 8k|tokens/ })
      .first()
      .click();
    await capture(name('5-meter'));
    const changed = readFileSync(join(host.folder, 'README.md'), 'utf8');
    assert.notEqual(changed, readFileSync(join(folder, 'README.md'), 'utf8'));
  });
}
