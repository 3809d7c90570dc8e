/**
 * Tools of another extension in the real editor: off until chosen, then asked about with all a call holds; one asks a
 * second time itself; a fault in words; gone, and told, when the person takes it back.
 */

import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { asText, listOf, objectOf } from '../../../src/core/json.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick } from '../support/workbench.ts';

test('tools of other extensions: chosen one by one, asked about, refused, taken back', { tag: '@item:14' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const { page, panel } = await startHost({
    folder: makeFolder({ 'note.txt': 'one\n' }),
    settings: model.settings,
    linked: [join(ROOT, 'test/extensions/tool-maker')],
  });
  const tools = () =>
    listOf(lastTurn(model.server).body.tools).map((tool) => asText(objectOf(objectOf(tool).function).name));
  const result = () => lastTurn(model.server).messages.findLast(({ role }) => role === 'tool')?.text ?? '';
  const allow = panel.getByRole('button', { name: 'Allow', exact: true });
  const dialog = page.locator('.monaco-dialog-box');

  // None is offered before the person chooses it.
  model.plan('note.txt', 1, 'One.');
  await ask(panel, 'What is in the note?');
  expect(tools().filter((name) => name.startsWith('ext__'))).toEqual([]);

  await send(panel, '/mcp');
  await quickPick(page, 'Tools of other extensions…').click();
  await quickPick(page, 'acme_tide').waitFor();
  await expect(page.locator('.quick-input-list')).toContainText('Acme Tools');
  await expect(quickPick(page, 'acme_tide')).toContainText(/asks.*\d+ tokens · harbour — Tells/);
  await capture('extension-tools-1-choose');
  await quickPick(page, 'acme_tide').click();
  await quickPick(page, 'acme_flood').click();
  await page.locator('.quick-input-widget', { hasText: '2 Selected' }).getByRole('button', { name: 'OK' }).click();

  // A call shows all it holds; the result is data.
  model.planCall('ext__acme_tide', { harbour: 'Whitby' }, 'At 12:34.');
  await send(panel, 'When is high water?');
  await panel
    .locator('.question', { hasText: 'Allow this call to acme_tide of the extension acme.tool-maker?' })
    .waitFor();
  await capture('extension-tools-2-question');
  await allow.click();
  await waitUntilIdle(panel);
  expect(result()).toContain('High water at Whitby: 12:34. [\\palimpsest:hidden');
  await panel.locator('.row.notice', { hasText: 'ext__acme_tide' }).waitFor();

  // What is allowed for good has a heading of its own in the list of approvals.
  model.planCall('ext__acme_tide', { harbour: 'Nowhere' }, 'No such place.');
  await send(panel, 'And nowhere?');
  await panel.getByRole('button', { name: 'Allow always, in every session' }).click();
  await panel.getByRole('button', { name: 'Always allow', exact: true }).click();
  await waitUntilIdle(panel);
  expect(result()).toMatch(/The extension "acme\.tool-maker" did not carry out acme_tide\. .*no such harbour/);

  await send(panel, '/approvals');
  await quickPick(page, 'acme_tide').waitFor();
  await capture('extension-tools-2b-approvals');
  await expect(page.locator('.quick-input-list')).toContainText('Tools of other extensions');
  await expect(page.locator('.quick-input-list')).not.toContainText('MCP servers and their tools');
  await page.keyboard.press('Escape');

  // It asks by itself, too, and the person says no.
  model.planCall('ext__acme_flood', {}, 'Not opened.');
  await send(panel, 'Open the sluice');
  await allow.click();
  await dialog.getByText('Open the sluice?').waitFor();
  await capture('extension-tools-3-second-question');
  await page.keyboard.press('Escape');
  await waitUntilIdle(panel);
  expect(result()).toContain('did not carry out acme_flood');

  // One that is taken from the model is gone with the next message, and the panel says so.
  await send(panel, '/mcp');
  await expect(quickPick(page, 'Tools of other extensions…')).toContainText('2 of');
  await capture('extension-tools-4-list');
  await quickPick(page, 'Tools of other extensions…').click();
  await quickPick(page, 'acme_flood').click();
  await page.locator('.quick-input-widget', { hasText: '1 Selected' }).getByRole('button', { name: 'OK' }).click();
  model.plan('note.txt', 1, 'One again.');
  await ask(panel, 'Once more');
  expect(tools().filter((name) => name.startsWith('ext__'))).toEqual(['ext__acme_tide']);
  await panel.locator('.row.notice', { hasText: 'no longer has these tools' }).waitFor();
});
