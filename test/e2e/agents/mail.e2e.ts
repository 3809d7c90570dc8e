/** A message left in one session is read by the model of another, and both show it. */

import { ask, openSession, send } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, quickPick } from '../support/workbench.ts';

test('M11: a message for another session', async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const host = await startHost({ folder: makeFolder({ 'a.txt': 'one\n' }), settings: model.settings });
  const { page, panel } = host;
  model.planReplies({ kind: 'answer', text: 'Noted.' });
  await ask(panel, 'The first session');
  await send(panel, '/new');
  model.planReplies({ kind: 'answer', text: 'Found.' });
  await ask(panel, 'The second session');

  await send(panel, '/tell');
  await quickPick(page, 'The first session').click();
  await answerQuickInput(page, 'Message for “The first session”', 'The parser is slow.');
  await panel.locator('.row.notice', { hasText: 'A message was left for “The first session”' }).waitFor();
  await capture('mail-1-left');

  await openSession(host, 'The first session');
  await panel.locator('.row.user', { hasText: 'The first session' }).waitFor();
  model.planReplies({ kind: 'answer', text: 'I know.' });
  await ask(panel, 'Go on.');
  expect(JSON.stringify(lastTurn(model.server).messages)).toContain('The parser is slow.');
  await panel.locator('.row.notice', { hasText: 'was left in “The second session”' }).waitFor();
  await capture('mail-2-read');
});
