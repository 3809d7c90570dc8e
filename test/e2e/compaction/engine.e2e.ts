/**
 * The compaction engine as a person meets it: previews, what the model sees, recovery from an overflow, a summary model
 * that fails, the question before a compaction with each of its answers, and automatic compaction switched off.
 */

import assert from 'node:assert/strict';
import { expectSetting } from '../support/host.ts';
import { entriesOf, readJournals, readLog } from '../support/journals.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, FULL, test } from '../support/scenario.ts';
import { closeSettings, editorText, openSettings, quickPick, runCommand, untickSetting } from '../support/workbench.ts';

/** In tokens: the longest request that the server takes. */
const WINDOW = 16_000;
const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `- note ${i}: retries wait longer each time`).join('\n');
const FILES = { 'long.md': lines(260), 'short.md': lines(30) };

test('the engine: previews, an overflow, a failing summariser, automatic compaction off', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const strict = await startSteeredModel(WINDOW);
  const host = await startHost({
    folder: makeFolder(FILES),
    settings: {
      ...strict.settings,
      'palimpsest.contextWindow': 100_000,
      'palimpsest.compaction.emitMetaEvents': true,
    },
  });
  const { page, panel } = host;
  const rows = panel.locator('.row.compaction');
  const answered = (text: string) => panel.locator('.row.assistant', { hasText: text }).last().waitFor();

  strict.plan('short.md', 8, 'Eight short readings.');
  await ask(panel, 'read the short notes');
  await answered('Eight short readings.');

  // B2: see what each strategy would do, and apply one of them.
  await runCommand(page, 'Palimpsest: Preview Compaction');
  await quickPick(page, 'hidden').waitFor();
  await capture('engine-01-preview-list');
  await quickPick(page, 'Summary').click();
  await quickPick(page, 'Look at another strategy').click();
  await expect.poll(() => editorText(page)).toMatch(/This preview asked the model/);
  await quickPick(page, 'Hide tool results').click();
  await quickPick(page, 'Apply').waitFor();
  await expect.poll(() => editorText(page)).toMatch(/# Preview of Hide tool results/);
  await capture('engine-02-preview-details');
  assert.equal(await rows.count(), 0, 'a preview changes nothing');
  await quickPick(page, 'Apply').click();
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

  // B12: an earlier request, with the checksum that was recorded when it was sent.
  await panel.locator('button.meter').click();
  await capture('engine-03-meter');
  await panel.getByRole('button', { name: 'What the model sees…' }).click();
  await quickPick(page, 'Request 9').click();
  await expect
    .poll(async () => (await editorText(page)).replaceAll('\n', ' '))
    .toMatch(/checksum recorded when it was sent fits/);
  await capture('engine-03-what-the-model-sees');

  // The window is smaller than the settings say. The turn finishes all the same.
  strict.plan('long.md', 6, 'Six long readings.');
  await ask(panel, 'read the long notes');
  await answered('Six long readings.');
  assert.ok(entriesOf(host, 'compaction').some(({ trigger }) => trigger === 'overflow'));
  // C13: the log says what happened, phase by phase.
  await expect
    .poll(() => readLog(host))
    .toMatch(/preCompact llm-summary \(overflow\).*phase=summary_done.*compactionPerformed/s);
  await rows.last().getByRole('button').first().click();
  await rows.last().getByRole('button', { name: 'What the model sees…' }).scrollIntoViewIfNeeded();
  await capture('engine-04-overflow-mended');

  // C7: after two failures comes the cool-down: no model is asked, and turns go on.
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
  await capture('engine-05-cool-down');

  await runCommand(page, 'Palimpsest: Show Compaction Statistics');
  await expect.poll(() => editorText(page)).toContain('# Compaction statistics');
  await capture('engine-06-statistics');

  // N5: switched off, nothing is compacted automatically. Compacting by hand works.
  const editor = await openSettings(page, '@id:palimpsest.compaction.auto');
  await untickSetting(editor);
  await expectSetting(host, 'palimpsest.compaction.auto', false);
  await closeSettings(page);
  const compactions = entriesOf(host, 'compaction').length;
  strict.plan('long.md', 4, 'Never reached.');
  await ask(panel, 'read the long notes while it is off');
  await panel.locator('.row.notice', { hasText: 'Automatic compaction is off' }).waitFor();
  assert.equal(entriesOf(host, 'compaction').length, compactions);
  await capture('engine-07-auto-off');
  await send(panel, '/compact');
  await expect.poll(() => entriesOf(host, 'compaction').length).toBe(compactions + 1);
});

test(
  'the question before a compaction: not now, drop oldest, compact, new session; no going on by itself',
  FULL,
  async ({ startHost, startSteeredModel, makeFolder, capture }) => {
    const patient = await startSteeredModel();
    const host = await startHost({
      folder: makeFolder(FILES),
      settings: {
        ...patient.settings,
        'palimpsest.contextWindow': WINDOW,
        'palimpsest.compaction.requireConfirmation': true,
        'palimpsest.compaction.autoContinue': false,
        'palimpsest.compaction.trigger.holdGrowth': 0.01,
      },
    });
    const { panel } = host;
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
    await capture('engine-08-consent');
    await answer('Not now');
    await panel.locator('.row.assistant', { hasText: 'Nothing was compacted.' }).waitFor();
    assert.equal(entriesOf(host, 'compaction').length, 0);

    patient.plan('long.md', 1, 'The oldest went.');
    await send(panel, 'read them again');
    await card.waitFor();
    await answer('Drop oldest');
    await paused.first().waitFor();
    await waitUntilIdle(panel);
    await capture('engine-09-dropped-and-paused');
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
    await capture('engine-10-new-session');
  },
);
