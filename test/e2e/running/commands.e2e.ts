/**
 * Commands that a person need not allow each time, and commands that run on: what “always” covers is shown before it is
 * given, holds for exactly those words, and is taken back; a server in the background is read, stopped and listed.
 */

import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

test('running: always exactly this command, and commands in the background', async ({
  startHost,
  startSteeredModel,
  capture,
}) => {
  const model = await startSteeredModel();
  const { page, panel } = await startHost({ settings: model.settings });
  const plan = (command: string, more = {}) => model.planCall('run_command', { command, ...more }, 'Done.');
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

  plan('echo listening; sleep 600', { background: true });
  await send(panel, 'Start the server.');
  await expect(card.locator('.question')).toContainText('Run this command in the background?');
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  const running = panel.locator('.row.tool .background');
  await running.waitFor();
  await capture('running-3-background');
  await runCommand(page, 'Palimpsest: Background Commands');
  await quickPick(page, 'echo listening').waitFor();
  await capture('running-4-background-list');
  await page.keyboard.press('Escape');
  await running.getByRole('button', { name: /^Stop/ }).click();
  await running.waitFor({ state: 'detached' });
});
