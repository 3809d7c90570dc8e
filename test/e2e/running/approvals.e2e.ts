/**
 * A line of several commands is allowed once for good, by its parts, and asks no more; commands that only read are allowed
 * in one answer; both are listed and taken back.
 */

import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

test('approvals: a line by its parts, and commands that only read', { tag: '@item:6' }, async ({
  startHost,
  startSteeredModel,
  capture,
}) => {
  const model = await startSteeredModel();
  const { page, panel } = await startHost({ settings: model.settings });
  const plan = (command: string) => model.planCall('run_command', { command }, 'Done.');
  const card = panel.locator('.approval');
  const done = panel.locator('.row.tool.status-done');
  const line = 'node --version && node -p 40+2 2>&1 | head -5';

  plan(line);
  await send(panel, 'Which node?');
  await expect(card.locator('.approval-why')).toHaveText('Not every command of this line is allowed yet.');
  await expect(card.locator('.approval-parts li')).toHaveText([
    /node --version\s+not allowed yet/,
    /node -p 40\+2\s+not allowed yet/,
    /head -5\s+allowed/,
  ]);
  await capture('approvals-1-parts');
  await card.locator('[data-answer=always]').click();
  await expect(card.locator('.approval-words')).toHaveText([/node\s*--version/, /node\s*-p\s*40\+2/]);
  await capture('approvals-2-always');
  await card.locator('[data-answer=confirm]').click();
  await waitUntilIdle(panel);

  // The same line, another order of its parts, and one of them alone.
  for (const [at, command] of [line, 'node -p 40+2; node --version', 'node -p 40+2'].entries()) {
    plan(command);
    await ask(panel, `Again, ${at}.`);
  }
  plan('node --version && node -p 40+3');
  await send(panel, 'More.');
  await expect(card.locator('.approval-why')).toHaveText('Not every command of this line is allowed yet.');
  await card.locator('[data-answer=decline]').click();
  await waitUntilIdle(panel);

  plan('ls && cat README.md | wc -l');
  await send(panel, 'What is here?');
  await expect(card.locator('.approval-why')).toHaveText('It only reads. Commands that only read are not allowed yet.');
  await capture('approvals-3-reads');
  await card.locator('[data-answer=reading]').click();
  await card.locator('[data-answer=confirm]').click();
  await waitUntilIdle(panel);
  plan('ls -la | tail -n 3');
  await ask(panel, 'In detail.');
  await expect(done.last()).toContainText('ls -la | tail -n 3');

  await runCommand(page, 'Palimpsest: Approvals');
  await quickPick(page, 'node -p 40+2').waitFor();
  await quickPick(page, 'The built-in list').waitFor();
  await capture('approvals-4-list');
  await quickPick(page, 'The built-in list').click();
  await quickPick(page, 'node -p 40+2').click();
  await expect(quickPick(page, 'node -p 40+2')).toBeHidden();
  await page.keyboard.press('Escape');

  plan('ls && node -p 40+2');
  await send(panel, 'Once more.');
  await expect(card.locator('.approval-parts li')).toHaveText([/ls\s+not allowed yet/, /40\+2\s+not allowed yet/]);
  await expect(card.locator('[data-answer=reading]')).toHaveCount(0);
  await card.locator('[data-answer=decline]').click();
  await waitUntilIdle(panel);
});
