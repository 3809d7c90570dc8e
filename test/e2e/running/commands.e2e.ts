/** What “always” covers is shown before it is given, holds for exactly those words, and is taken back. */

import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

test('running: always exactly this command', async ({ startHost, startSteeredModel, capture }) => {
  const model = await startSteeredModel();
  const { page, panel } = await startHost({ settings: model.settings });
  const plan = (command: string) => model.planCall('run_command', { command }, 'Done.');
  const card = panel.locator('.approval');

  plan('node --version');
  await send(panel, 'Which node?');
  await card.getByRole('button', { name: 'Always allow exactly this command…' }).click();
  await expect(card.locator('.approval-words code')).toHaveText(['node', '--version']);
  await capture('running-1-always');
  await card.getByRole('button', { name: 'Always allow', exact: true }).click();
  await waitUntilIdle(panel);

  // The same words run by themselves; anything more asks, and does not offer it.
  plan('node  --version');
  await ask(panel, 'Again.');
  await expect(panel.locator('.row.tool.status-done')).toHaveCount(2);
  plan('node --version > version.txt');
  await send(panel, 'Into a file.');
  await card.waitFor();
  await expect(card.getByRole('button', { name: /^Always/ })).toHaveCount(0);
  await card.getByRole('button', { name: 'No', exact: true }).click();
  await waitUntilIdle(panel);

  await runCommand(page, 'Palimpsest: Allowed Commands');
  await quickPick(page, 'node --version').waitFor();
  await capture('running-2-list');
  await quickPick(page, 'node --version').click();
  await expect(page.locator('.quick-input-widget')).toBeHidden();
  plan('node --version');
  await send(panel, 'Once more.');
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
});
