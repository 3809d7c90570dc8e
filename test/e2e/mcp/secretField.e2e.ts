/** A server asks for a password in a form: the field says so, and what is written there is not shown. */

import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';

const forms = {
  command: process.execPath,
  args: [join(ROOT, 'test/support/mcp/hostileServer.ts'), 'asksForSecrets'],
};
const WARNING = 'It seems to ask for a password, a key or another secret.';

test('a form of an MCP server that asks for secrets', async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const folder = makeFolder({ 'a.txt': 'a\n' });
  const { panel } = await startHost({
    folder,
    settings: { ...model.settings, 'palimpsest.mcp.servers': { forms } },
  });
  model.planCall('mcp__forms__look', {}, 'Signed in.');
  await send(panel, 'Sign me in');
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  const card = panel.locator('.question-card');
  const answer = async (text: string) => {
    const id = await card.getAttribute('data-asks');
    await card.locator('input').fill(text);
    await card.getByRole('button', { name: 'Answer', exact: true }).click();
    await panel.locator(`.question-card[data-asks="${id}"]`).waitFor({ state: 'detached' });
  };
  await card.getByText('Name').waitFor();
  await expect(card).not.toContainText(WARNING);
  await expect(card.locator('input')).toHaveAttribute('type', 'text');
  await answer('Ada');

  await expect(card).toContainText(WARNING);
  await expect(card.locator('input')).toHaveAttribute('type', 'password');
  await card.locator('input').fill('hunter2');
  await capture('mcp-secret');
  for (const text of ['hunter2', 'key', '1', 'again']) await answer(text);
  await waitUntilIdle(panel);
  expect(lastTurn(model.server).messages.findLast(({ role }) => role === 'tool')?.text).toContain('accept');
});
