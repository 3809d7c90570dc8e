/**
 * What passes from one session to another: a message that was left is read by the other's model, and both show it; a
 * session is handed off to a new one, which begins with its summary, and each leads to the other.
 */

import { ask, newSession, openSession, send } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, quickPick, runCommand } from '../support/workbench.ts';

test('a message for another session', { tag: ['@M11', '@item:24'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const host = await startHost({ share: true, folder: makeFolder({ 'a.txt': 'one\n' }), settings: model.settings });
  const { page, panel } = host;
  model.planReplies({ kind: 'answer', text: 'Noted.' });
  await ask(panel, 'The first session');
  await newSession(host);
  model.planReplies({ kind: 'answer', text: 'Found.' });
  await ask(panel, 'The second session');

  await runCommand(page, 'Palimpsest: Leave Message for Another Session');
  await quickPick(page, 'The first session').click();
  await answerQuickInput(page, 'Message for “The first session”', 'The parser is slow.');
  await panel.locator('.row.notice', { hasText: 'Your message was left for “The first session”' }).waitFor();
  await capture('mail-1-left');

  await openSession(host, 'The first session');
  await panel.locator('.row.user', { hasText: 'The first session' }).waitFor();
  model.planReplies({ kind: 'answer', text: 'I know.' });
  await ask(panel, 'Go on.');
  expect(JSON.stringify(lastTurn(model.server).messages)).toContain('The parser is slow.');
  await panel.locator('.row.notice', { hasText: 'from the session “The second session”' }).waitFor();
  await capture('mail-2-read');

  await send(panel, '/handoff Write it down.');
  const carried = panel.locator('.row.compaction', { hasText: 'summary of the earlier session' });
  await carried.waitFor();
  await panel.locator('.row.notice', { hasText: 'This session continues from “The first session”' }).waitFor();
  const composer = panel.getByRole('combobox', { name: 'Message' });
  await expect.poll(() => composer.inputValue()).toBe('Write it down.');
  await capture('handoff-1-begun');
  model.planReplies({ kind: 'answer', text: 'Written.' });
  await composer.press('Enter');
  await panel.getByText('Written.', { exact: true }).waitFor();
  const begun = lastTurn(model.server).text;
  expect(begun).toContain('Summary of an earlier conversation, "The first session"');
  expect(begun).not.toContain('Noted.');
  await panel.getByRole('button', { name: 'Open that session' }).click();
  const link = panel.locator('.row.notice', { hasText: '“The first session, continued” continues from here.' });
  await link.waitFor();
  await capture('handoff-2-linked');
  await link.getByRole('button', { name: 'Open that session' }).click();
  await carried.waitFor();
});
