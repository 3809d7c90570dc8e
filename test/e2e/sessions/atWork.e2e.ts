/**
 * Several sessions at work in one window: one goes on while another is shown, asks only in its own view, and the person is
 * told that it waits and that it has ended.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJournals } from '../support/journals.ts';
import { ask, newSession, openHistory, openSession, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { runCommand, typeInto, waitForToast } from '../support/workbench.ts';

/** A command that runs until there is a file of that name. */
const untilThereIs = (file: string) =>
  `node -e "const t = setInterval(() => require('fs').existsSync('${file}') && clearInterval(t), 50)"`;

test('a session works on while another is shown, and the person is told when it waits and when it has ended', async ({
  startHost,
  startSteeredModel,
  capture,
}) => {
  const model = await startSteeredModel();
  const host = await startHost({ settings: model.settings });
  const { page, panel, folder } = host;
  const card = panel.locator('.approval');
  const allow = card.getByRole('button', { name: 'Allow', exact: true });
  const call = (name: string, input: unknown) => ({ kind: 'answer' as const, calls: [{ name, arguments: input }] });
  const runUntil = (file: string) => call('run_command', { command: untilThereIs(file) });
  model.planReplies(runUntil('go'), { kind: 'answer', text: 'Birch is here.' });
  model.planReplies(call('write_file', { path: 'alder.txt', content: 'alder\n' }), runUntil('end'));
  model.planReplies({ kind: 'answer', text: 'Alder is written.' });

  await test.step('a new session answers while the first one runs a command', async () => {
    await send(panel, 'Write alder');
    await allow.click();
    await panel.locator('.row.tool.status-running').waitFor();
    await typeInto(panel.getByRole('combobox', { name: 'Message' }), 'What alder is for');
    await newSession(host);
    await expect(panel.getByRole('combobox', { name: 'Message' })).toHaveValue('');
    await ask(panel, 'Say birch');
    await panel.locator('.row.assistant', { hasText: 'Birch is here.' }).waitFor();
    await openHistory(host);
    await panel.locator('.session', { hasText: 'Write alder' }).getByText('Working').waitFor();
    await capture('at-work-1-history');
    await panel.locator('.overlay').press('Escape');
  });

  await test.step('it asks: the person is told, and its question is not in the view of the other', async () => {
    writeFileSync(join(folder, 'go'), '');
    await panel.locator('.banner', { hasText: 'Another session waits for your answer.' }).waitFor();
    // Who sees the panel has its line; a notification would lie over what they write.
    await expect(page.locator('.notification-toast')).toHaveCount(0);
    await expect(card).toHaveCount(0);
    await expect(panel.locator('.row.user')).toHaveText([/Say birch/]);
    await capture('at-work-2-told');
    await openHistory(host);
    const row = panel.locator('.session', { hasText: 'Write alder' });
    await expect(row.getByRole('button', { name: /Waits for your answer/ })).toHaveCount(1);
    await capture('at-work-3-waits');
    await row.locator('.session-open').click();
  });

  await test.step('its question is answered where it was asked', async () => {
    await expect(card).toContainText('alder.txt');
    await expect(panel.getByRole('combobox', { name: 'Message' })).toHaveValue('What alder is for');
    await expect(panel.locator('.banner')).toHaveCount(0);
    await allow.click();
    await expect(card).toContainText('end');
    await allow.click();
    await panel.locator('.row.tool.status-running').waitFor();
    assert.equal(readFileSync(join(folder, 'alder.txt'), 'utf8'), 'alder\n');
  });

  await test.step('it ends unseen: the panel says so, and History until they look', async () => {
    await openSession(host, 'Say birch');
    await panel.locator('.row.assistant', { hasText: 'Birch is here.' }).waitFor();
    writeFileSync(join(folder, 'end'), '');
    const told = panel.locator('.banner', { hasText: 'Another session has answered.' });
    await told.waitFor();
    await expect(page.locator('.notification-toast')).toHaveCount(0);
    const row = panel.locator('.session', { hasText: 'Write alder' });
    await openHistory(host);
    await row.getByText('Finished').waitFor();
    await capture('at-work-4-finished');
    await panel.locator('.overlay').press('Escape');
    await told.getByRole('button', { name: 'Show' }).click();
    await panel.locator('.row.assistant', { hasText: 'Alder is written.' }).waitFor();
    await waitUntilIdle(panel);
    await openHistory(host);
    await expect(row.getByText('Finished')).toHaveCount(0);
    await panel.locator('.overlay').press('Escape');
  });

  await test.step('it ends out of sight of the panel: the person is notified', async () => {
    model.planReplies(runUntil('last'), { kind: 'answer', text: 'That was the last.' });
    await send(panel, 'And the last');
    await expect(card).toContainText('last');
    await allow.click();
    await panel.locator('.row.tool.status-running').waitFor();
    await runCommand(page, 'View: Toggle Secondary Side Bar Visibility');
    await panel.locator('.composer').waitFor({ state: 'hidden' });
    writeFileSync(join(folder, 'last'), '');
    await waitForToast(page, 'Write alder: The agent has answered.');
  });

  const said = readJournals(host).map((entries) =>
    entries.flatMap((entry) => {
      if (entry.type !== 'message') return [];
      const { message } = entry;
      return message.role === 'user'
        ? [message.text]
        : message.role === 'assistant' && message.text
          ? [message.text]
          : [];
    }),
  );
  const find = (first: string) => said.find((texts) => texts.includes(first)) ?? [];
  assert.deepEqual(
    [said.length, find('Write alder').at(-1), find('Say birch').at(-1)],
    [2, 'That was the last.', 'Birch is here.'],
  );
  assert.ok(!find('Say birch').join().includes('lder') && existsSync(join(folder, 'end')));
});
