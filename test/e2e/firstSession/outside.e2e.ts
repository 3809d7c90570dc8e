/** Outside of the panel: the panel as an editor tab, the timeline of the context as a page, diagnostics, and who is told. */

import assert from 'node:assert/strict';
import { pageFrame, reloadWindow } from '../support/host.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { editorText, quickPick, runCommand, typeInto, waitForToast } from '../support/workbench.ts';

const NOTES = { 'notes.md': '- retries wait longer each time\n'.repeat(60) };

test('a compaction is looked at, undone and found from the timeline', { tag: ['@item:24'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel(16_000);
  const host = await startHost({ folder: makeFolder(NOTES), settings: model.settings });
  const { page, panel } = host;
  model.plan('notes.md', 9, 'Read nine times.');
  await ask(panel, 'read the notes');
  await send(panel, '/strategy tool-result-hiding');
  await send(panel, '/compact');
  await panel.locator('.row.compaction').waitFor();
  await waitUntilIdle(panel);
  await panel.locator('.compaction-toggle').click();
  await panel.locator('.lost-and-kept', { hasText: 'Tool results' }).waitFor();
  await panel.locator('.meter').press('Enter');
  await panel.locator('.breakdown').getByRole('button', { name: 'Timeline…' }).press('Enter');
  const timeline = pageFrame(host);
  await timeline.getByRole('heading', { name: 'Timeline' }).waitFor();
  await timeline.getByRole('button', { name: /^Hide tool results: .* → / }).press('Enter');
  await timeline.locator('summary', { hasText: 'Hidden behind a placeholder' }).press('Enter');
  await capture('outside-01-timeline');
  await timeline.getByRole('button', { name: /^Undo: back to/ }).click();
  await timeline.getByRole('button', { name: 'Redo this compaction' }).click();
  await timeline.getByRole('button', { name: /^Undo: back to/ }).waitFor();
  await timeline.getByRole('button', { name: 'Show in the conversation' }).press('Enter');
  await expect.poll(() => panel.locator('body').evaluate(() => document.hasFocus())).toBe(true);
  await expect(panel.locator('.row.compaction')).toBeInViewport();
  const now = timeline.locator('.facts dd').first();
  const before = await now.innerText();
  await ask(panel, 'and what of it?');
  await expect(now, 'the page follows the session').not.toHaveText(before);
  // The editor's own reload: it writes down its tabs first.
  await runCommand(page, 'Developer: Reload Window');
  await timeline.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
  await timeline.getByRole('heading', { name: 'Compactions', exact: true }).waitFor();
  await timeline.getByRole('tab', { name: 'Timeline' }).press('ArrowLeft');
  await timeline.getByRole('heading', { name: 'Next request' }).waitFor();
  await capture('outside-01-now');
  await runCommand(page, 'View: Close All Editors');
});

test('the panel is an editor tab too, and goes to the other side bar with what is being written', {
  tag: ['@item:24'],
}, async ({ startHost, startSteeredModel, capture }) => {
  const model = await startSteeredModel();
  const host = await startHost({ settings: model.settings });
  const { page, panel } = host;
  model.planReplies({ kind: 'answer', text: 'Which notes?' });
  await ask(panel, 'read the notes');

  await test.step('the panel is an editor tab too', async () => {
    await runCommand(page, 'Palimpsest: Open Panel in an Editor Tab');
    const tab = pageFrame(host);
    await tab.locator('.row.user', { hasText: 'read the notes' }).waitFor();
    await typeInto(tab.getByRole('combobox', { name: 'Message' }), 'half a thought');
    await capture('outside-02-editor-tab');
    // The browser's own reload: the editor has not written down its tabs yet.
    await reloadWindow(host);
    await tab.locator('.row.user', { hasText: 'read the notes' }).waitFor();
    await expect(tab.getByRole('combobox', { name: 'Message' })).toHaveValue('half a thought');
    await expect(page.locator('.tab', { hasText: 'Palimpsest' })).toHaveCount(1);
    await capture('outside-02-editor-tab-again');
    await runCommand(page, 'View: Close All Editors');
  });

  await test.step('what is being written goes with the view to the other side bar', async () => {
    await typeInto(panel.getByRole('combobox', { name: 'Message' }), 'half a thought');
    await runCommand(page, 'View: Move View');
    await quickPick(page, 'Palimpsest').click();
    await quickPick(page, 'Explorer').click();
    await page.locator('#workbench\\.parts\\.sidebar', { hasText: 'Palimpsest' }).waitFor();
    await expect(panel.getByRole('combobox', { name: 'Message' })).toHaveValue('half a thought');
    await capture('outside-02-moved');
    await runCommand(page, 'View: Reset View Locations');
    await runCommand(page, 'Focus on Palimpsest View');
    await expect(panel.getByRole('combobox', { name: 'Message' })).toHaveValue('half a thought');
  });
});

test('diagnostics open as a text without what was said', { tag: ['@item:20'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
}) => {
  const model = await startSteeredModel();
  const { page, panel } = await startHost({ share: true, folder: makeFolder(NOTES), settings: model.settings });
  model.plan('notes.md', 1, 'Read.');
  await ask(panel, 'read the notes');
  await runCommand(page, 'Palimpsest: Export Diagnostics');
  await expect.poll(() => editorText(page)).toContain('# Palimpsest: diagnostics');
  assert.doesNotMatch(await editorText(page), /retries wait longer|read the notes/);
  await runCommand(page, 'View: Close All Editors');
});

test('an answer is told where the panel is out of sight', { tag: ['@item:16'] }, async ({
  startHost,
  startSteeredModel,
  capture,
}) => {
  const model = await startSteeredModel();
  const { page, panel } = await startHost({ settings: model.settings });
  model.planCall('run_command', { command: 'sleep 4' }, 'Out of sight.');
  await send(panel, 'take your time');
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  await runCommand(page, 'View: Toggle Secondary Side Bar Visibility');
  await waitForToast(page, 'The agent has answered.');
  await capture('outside-03-told');
});
