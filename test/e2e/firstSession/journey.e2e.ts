/**
 * A first session from start to end: set up an endpoint, ask, allow an edit, fill the window until the context is
 * compacted, undo, choose another strategy in the Settings editor, compact with it, reload. Every step has a screenshot.
 */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SCRIPTED_MODEL } from '../../support/modelServer/modelServerScript.ts';
import { expectSetting, reloadWindow } from '../support/host.ts';
import { entriesOf, journalPath, readJournals } from '../support/journals.ts';
import { ask, countEntries, scrollUpTo, send, undoCompaction, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, chooseSetting, closeSettings, openSettings, quickPick } from '../support/workbench.ts';

const KEY = 'sk-journey-0123456789';

/** Names the files that hold `text` among everything the editor keeps for the user: journals, logs, state. */
function filesHolding(text: string, folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}

test('a first session from endpoint to reload', { tag: ['@everyday', '@item:1', '@item:15', '@K8', '@M8'] }, async ({
  startHost,
  startScriptedModel,
  makeFolder,
  capture,
}) => {
  const { server } = await startScriptedModel({ key: KEY });
  const notes = Array.from({ length: 40 }, (_, i) => `- note ${i}: retries wait longer each time`);
  const host = await startHost({
    folder: makeFolder({
      'greet.ts': "export const greeting = 'Hello';\n",
      'notes.md': notes.join('\n'),
      'key.md': `KEY=${KEY}\n`,
    }),
    settings: { 'palimpsest.contextWindow': 7_600 },
  });
  const { page, panel } = host;
  const greeting = () => readFileSync(join(host.folder, 'greet.ts'), 'utf8');
  await capture('journey-01-first-look');

  await panel.getByText('Set up an endpoint').click();
  await answerQuickInput(page, '(1 of 3)', server.baseUrl);
  await answerQuickInput(page, '(2 of 3)', KEY);
  await quickPick(page, SCRIPTED_MODEL).click();
  await panel.getByRole('button', { name: `Model: ${SCRIPTED_MODEL}` }).waitFor();
  await expectSetting(host, 'palimpsest.endpoints', [
    { id: 'local', baseUrl: server.baseUrl, models: [SCRIPTED_MODEL] },
  ]);
  await capture('journey-02-endpoint-chosen');

  await send(panel, 'read greet.ts and edit greet.ts replace "Hello" with "Good morning"');
  const allow = panel.getByRole('button', { name: 'Allow', exact: true });
  await allow.waitFor();
  await capture('journey-03-edit-asks');
  assert.match(greeting(), /Hello/, 'nothing is written before consent');
  await allow.click();
  await waitUntilIdle(panel);
  assert.equal(greeting(), "export const greeting = 'Good morning';\n");
  await capture('journey-04-edit-done');
  await test.step('what an edit changed is reviewed in the diff editor, its file opens, and a text is found', async () => {
    const card = panel.locator('.row.tool', { hasText: /Edited/ });
    await expect(card.locator('.tool-outcome')).toHaveText('+1 −1');
    await card.hover();
    await card.getByRole('button', { name: 'Review: greet.ts' }).click();
    await page.locator('.tab', { hasText: 'greet.ts (before ↔ after)' }).waitFor();
    await capture('journey-04-reviewed');
    await card.hover();
    await card.getByRole('button', { name: 'Open greet.ts' }).click();
    await page.locator('.tab', { hasText: /^greet\.ts$/ }).waitFor();
    const find = panel.getByRole('textbox', { name: 'Find in the conversation' });
    const toggle = card.locator('.tool-toggle');
    await toggle.focus();
    // The editor hears a moment later that the focus is in the panel now, and until then takes the key itself.
    await expect(async () => {
      await page.keyboard.press('Control+f');
      await find.waitFor({ timeout: 1_000 }).catch(async (late) => {
        await toggle.focus();
        throw late;
      });
    }).toPass();
    await find.fill('Good morning');
    await expect(panel.locator('.find-count')).toHaveText(/^\d+ of [2-9]$/);
    await capture('journey-04-found');
    await find.press('Escape');
    await panel.locator('.find').waitFor({ state: 'detached' });
  });

  await ask(panel, 'read key.md');
  assert.match(readFileSync(journalPath(host), 'utf8'), /KEY=\[redacted\]/, 'the key is no part of what was read');
  await expect(panel.getByText(KEY)).toHaveCount(0);

  const compaction = panel.locator('.row.compaction').first();
  for (let i = 0; i < 6 && entriesOf(host, 'compaction').length === 0; i++) {
    await ask(panel, `read notes.md and be long, number ${i}`);
  }
  await scrollUpTo(panel, compaction);
  await compaction.getByRole('button').first().click();
  await capture('journey-05-compacted');
  await test.step('nobody chose a strategy, so it was the default, whose details say why a line was kept', async () => {
    const strategies = entriesOf(host, 'compaction').map(({ strategy }) => strategy);
    assert.deepEqual([...new Set(strategies)], ['layered']);
    await compaction
      .locator('summary', { hasText: /^Why .* kept$/ })
      .first()
      .click();
    await compaction
      .getByText(/^greet\.ts was changed: /)
      .first()
      .waitFor();
    await capture('journey-05-why-kept');
  });
  await test.step('each turn is a checkpoint, the message and its steps; a compaction comes once it is needed', async () => {
    const story = (readJournals(host).at(-1) ?? []).flatMap((entry) => {
      if (entry.type === 'message') return [entry.message.role];
      return entry.type === 'checkpoint' || entry.type === 'compaction' ? [entry.type] : [];
    });
    const turn = 'checkpoint user checkpoint( assistant( tool)*)+';
    assert.match(
      story.join(' '),
      new RegExp(`^(${turn} )+(compaction ${turn}|${turn} compaction|checkpoint user checkpoint compaction)`),
    );
  });
  const meter = panel.locator('.meter-numbers');
  const compacted = await meter.innerText();

  await undoCompaction(panel);
  await expect(meter).not.toHaveText(compacted);
  await capture('journey-06-undone');

  const editor = await openSettings(page, '@id:palimpsest.compaction.strategy');
  await chooseSetting(page, editor, 'Strategy', 'Hide tool results');
  await expectSetting(host, 'palimpsest.compaction.strategy', 'tool-result-hiding');
  await capture('journey-07-strategy-in-settings');
  await closeSettings(page);
  await panel.getByRole('button', { name: 'Compaction strategy: Hide tool results' }).waitFor();

  await ask(panel, Array.from({ length: 7 }, () => 'read notes.md').join(', '));
  const shown = await countEntries(panel);
  await send(panel, '/compact');
  // Either a compaction, or a notice that nothing is left to hide because the results of seven calls were hidden before.
  await expect.poll(() => countEntries(panel)).toBeGreaterThan(shown);
  await waitUntilIdle(panel);
  await panel.locator('.row.compaction', { hasText: 'hidden' }).first().waitFor();
  await capture('journey-08-hidden');

  const before = { meter: await meter.innerText(), rows: await countEntries(panel) };
  await reloadWindow(host);
  await panel.locator('.row.compaction').first().waitFor();
  await expect(meter).toHaveText(before.meter);
  // The place that the editor kept for the panel may be an older one.
  const latest = panel.getByRole('button', { name: 'Jump to latest' });
  await expect
    .poll(async () => {
      if ((await latest.count()) > 0) await latest.click();
      return countEntries(panel);
    })
    .toBe(before.rows);
  await panel.getByRole('button', { name: 'Compaction strategy: Hide tool results' }).waitFor();
  await capture('journey-09-reloaded');

  await ask(panel, 'list the folder once more');
  assert.deepEqual(filesHolding(KEY, dirname(host.server.settingsFile)), [], 'the key is in the secret storage only');
});
