/**
 * A strategy tried in one session: another session and another folder keep the default, a reload keeps the choice, and only
 * *Use for all sessions* writes the setting.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from '@playwright/test';
import { expectSetting, makeSiblingFolder, openSecondWindow, reloadWindow } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, chooseStrategy, newSession, openSession, send, useForAll } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

const NOTES = Array.from({ length: 200 }, (_, i) => `- note ${i}: retries wait longer each time`).join('\n');

const strategyIs = (panel: FrameLocator, label: string) =>
  panel.getByRole('button', { name: `Compaction strategy: ${label}`, exact: true }).waitFor();
const picker = (panel: FrameLocator) => panel.locator('button[title^="Compaction strategy"]').first();

test('one session tries a strategy; another one and another folder keep the default, until all use it', {
  tag: ['@B1', '@B7'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const host = await startHost({ folder: makeFolder({ 'notes.md': NOTES }), settings: { ...model.settings } });
  const { page, panel } = host;
  model.plan('notes.md', 8, 'Eight readings.');
  await ask(panel, 'read the notes for the first session');

  await chooseStrategy(panel, 'Hide tool results');
  await expectSetting(host, 'palimpsest.compaction.strategy', undefined);
  assert.deepEqual(
    entriesOf(host, 'strategy').map(({ strategy }) => strategy),
    ['tool-result-hiding'],
  );
  await picker(panel).click();
  await panel.getByText('Chosen for this session only. The default for all is Layered.').waitFor();
  await capture('session-strategy-01-own');
  await picker(panel).click();

  // It is what /compact runs, and the row has the focus.
  await send(panel, '/compact');
  const row = panel.locator('.row.compaction', { hasText: 'hidden' });
  await row.waitFor();
  assert.equal(entriesOf(host, 'compaction').at(-1)?.strategy, 'tool-result-hiding');
  await expect(panel.locator('.slot:focus').locator('.row.compaction')).toHaveCount(1);
  await capture('session-strategy-02-led-to-row');

  // A new session follows the default, and so does another folder.
  await newSession(host);
  await strategyIs(panel, 'Layered');
  await ask(panel, 'hello from the second session');
  await strategyIs(panel, 'Layered');
  const other = await openSecondWindow(host, makeSiblingFolder(host, 'other'));
  await strategyIs(other.panel, 'Layered');

  // After a reload both sessions are as they were.
  await reloadWindow(host);
  await strategyIs(panel, 'Layered');
  await openSession(host, 'first session');
  await strategyIs(panel, 'Hide tool results');

  // For all: the setting has it, and every session without a choice follows, in another folder too.
  await useForAll(panel);
  await expectSetting(host, 'palimpsest.compaction.strategy', 'tool-result-hiding');
  await page.getByText('Hide tool results is the default for all sessions now (user settings).').first().waitFor();
  await strategyIs(panel, 'Hide tool results');
  // The server of these windows passes a change of the user's settings on to no other open window.
  await other.page.bringToFront();
  await reloadWindow(other);
  await strategyIs(other.panel, 'Hide tool results');
  await other.page.close();
  await page.bringToFront();
  await openSession(host, 'second session');
  await strategyIs(panel, 'Hide tool results');

  // The palette chooses for the session, too, and leads back to the default.
  await runCommand(page, 'Palimpsest: Choose Compaction Strategy');
  await quickPick(page, 'Selective').click();
  await strategyIs(panel, 'Selective');
  await expectSetting(host, 'palimpsest.compaction.strategy', 'tool-result-hiding');
  await runCommand(page, 'Palimpsest: Choose Compaction Strategy');
  await quickPick(page, 'Back to the default: Hide tool results').waitFor();
  await capture('session-strategy-03-palette');
  await quickPick(page, 'Back to the default: Hide tool results').click();
  await strategyIs(panel, 'Hide tool results');
  assert.deepEqual(
    entriesOf(host, 'strategy').map(({ strategy }) => strategy),
    ['selective', null],
  );
});

test('what a folder sets is written in the folder, and nowhere else', {
  tag: ['@B7'],
}, async ({ startHost, startSteeredModel, makeFolder }) => {
  const model = await startSteeredModel();
  const settings = JSON.stringify({ 'palimpsest.compaction.strategy': 'llm-summary' });
  const folder = makeFolder({ 'notes.md': NOTES, '.vscode/settings.json': settings });
  const host = await startHost({ folder, settings: { ...model.settings } });
  const { panel } = host;
  await chooseStrategy(panel, 'Hide tool results');
  await picker(panel).click();
  await panel.getByRole('button', { name: 'Use for all sessions (workspace settings)' }).click();
  const inFolder = () => JSON.parse(readFileSync(join(host.folder, '.vscode/settings.json'), 'utf8'));
  await expect.poll(inFolder).toEqual({ 'palimpsest.compaction.strategy': 'tool-result-hiding' });
  await expectSetting(host, 'palimpsest.compaction.strategy', undefined);
});
