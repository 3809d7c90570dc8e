/**
 * A window that is reloaded while a question is open: the record says that the window closed and not that the person decided
 * anything, and *Continue* puts the same question again.
 */

import assert from 'node:assert/strict';
import { useChinese } from '../support/chinese.ts';
import { listExtensionHosts, reloadWindow } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { openSession, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { typeInto } from '../support/workbench.ts';

const COMMAND = 'node -p 40+2';

test('a question that is open when the window is reloaded is asked again by Continue', {
  tag: ['@everyday', '@M1'],
}, async ({ startHost, startSteeredModel, capture }) => {
  const model = await startSteeredModel();
  const host = await startHost({ settings: model.settings });
  const { panel } = host;
  const card = panel.locator('.approval');
  const goOn = panel.getByRole('button', { name: 'Continue', exact: true });
  const requests = () => model.server.requests.length;
  const results = () =>
    entriesOf(host, 'message').flatMap(({ message }) => (message.role === 'tool' ? [message.text] : []));
  model.planReplies({
    kind: 'answer',
    text: 'Computing.',
    calls: [{ name: 'run_command', arguments: { command: COMMAND } }],
  });
  await send(panel, 'What is it?');
  await card.waitFor();
  const asked = requests();

  await reloadWindow(host);
  if ((await panel.locator('.row').count()) === 0) await openSession(host, 'What is it?');
  await panel.locator('.row.tool', { hasText: COMMAND }).waitFor();
  await panel.locator('.row.notice', { hasText: 'The window was closed' }).waitFor();
  await expect(panel.locator('.row.tool .status')).toHaveAttribute('aria-label', 'not run: the window was closed');
  assert.doesNotMatch(results().join('\n'), /person stopped|declined/);
  await capture('cut-off-1-reloaded');

  await goOn.click();
  await expect(card).toContainText(COMMAND);
  assert.equal(requests(), asked);
  model.planReplies({ kind: 'answer', text: 'It is 42.' });
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  await panel.locator('.row.assistant', { hasText: 'It is 42.' }).waitFor();
  await expect(panel.locator('.row.tool.status-done')).toContainText(COMMAND);
  assert.match(results().at(-1) ?? '', /^exit code 0\n42/);

  // A question of the model itself, and a message instead of Continue: the model is told what became of it.
  model.planReplies({
    kind: 'answer',
    text: '',
    calls: [{ name: 'ask_user', arguments: { question: 'Tabs or spaces?' } }],
  });
  await send(panel, 'Format it.');
  await panel.locator('.question-card', { hasText: 'Tabs or spaces?' }).waitFor();
  await reloadWindow(host);
  await goOn.click();
  await panel.locator('.question-card', { hasText: 'Tabs or spaces?' }).waitFor();
  await reloadWindow(host);
  await goOn.waitFor();
  model.planReplies({ kind: 'answer', text: 'Spaces, then.' });
  await send(panel, 'Use spaces.');
  await panel.locator('.row.assistant', { hasText: 'Spaces, then.' }).waitFor();
  const told = JSON.stringify(model.server.requests.at(-1)?.body);
  assert.match(told, /The window was closed before this call ran/);
  assert.doesNotMatch(told, /person stopped/);
});

test('a window that was killed with a question open goes on by Continue, which runs nothing unasked', async ({
  startHost,
  startSteeredModel,
  capture,
}) => {
  const model = await startSteeredModel();
  const host = await startHost({ settings: model.settings });
  const { panel } = host;
  const call = { name: 'run_command', arguments: { command: COMMAND } };
  model.planReplies({ kind: 'answer', text: 'Computing.', calls: [call] });
  await send(panel, 'What is it?');
  await panel.locator('.approval').waitFor();
  await expect.poll(() => entriesOf(host, 'message').length).toBeGreaterThan(1);
  for (const pid of listExtensionHosts(host)) process.kill(pid, 'SIGKILL');
  await reloadWindow(host);
  if ((await panel.locator('.row').count()) === 0) await openSession(host, 'What is it?');
  await panel.locator('.row.notice', { hasText: 'The agent did not finish here.' }).waitFor();
  await capture('cut-off-2-killed');
  model.planReplies({ kind: 'answer', text: 'Once more.', calls: [call] });
  await panel.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(panel.locator('.approval')).toContainText(COMMAND);
  assert.match(JSON.stringify(model.server.requests.at(-1)?.body), /did not run to its end/);
  await panel.locator('.approval [data-answer=decline]').click();
  await waitUntilIdle(panel);
});

test('a Chinese window says what ended the turn, and asks again', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const userDataDir = makeFolder();
  useChinese(userDataDir);
  const host = await startHost({ userDataDir, settings: model.settings });
  const { panel } = host;
  model.planReplies({ kind: 'answer', text: '', calls: [{ name: 'run_command', arguments: { command: COMMAND } }] });
  const composer = panel.getByRole('combobox');
  await typeInto(composer, 'What is it?');
  await composer.press('Enter');
  await panel.locator('.approval').waitFor();
  await reloadWindow(host);
  await panel.locator('.row.notice', { hasText: '窗口在你回答之前关闭了' }).waitFor();
  await expect(panel.locator('.row.tool .status')).toHaveAttribute('aria-label', '未运行：窗口已关闭');
  await expect(panel.locator('.row.tool .tool-outcome')).toHaveText('未运行');
  await capture('cut-off-3-chinese');
  await panel.getByRole('button', { name: '继续', exact: true }).click();
  await expect(panel.locator('.approval')).toContainText(COMMAND);
});
