/**
 * The strategy lab on a session of another program and on one's own: they are replayed under strategies of ours, of a file
 * and of another extension, one of them set in two ways; what came out is looked at, saved and put to use.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { STARTING_FILE } from '../../../src/node/strategyFiles/startingFile.ts';
import { choosePath } from '../support/fileDialog.ts';
import { expectSetting, lastPageFrame, pageFrame } from '../support/host.ts';
import { ask, newSession } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

const FILES = 24;
const WINDOW = 8_000;

/** Claude Code's form: many files are read, and the first ones are edited again at the end. */
function recorded(): string {
  const lines: object[] = [];
  let last: string | null = null;
  const say = (type: 'user' | 'assistant', content: unknown) => {
    const uuid = String(lines.length);
    const message = { role: type, content, ...(type === 'assistant' ? { id: `m${uuid}` } : {}) };
    lines.push({ type, uuid, parentUuid: last, isSidechain: false, sessionId: 's', version: '2.0.0', message });
    last = uuid;
  };
  const call = (id: string, name: string, input: object, result: string) => {
    say('assistant', [{ type: 'tool_use', id, name, input }]);
    say('user', [{ type: 'tool_result', tool_use_id: id, content: result }]);
  };
  const bodyOf = (file: number) =>
    Array.from({ length: 60 }, (_, i) => `export const retryLimit${file}x${i} = computeLimit(${file}, ${i});`);
  say('user', 'Make every limit in the settings files configurable.');
  for (let file = 0; file < FILES; file++)
    call(`r${file}`, 'Read', { file_path: `/w/src/limits${file}.ts` }, bodyOf(file).join('\n'));
  for (let file = 0; file < FILES; file += 2) {
    const [line = ''] = bodyOf(file).slice(7);
    const input = { file_path: `/w/src/limits${file}.ts`, old_string: line, new_string: `${line} // configurable` };
    call(`e${file}`, 'Edit', input, 'The file was changed.');
  }
  say('assistant', [{ type: 'text', text: 'All limits can be configured now.' }]);
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

test('strategies are compared on an imported session and on one’s own, and one is used', {
  tag: ['@B6', '@K11', '@item:12', '@item:19'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const folder = makeFolder();
  const path = join(folder, 'recorded.jsonl');
  writeFileSync(path, recorded());
  const mine = join(folder, 'mine.mjs');
  // The results in the recording are shorter than what it hides by default.
  writeFileSync(mine, STARTING_FILE.replace('default: 4000', 'default: 1000'));
  const faulty = join(folder, 'faulty.mjs');
  const throws = "{ compact: async () => { throw new Error('out of luck'); } }";
  writeFileSync(faulty, `export default { needs: [], create: () => (${throws}) };\n`);
  const model = await startSteeredModel();
  const host = await startHost({
    folder: makeFolder({ 'notes.md': 'A line of notes that is read again and again.\n'.repeat(40) }),
    linked: [join(ROOT, 'test/extensions/keep-tests')],
    settings: {
      ...model.settings,
      'files.simpleDialog.enable': true,
      'palimpsest.compaction.strategyFiles': [mine, faulty],
    },
  });
  const { page, panel } = host;
  model.plan('notes.md', 3, 'Three readings of my own.');
  await ask(panel, 'Read the notes of my own work');
  await newSession(host);
  await runCommand(page, 'Palimpsest: Import Session');
  await choosePath(page, path);
  await panel.locator('.row.user', { hasText: 'Make every limit' }).waitFor();

  await runCommand(page, 'Palimpsest: Open Strategy Lab');
  const lab = pageFrame(host);
  const input = page.locator('.quick-input-widget:visible');
  const press = (name: string) => lab.getByRole('button', { name, exact: true }).first().click();

  const dialog = page.locator('.monaco-dialog-box');
  const allow = async (who: string) => {
    await dialog.filter({ hasText: who }).waitFor();
    await dialog.getByRole('button', { name: /^Allow/ }).click();
    await dialog.filter({ hasText: who }).waitFor({ state: 'detached' });
  };

  await test.step('sessions, strategies and window are chosen', async () => {
    // It begins with the session on screen.
    await expect(
      lab.getByText(/ is the cheapest|^Too small to compare anything: |^No compaction pays here: /),
    ).toBeVisible();
    await capture('strategy-lab-at-first');
    // Longer ones are offered where this one is too small.
    await lab
      .getByRole('button', { name: /Sessions…$/ })
      .first()
      .click();
    await quickPick(page, 'Read the notes of my own work').click();
    await input.getByRole('button', { name: 'OK' }).click();
    await press('Strategies…');
    for (const name of ['none', 'Keep failing tests', 'mine', 'faulty']) await quickPick(page, name).click();
    await input.getByRole('button', { name: 'OK' }).click();
    // A file says which settings it has only once it may be loaded.
    await allow('mine.mjs');
    await allow('faulty.mjs');
    await press('Window…');
    await input.locator('input').fill(String(WINDOW));
    await page.keyboard.press('Enter');
    await expect(lab.getByText('Sessions: 2 · strategies: 11 · window: 8,000 tokens')).toBeVisible();
  });

  await test.step('one strategy is set in two ways, and what cannot be used is said', async () => {
    await lab.locator('summary', { hasText: 'Strategies and their settings' }).click();
    await lab.locator('summary', { hasText: 'Hide tool results' }).click();
    await press('Add Alongside');
    const groups = lab.getByRole('group', { name: 'Settings of Hide tool results' });
    await expect(groups).toHaveCount(2);
    const field = groups.last().getByLabel('palimpsest.compaction.toolResultHiding.preserveRecentGroups');
    await expect(field).toHaveValue('5');
    await field.fill('many');
    await field.press('Enter');
    await expect(groups.last()).toContainText('It must be a number.');
    await expect(lab.getByRole('button', { name: 'Replay', exact: true })).toHaveCount(0);
    await capture('strategy-lab-settings');
    await field.fill('1');
    await field.press('Enter');
    await expect(lab.locator('summary', { hasText: 'preserveRecentGroups 1' })).toBeVisible();
    await expect(field).toBeFocused();
  });

  const figures = lab.getByRole('table', { name: 'Figures of each strategy' });
  await test.step('those of others are asked about, all are replayed, and the figures stand beside the chart', async () => {
    await press('Replay');
    await allow('acme');
    await expect(lab.getByRole('button', { name: 'Replay', exact: true })).toBeVisible();
    const none = figures.getByRole('row', { name: /none/ });
    await expect(none).toContainText('100.0');
    const costOf = async (name: string | RegExp) =>
      Number.parseFloat(await figures.getByRole('row', { name }).getByRole('cell').nth(1).innerText());
    for (const name of ['Keep failing tests', 'mine', 'Hide tool results (preserveRecentGroups 1)'])
      assert.notEqual(await costOf(name), 100, `${name} does nothing`);
    assert.notEqual(await costOf('Hide tool results (preserveRecentGroups 1)'), await costOf(/^Hide tool results \d/));
    await expect(lab.locator('figure.chart')).toHaveCount(2);
    await lab.getByRole('heading', { name: 'Without figures' }).scrollIntoViewIfNeeded();
    await capture('strategy-lab-without-figures');
    await expect(lab.getByText(/faulty.* never compacted, so it has no figures\. .*out of luck/)).toBeVisible();
    await expect(figures.getByRole('row', { name: /faulty/ })).toHaveCount(0);
    await expect(lab.getByText(/^1 of 2 sessions say when their messages were said/)).toBeVisible();
    await capture('strategy-lab');
    await expect(lab.getByRole('button', { name: 'Read the notes of my own work' })).toBeVisible();
  });

  await test.step('what a strategy lacked is listed step by step, and a step is looked at', async () => {
    await figures.getByRole('button', { name: 'Keep failing tests' }).click();
    const missing = lab.getByRole('table', { name: 'Missing at each step' });
    await expect(missing.getByRole('row').nth(1)).toContainText('retryLimit');
    await missing.getByRole('button').first().press('Enter');
    const step = lastPageFrame(host);
    await expect(step.getByRole('heading', { name: /^Step \d+$/ })).toBeVisible();
    await expect(step.locator('pre').first()).toContainText('limits');
    await expect(step.getByText('In a result of Read')).toBeVisible();
    await capture('strategy-lab-step');
    await page.getByRole('tab', { name: /^Step \d+/ }).click({ button: 'middle' });
  });

  await test.step('the figures are saved', async () => {
    await press('Save as CSV…');
    await choosePath(page, join(folder, 'figures.csv'), 'save');
    await expect.poll(() => existsSync(join(folder, 'figures.csv'))).toBe(true);
    const csv = readFileSync(join(folder, 'figures.csv'), 'utf8');
    assert.match(csv, /^strategy,costWithRereadsPercent,.*\n(.*\n)*none,100,/);
    assert.match(csv, /^tool-result-hiding \(preserveRecentGroups 1\),/m);
  });

  await test.step('a strategy is put to use as it was set', async () => {
    await figures
      .getByRole('row', { name: /preserveRecentGroups 1/ })
      .getByRole('button', { name: 'Use' })
      .click();
    await expectSetting(host, 'palimpsest.compaction.strategy', 'tool-result-hiding');
    await expectSetting(host, 'palimpsest.compaction.toolResultHiding.preserveRecentGroups', 1);
  });
});
