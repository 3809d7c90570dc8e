/**
 * The compaction engine as a person meets it: previews, what the model sees, an overflow that is mended, a summariser
 * that fails, the question before a compaction with each of its answers, and automatic compaction switched off.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually, openPanel, openSettings, runCommand } from './support/actions.ts';
import { panelFrame, readSettings } from './support/host.ts';
import { entriesOf, readJournals, readLog } from './support/journals.ts';
import { ask, send, waitUntilIdle } from './support/panel.ts';
import { fullScenario, scenario } from './support/scenario.ts';
import { startSteeredModel } from './support/steeredModel.ts';

/** Tokens: what the server takes, and what a reading of each file adds, about. */
const WINDOW = 16_000;
const folder = mkdtempSync(join(tmpdir(), 'pal-engine-'));
const lines = (count: number) => Array.from({ length: count }, (_, i) => `- note ${i}: retries wait longer each time`);
writeFileSync(join(folder, 'long.md'), lines(260).join('\n'));
writeFileSync(join(folder, 'short.md'), lines(30).join('\n'));

const strict = await startSteeredModel(WINDOW);
const patient = await startSteeredModel();
after(async () => {
  await strict.server.close();
  await patient.server.close();
  rmSync(folder, { recursive: true });
});

const quickPickRow = (page: Page, text: string) =>
  page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
/** Monaco shows blanks as no-break ones. */
async function editorText(page: Page): Promise<string> {
  const shown = await page.locator('.part.editor .view-lines').first().innerText();
  return shown.replaceAll('\u00a0', ' ');
}

scenario(
  'the engine: previews, an overflow, a failing summariser, automatic compaction off',
  {
    folder,
    settings: {
      ...strict.settings,
      'palimpsest.contextWindow': 100_000,
      'palimpsest.compaction.emitMetaEvents': true,
    },
  },
  async (host, screenshot) => {
    const { page } = host;
    await openPanel(page);
    const panel = panelFrame(page);
    const rows = panel.locator('.row.compaction');
    const answered = (text: string) => panel.locator('.row.assistant', { hasText: text }).last().waitFor();

    strict.plan('short.md', 8, 'Eight short readings.');
    await ask(panel, 'read the short notes');
    await answered('Eight short readings.');

    // B2: what each strategy would do, and one of them applied.
    await runCommand(page, 'Palimpsest: Preview Compaction');
    await quickPickRow(page, 'hidden').waitFor();
    await screenshot('engine-01-preview-list');
    await quickPickRow(page, 'Summary').click();
    await quickPickRow(page, 'Look at another strategy').click();
    assert.match(await editorText(page), /This preview asked the model/);
    await quickPickRow(page, 'Hide tool results').click();
    await quickPickRow(page, 'Apply').waitFor();
    assert.match(await editorText(page), /# Preview of Hide tool results/);
    await screenshot('engine-02-preview-details');
    assert.equal(await rows.count(), 0, 'a preview changes nothing');
    await quickPickRow(page, 'Apply').click();
    await rows.first().waitFor();

    // B3: the model reads back what was hidden, by the handle in its stub.
    const hidden = entriesOf(host, 'compaction')[0]?.plan.find(({ op }) => op === 'replace');
    const id = hidden?.op === 'replace' ? hidden.id : 'none';
    strict.planCall('recall', { id }, 'Recalled.');
    await ask(panel, 'what was in there');
    await answered('Recalled.');
    const recalled = entriesOf(host, 'message').flatMap(({ message }) =>
      message.role === 'tool' && message.toolName === 'recall' ? [message.text] : [],
    );
    assert.match(recalled.join(), /note 29: retries wait longer each time/);

    // B12: a request of the past, with the checksum that was recorded when it was sent.
    await panel.locator('button.meter').click();
    await screenshot('engine-03-meter');
    await panel.getByRole('button', { name: 'What the model sees…' }).click();
    await quickPickRow(page, 'Request 9').click();
    await eventually(
      () => editorText(page),
      (text) => /checksum recorded when it was sent fits/.test(text.replaceAll('\n', ' ')),
    );
    await screenshot('engine-03-what-the-model-sees');

    // The window is smaller than the settings say; the turn finishes all the same.
    strict.plan('long.md', 6, 'Six long readings.');
    await ask(panel, 'read the long notes');
    await answered('Six long readings.');
    assert.ok(entriesOf(host, 'compaction').some(({ trigger }) => trigger === 'overflow'));
    // C13: what happened, with its phases, is in the log.
    await eventually(
      () => readLog(host),
      (log) => /preCompact llm-summary \(overflow\).*phase=summary_done.*compactionPerformed/s.test(log),
    );
    await rows.last().getByRole('button').first().click();
    await rows.last().getByRole('button', { name: 'What the model sees…' }).scrollIntoViewIfNeeded();
    await screenshot('engine-04-overflow-mended');

    // C7: two failures, then the cool-down: no model is asked, and turns go on.
    strict.failSummaries = true;
    strict.plan('long.md', 6, 'No summary was needed.');
    await ask(panel, 'read the long notes again');
    await answered('No summary was needed.');
    assert.equal(entriesOf(host, 'compactionFailed').length, 2);
    const before = strict.summaries;
    strict.plan('long.md', 2, 'Still going on.');
    await ask(panel, 'read the long notes once more');
    await answered('Still going on.');
    assert.equal(strict.summaries, before, 'while it cools down no model is asked');
    assert.ok(entriesOf(host, 'compaction').some(({ strategy }) => strategy === 'fallback'));
    await screenshot('engine-05-cool-down');

    await runCommand(page, 'Palimpsest: Show Compaction Statistics');
    await eventually(
      () => editorText(page),
      (text) => text.includes('# Compaction statistics'),
    );
    await screenshot('engine-06-statistics');

    // N5: switched off, nothing happens by itself; by hand it does, and the turn can go on.
    const editor = await openSettings(page, '@id:palimpsest.compaction.auto');
    const box = editor.locator('.setting-item-contents .setting-value-checkbox').first();
    await eventually(
      async () => {
        // The list is drawn anew when the search has ended, and a click just before that is lost.
        if ((await box.getAttribute('aria-checked')) === 'true') await box.click();
        return readSettings(host)['palimpsest.compaction.auto'];
      },
      (value) => value === false,
    );
    await eventually(
      async () => {
        await page.keyboard.press('Escape');
        return page.locator('.monaco-modal-editor-block').isVisible();
      },
      (visible) => !visible,
    );
    const compactions = entriesOf(host, 'compaction').length;
    strict.plan('long.md', 4, 'Never reached.');
    await ask(panel, 'read the long notes while it is off');
    await panel.locator('.row.notice', { hasText: 'Automatic compaction is off' }).waitFor();
    assert.equal(entriesOf(host, 'compaction').length, compactions);
    await screenshot('engine-07-auto-off');
    await send(panel, '/compact');
    await eventually(
      () => entriesOf(host, 'compaction').length,
      (count) => count === compactions + 1,
    );
    assert.deepEqual(strict.server.failures, []);
  },
);

fullScenario(
  'the question before a compaction: not now, drop oldest, compact, new session; no going on by itself',
  {
    folder,
    settings: {
      ...patient.settings,
      'palimpsest.contextWindow': WINDOW,
      'palimpsest.compaction.requireConfirmation': true,
      'palimpsest.compaction.autoContinue': false,
      'palimpsest.compaction.trigger.holdGrowth': 0.01,
    },
  },
  async (host, screenshot) => {
    const { page } = host;
    await openPanel(page);
    const panel = panelFrame(page);
    const card = panel.locator('.row.consent');
    const answer = (name: string) => panel.getByRole('button', { name, exact: true }).click();
    const paused = panel.locator('.row.notice', { hasText: 'The context was compacted' });

    const goOn = async (text: string) => {
      await paused.last().getByRole('button', { name: 'Go on' }).click();
      await panel.locator('.row.assistant', { hasText: text }).last().waitFor();
    };

    patient.plan('long.md', 4, 'Nothing was compacted.');
    await send(panel, 'read the long notes');
    await card.waitFor();
    await screenshot('engine-08-consent');
    await answer('Not now');
    await panel.locator('.row.assistant', { hasText: 'Nothing was compacted.' }).waitFor();
    assert.equal(entriesOf(host, 'compaction').length, 0);

    patient.plan('long.md', 1, 'The oldest went.');
    await send(panel, 'read them again');
    await card.waitFor();
    await answer('Drop oldest');
    await paused.first().waitFor();
    await waitUntilIdle(panel);
    await screenshot('engine-09-dropped-and-paused');
    assert.deepEqual(
      entriesOf(host, 'compaction').map(({ strategy }) => strategy),
      ['drop-oldest'],
    );
    await goOn('The oldest went.');
    assert.equal(patient.summaries, 0);

    patient.plan('long.md', 4, 'A summary was made.');
    await send(panel, 'read them four times');
    await card.waitFor();
    await answer('Compact');
    await paused.nth(1).waitFor();
    assert.equal(entriesOf(host, 'compaction').at(-1)?.strategy, 'llm-summary');
    await goOn('A summary was made.');

    patient.plan('long.md', 5, 'Never reached.');
    await send(panel, 'read them once more');
    await card.waitFor();
    patient.forget();
    patient.plan('short.md', 0, 'A fresh start.');
    await answer('New session');
    await panel.locator('.row.assistant', { hasText: 'A fresh start.' }).waitFor();
    assert.equal(await panel.locator('.row.user').count(), 1);
    assert.equal(readJournals(host).length, 2);
    await screenshot('engine-10-new-session');
  },
);
