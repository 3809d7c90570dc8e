/**
 * Chains of questions in VS Code's own pickers and dialogs: Cancel or Escape at a later one takes back what the earlier ones
 * were answered, so that nothing is half decided.
 */

import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { expectSetting } from '../support/host.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, quickPick, runCommand } from '../support/workbench.ts';

const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

test('Escape at the key leaves the address, Cancel at one server leaves all, Escape leaves a tool as it asks', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const server = { command: process.execPath, args: [EVERYTHING] };
  const host = await startHost({
    folder: makeFolder({ '.mcp.json': JSON.stringify({ mcpServers: { first: server, second: server } }) }),
    settings: { ...model.settings, 'palimpsest.mcp.servers': { everything: server } },
  });
  const { page, panel } = host;
  const input = page.locator('.quick-input-widget:not([inert])');
  const dialog = page.locator('.monaco-dialog-box');

  await test.step('an endpoint keeps its address where no key is given for the new one', async () => {
    await runCommand(page, 'Palimpsest: Manage Endpoints');
    await quickPick(page, 'in use').click();
    await quickPick(page, 'Change the address…').click();
    await answerQuickInput(page, 'Address of', 'https://models.example.invalid/v1');
    await input.filter({ hasText: 'API key for https://models.example.invalid' }).waitFor();
    await capture('cancel-1-key');
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'hidden' });
    await expectSetting(host, 'palimpsest.endpoints', model.settings['palimpsest.endpoints']);
  });

  await test.step('of two servers that a folder names none is decided on', async () => {
    // The toast leaves by itself; the list of notifications keeps it.
    await runCommand(page, 'Notifications: Show Notifications');
    await page.locator('.notifications-center').getByRole('button', { name: 'Review…' }).click();
    await dialog.filter({ hasText: 'first' }).getByRole('button', { name: 'Allow', exact: true }).click();
    await dialog.filter({ hasText: 'second' }).getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await send(panel, '/mcp');
    for (const name of ['first', 'second']) await expect(quickPick(page, name)).toContainText('waits for your consent');
    await capture('cancel-2-servers');
    await page.keyboard.press('Escape');
  });

  await test.step('a tool that was marked to run without asking asks after Escape', async () => {
    model.planReplies({ kind: 'answer', text: 'Here.' });
    await ask(panel, 'Start the servers');
    await send(panel, '/mcp');
    await quickPick(page, 'everything').click();
    await quickPick(page, 'Choose its tools…').click();
    const tool = quickPick(page, 'get-sum');
    await tool.hover();
    await tool.getByRole('button', { name: 'Allow without asking' }).click();
    await expect(tool).toContainText('runs without asking');
    await capture('cancel-3-tool');
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'hidden' });
    model.planCall('mcp__everything__get-sum', { a: 2, b: 40 }, 'It is 42.');
    await send(panel, 'Add 2 and 40');
    await panel.locator('.question', { hasText: 'Allow this call to get-sum' }).waitFor();
    await panel.locator('.approval [data-answer=decline]').click();
    await waitUntilIdle(panel);
  });
});
