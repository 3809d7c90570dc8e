/**
 * The whole way of a first session, as a person goes it: set an endpoint up, ask, allow an edit, fill the window until
 * it is compacted, undo, choose another strategy in the Settings editor, compact with it, reload. A screenshot a step.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { SCRIPTED_MODEL, startScriptedModel } from '../support/modelServerScript.ts';
import { chooseSetting, eventually, openPanel, openSettings } from './support/actions.ts';
import { panelFrame, readSettings, reloadWindow } from './support/host.ts';
import { ask, send, waitUntilIdle } from './support/panel.ts';
import { scenario } from './support/scenario.ts';

const KEY = 'sk-journey-0123456789';
const server = await startScriptedModel({ key: KEY });
const folder = mkdtempSync(join(tmpdir(), 'pal-journey-'));
writeFileSync(join(folder, 'greet.ts'), "export const greeting = 'Hello';\n");
writeFileSync(
  join(folder, 'notes.md'),
  Array.from({ length: 40 }, (_, i) => `- note ${i}: retries wait longer each time`).join('\n'),
);
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Journals, logs, state: everything the editor keeps for the user. */
function filesHolding(text: string, folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}

/** `title` tells the question from the one before it, which may still be on screen. */
async function answerQuickInput(page: Page, title: string, text: string): Promise<void> {
  const widget = page.locator('.quick-input-widget', { hasText: title });
  await widget.waitFor();
  const input = widget.locator('input.input');
  await input.fill(text);
  await input.press('Enter');
}

const settings = { 'palimpsest.contextWindow': 6_000 };

scenario(
  'a first session from endpoint to reload',
  async () => ({ folder, settings }),
  async (host, screenshot) => {
    const { page } = host;
    await openPanel(page);
    const panel = panelFrame(page);
    await screenshot('journey-01-first-look');

    await panel.getByText('Set up an endpoint').click();
    await answerQuickInput(page, '(1 of 3)', server.baseUrl);
    await answerQuickInput(page, '(2 of 3)', KEY);
    await page.locator('.quick-input-list .monaco-list-row', { hasText: SCRIPTED_MODEL }).first().click();
    await panel.getByRole('button', { name: `Model: ${SCRIPTED_MODEL}` }).waitFor();
    assert.equal(readSettings(host)['palimpsest.endpoint.baseUrl'], server.baseUrl);
    await screenshot('journey-02-endpoint-chosen');

    await send(panel, 'read greet.ts and edit greet.ts replace "Hello" with "Good morning"');
    const allow = panel.getByRole('button', { name: 'Allow', exact: true });
    await allow.waitFor();
    await screenshot('journey-03-edit-asks');
    assert.match(
      readFileSync(join(host.folder ?? '', 'greet.ts'), 'utf8'),
      /Hello/,
      'nothing is written before consent',
    );
    await allow.click();
    await waitUntilIdle(panel);
    assert.equal(
      readFileSync(join(host.folder ?? '', 'greet.ts'), 'utf8'),
      "export const greeting = 'Good morning';\n",
    );
    await screenshot('journey-04-edit-done');

    const compaction = panel.locator('.row.compaction').first();
    for (let i = 0; i < 6 && (await compaction.count()) === 0; i++) {
      await ask(panel, `read notes.md and be long, number ${i}`);
    }
    await compaction.getByRole('button').first().click();
    await screenshot('journey-05-compacted');
    const meter = panel.locator('.meter-numbers');
    const compacted = await meter.innerText();

    await panel.getByRole('button', { name: 'Undo this compaction' }).click();
    await panel.getByRole('button', { name: 'Redo this compaction' }).waitFor();
    await eventually(
      () => meter.innerText(),
      (text) => text !== compacted,
    );
    await screenshot('journey-06-undone');

    const editor = await openSettings(page, '@id:palimpsest.compaction.strategy');
    await chooseSetting(page, editor, 'Strategy', 'Hide tool results');
    await eventually(
      () => readSettings(host)['palimpsest.compaction.strategy'],
      (value) => value === 'tool-result-hiding',
    );
    await screenshot('journey-07-strategy-in-settings');
    // Settings open in a modal editor here; Escape leaves the search, then the editor.
    await eventually(
      async () => {
        await page.keyboard.press('Escape');
        return page.locator('.monaco-modal-editor-block').isVisible();
      },
      (visible) => !visible,
    );
    await panel.getByRole('button', { name: /Hide tool results/ }).waitFor();

    await ask(panel, Array.from({ length: 7 }, () => 'read notes.md').join(', '));
    const allRows = panel.locator('.row');
    const shown = await allRows.count();
    await send(panel, '/compact');
    // A compaction, or the word that nothing is left to hide: the results of seven calls were hidden on the way.
    await allRows.nth(shown).waitFor();
    await waitUntilIdle(panel);
    await panel.locator('.row.compaction', { hasText: 'hidden' }).first().waitFor();
    await screenshot('journey-08-hidden');

    const before = {
      meter: await meter.innerText(),
      rows: await allRows.count(),
      title: await page.title(),
    };
    await reloadWindow(host);
    await openPanel(page);
    await panel.locator('.row.compaction').first().waitFor();
    await eventually(
      () => meter.innerText(),
      (text) => text === before.meter,
    );
    assert.equal(await allRows.count(), before.rows);
    await panel.getByRole('button', { name: /Hide tool results/ }).waitFor();
    await screenshot('journey-09-reloaded');

    await ask(panel, 'list the folder once more');
    assert.deepEqual(server.failures, []);
    assert.deepEqual(filesHolding(KEY, dirname(host.server.settingsFile)), [], 'the key is in the secret storage only');
  },
);
