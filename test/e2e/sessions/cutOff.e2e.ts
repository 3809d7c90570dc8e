/**
 * A window that is reloaded while a question is open: the record says that the window closed and not that the person decided
 * anything, and *Continue* puts the same question again.
 */

import assert from 'node:assert/strict';
import { reloadWindow } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { openSession, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

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
