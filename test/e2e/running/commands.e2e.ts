/**
 * Commands that a person need not allow each time, and commands that run on: what “always” covers is shown before it is
 * given, holds for exactly those words, and is taken back; a server in the background is read, stopped and listed. They run
 * in a terminal that the person sees, and hooks of theirs have a say.
 */

import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

/** One refuses what it is asked about, the other tells the model something. */
const HOOKS = [
  { on: 'beforeTool', tools: ['class:write'], command: 'echo Nothing is written on a Friday. >&2; exit 2' },
  { on: 'afterTool', tools: ['read_file'], command: 'echo This file is generated.' },
];

test('running: always exactly this command, in a terminal, in the background, and hooks', {
  tag: ['@everyday', '@item:6'],
}, async ({ startHost, startSteeredModel, capture }) => {
  const model = await startSteeredModel();
  const { page, panel } = await startHost({
    settings: { ...model.settings, 'palimpsest.agent.shell': 'terminal', 'palimpsest.hooks': HOOKS },
  });
  const plan = (command: string, more = {}) => model.planCall('run_command', { command, ...more }, 'Done.');
  const card = panel.locator('.approval');

  plan('node --version');
  await send(panel, 'Which node?');
  await card.getByRole('button', { name: 'Always allow exactly this command…' }).click();
  await expect(card.locator('.approval-words code')).toHaveText(['node', '--version']);
  await capture('running-1-always');
  await card.getByRole('button', { name: 'Always allow', exact: true }).click();
  await waitUntilIdle(panel);
  const terminal = page.locator('.part.panel', { hasText: 'Palimpsest' });
  await expect(terminal.locator('.xterm')).toBeVisible();
  await panel.locator('.row.tool').first().click();
  await expect(panel.locator('.row.tool').first()).toContainText(/exit code 0\s+v\d+/);
  await capture('running-5-terminal');

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

  await runCommand(page, 'Palimpsest: Approvals');
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

  // A hook refuses before anybody is asked; another one's words go to the model. Both are noted.
  model.planReplies(
    {
      kind: 'answer',
      text: 'Reading and writing.',
      calls: [
        { name: 'read_file', arguments: { path: 'README.md' } },
        { name: 'write_file', arguments: { path: 'new.txt', content: 'new' } },
      ],
    },
    { kind: 'answer', text: 'It may not be written.' },
  );
  await ask(panel, 'Write a file.');
  await panel.getByText('(before “Write file”) refused it: Nothing is written on a Friday.').waitFor();
  await panel.getByText('(after “Read file”) told the model:').waitFor();
  expect(JSON.stringify(model.server.requests.at(-1)?.body)).toContain('This file is generated.');
  await capture('running-6-hooks');
});
