/** A command in the sandbox needs no question; what the sandbox refuses it becomes one, and an answer runs it outside. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isInPath, provideSystemNeeds } from '../../../scripts/host/missing.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

test('running: in a sandbox without a question, and asked about what it refuses', async ({
  startHost,
  startSteeredModel,
  capture,
}) => {
  provideSystemNeeds([
    {
      name: 'bubblewrap',
      debianPackages: ['bubblewrap'],
      advice: 'on Debian `apt-get install bubblewrap`',
      isPresent: () => isInPath('bwrap'),
    },
  ]);
  const model = await startSteeredModel();
  const { panel, folder } = await startHost({
    settings: { ...model.settings, 'palimpsest.agent.shell': 'sandbox' },
  });
  const plan = (command: string) => model.planCall('run_command', { command }, 'Done.');
  const card = panel.locator('.approval');
  const rows = panel.locator('.row.tool');

  plan('echo made > made.txt; ls "$HOME/.ssh"; echo; cat made.txt');
  await ask(panel, 'Make a file.');
  await expect(rows.filter({ hasText: 'made.txt' })).toHaveCount(1);
  expect(existsSync(join(folder, 'made.txt'))).toBe(true);

  const outside = join(homedir(), `.palimpsest-sandbox-${process.pid}`);
  plan(`touch half.txt && touch ${outside} && rm ${outside} && touch whole.txt`);
  await send(panel, 'Write outside.');
  await expect(card).toContainText('The sandbox refused writing outside of the open folders');
  await expect(card).toContainText('already half run');
  await capture('sandbox-1-refused');
  expect([existsSync(join(folder, 'half.txt')), existsSync(join(folder, 'whole.txt'))]).toEqual([true, false]);
  await card.getByRole('button', { name: 'Allow…', exact: true }).click();
  await card.getByRole('button', { name: 'Run', exact: true }).click();
  await waitUntilIdle(panel);
  expect(existsSync(join(folder, 'whole.txt'))).toBe(true);

  plan('mkdir -p .claude && echo x > .claude/settings.json');
  await send(panel, 'Write a guarded name.');
  await expect(card).toContainText('a guarded name');
  await card.getByRole('button', { name: 'No', exact: true }).click();
  await waitUntilIdle(panel);
  expect(existsSync(join(folder, '.claude'))).toBe(false);

  plan('mkdir -p deep/.vscode && echo x > deep/.vscode/tasks.json');
  await send(panel, 'Write one deep in the folder.');
  await expect(card).toContainText('These guarded names are new');
  await expect(card).toContainText('deep/.vscode');
  await capture('sandbox-2-guarded');
  expect(existsSync(join(folder, 'deep/.vscode/tasks.json'))).toBe(true);
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  expect(existsSync(join(folder, 'deep/.vscode'))).toBe(false);
});
