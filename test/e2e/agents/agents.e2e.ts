/** Agents in files: chosen by name or from the list, with their own prompt and tools, and back to the built-in one. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openContext } from '../support/host.ts';
import { ask, send } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

const REVIEWER = `---
name: reviewer
description: Reads changes and says what is wrong with them
tools: Read, Grep
strategy: selective
---

You review, and change nothing.
`;

test('an agent of a file answers in the session', { tag: '@M10' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const host = await startHost({ share: true, folder: makeFolder({ 'a.txt': 'one\n' }), settings: model.settings });
  const { page, panel, folder } = host;
  mkdirSync(join(folder, '.agents/agents'), { recursive: true });
  writeFileSync(join(folder, '.agents/agents/reviewer.md'), REVIEWER);
  const told = () => lastTurn(model.server).messages[0]?.text ?? '';

  // Chosen before the session has begun, it is there from its first message.
  await runCommand(page, 'Palimpsest: Choose Agent');
  await quickPick(page, 'Reads changes').waitFor();
  await capture('agents-1-list');
  await quickPick(page, 'reviewer').click();
  const chip = panel.getByRole('button', { name: 'Agent: reviewer' });
  await chip.waitFor();
  model.planReplies({ kind: 'answer', text: 'Nothing is wrong.' });
  await ask(panel, 'Review a.txt.');
  expect(told()).toMatch(/^You review, and change nothing\./);
  await panel.locator('.row.notice', { hasText: 'reviewer answers starting with your next message' }).waitFor();
  await capture('agents-2-chosen');

  // By name, and back.
  await send(panel, '/agent nobody');
  await expect(page.getByText('There is no agent “nobody”').last()).toBeVisible();
  await send(panel, '/agent Palimpsest');
  await expect(chip).toBeHidden();
  model.planReplies({ kind: 'answer', text: 'Here I am.' });
  await ask(panel, 'And you?');
  expect(told()).toMatch(/^You are Palimpsest/);

  const composer = panel.getByRole('combobox', { name: 'Message' });
  await composer.pressSequentially('/agent rev');
  await panel.getByRole('option', { name: /reviewer/ }).waitFor();
  await capture('agents-3-completion');
  await composer.press('Tab');
  expect(await composer.inputValue()).toBe('/agent reviewer');
  await composer.press('Enter');
  // By keyboard: the notification about the unknown name may still lie over it.
  await chip.press('Enter');
  await quickPick(page, 'New agent in .agents/agents').waitFor();
  await page.keyboard.press('Escape');
  model.planReplies({ kind: 'answer', text: 'Still nothing.' });
  await ask(panel, 'Once more.');
  const now = await openContext(host, 'Now');
  await now.locator('summary', { hasText: 'System prompt' }).press('Enter');
  await now.getByText('.agents/agents/reviewer.md').first().waitFor();
});
