/**
 * The engine when the model's window is not what it was: another model is chosen in the middle of a session, and an
 * endpoint takes less than its settings say, which is known for the next session too.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { SCRIPTED_MODEL } from '../support/modelServerScript.ts';
import { eventually, openPanel, runCommand } from './support/actions.ts';
import { panelFrame, reloadWindow } from './support/host.ts';
import { entriesOf, readJournals } from './support/journals.ts';
import { ask, send, waitUntilIdle } from './support/panel.ts';
import { fullScenario } from './support/scenario.ts';
import { startSteeredModel } from './support/steeredModel.ts';

const DEMO_WINDOW = 9_000;
const SERVED_WINDOW = 16_000;
const folder = mkdtempSync(join(tmpdir(), 'pal-models-'));
const lines = Array.from({ length: 260 }, (_, i) => `- note ${i}: retries wait longer each time`);
writeFileSync(join(folder, 'long.md'), lines.join('\n'));

const roomy = await startSteeredModel();
const narrow = await startSteeredModel(SERVED_WINDOW);
after(async () => {
  await roomy.server.close();
  await narrow.server.close();
  rmSync(folder, { recursive: true });
});

const answered = (panel: FrameLocator, text: string) =>
  panel.locator('.row.assistant', { hasText: text }).last().waitFor();

async function chooseModel(page: Page, label: string): Promise<void> {
  await runCommand(page, 'Palimpsest: Choose Model');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first().click();
}

fullScenario(
  'a model with a smaller window chosen in the middle of a session, and the larger one again',
  {
    folder,
    settings: { ...roomy.settings, 'palimpsest.contextWindow': 100_000, 'palimpsest.demo.contextWindow': DEMO_WINDOW },
  },
  async (host, screenshot) => {
    const { page } = host;
    await openPanel(page);
    const panel = panelFrame(page);
    const meter = panel.locator('button.meter');
    const shown = (text: RegExp) =>
      eventually(
        () => meter.innerText(),
        (now) => text.test(now),
      );

    roomy.plan('long.md', 5, 'Five long readings.');
    await ask(panel, 'read the long notes');
    await answered(panel, 'Five long readings.');
    assert.deepEqual(entriesOf(host, 'compaction'), []);
    await shown(/100/);

    // What is there passes the smaller window: the meter says so before anything is sent.
    await chooseModel(page, 'Scripted demo');
    await shown(/9\.0k|9k|9,000/);
    await screenshot('models-01-smaller-window');
    assert.deepEqual(
      entriesOf(host, 'configured').map(({ model, window }) => [model, window]),
      [
        [SCRIPTED_MODEL, 100_000],
        ['demo', DEMO_WINDOW],
      ],
    );

    // The next message makes room first, says so in the conversation, and is answered.
    await send(panel, 'thank you');
    const row = panel.locator('.row.compaction');
    await row.first().waitFor();
    // The demo's tour ends with a question about a change.
    await panel.getByRole('button', { name: 'No', exact: true }).click();
    await waitUntilIdle(panel);
    const [made] = entriesOf(host, 'compaction');
    assert.equal(made?.trigger, 'precheck');
    assert.ok((made?.tokensBefore ?? 0) > DEMO_WINDOW, `${made?.tokensBefore} tokens did not pass the window`);
    assert.ok((made?.tokensAfter ?? DEMO_WINDOW) < DEMO_WINDOW - 2_000, `${made?.tokensAfter} tokens are left`);
    const requests = entriesOf(host, 'request').filter(({ seq }) => seq > (made?.seq ?? 0));
    assert.ok(requests.some(({ model, purpose }) => model === 'demo' && purpose === 'turn'));
    assert.ok((await panel.locator('.row.assistant').count()) > 1);
    assert.equal(await panel.locator('.row.notice', { hasText: 'does not fit' }).count(), 0);
    await row.first().getByRole('button').first().click();
    await screenshot('models-02-made-to-fit');

    // The larger model again: the session goes on with it, and what was compacted can come back.
    await chooseModel(page, SCRIPTED_MODEL);
    await shown(/100/);
    await runCommand(page, 'Palimpsest: Undo Compaction');
    await eventually(
      () => entriesOf(host, 'compactionUndone').length,
      (count) => count === 1,
    );
    const compactions = entriesOf(host, 'compaction').length;
    roomy.plan('long.md', 0, 'Here again.');
    await ask(panel, 'are you there');
    await answered(panel, 'Here again.');
    assert.equal(entriesOf(host, 'compaction').length, compactions);
    await screenshot('models-03-the-larger-again');
    assert.deepEqual(roomy.server.failures, []);
  },
);

fullScenario(
  'an endpoint that takes less than its settings say, also after the window was closed',
  { folder, settings: { ...narrow.settings, 'palimpsest.contextWindow': 100_000 } },
  async (host, screenshot) => {
    const { page } = host;
    await openPanel(page);
    const panel = panelFrame(page);
    narrow.plan('long.md', 8, 'The first eight.');
    await ask(panel, 'read the long notes');
    await answered(panel, 'The first eight.');
    assert.equal(entriesOf(host, 'compaction')[0]?.trigger, 'overflow');

    await reloadWindow(host);
    await openPanel(page);
    const again = panelFrame(page);
    await runCommand(page, 'Palimpsest: New Session');
    await eventually(
      () => again.locator('.row').count(),
      (count) => count === 0,
    );
    narrow.plan('long.md', 8, 'The second eight.');
    await ask(again, 'read them again');
    await answered(again, 'The second eight.');
    await waitUntilIdle(again);
    const sessions = readJournals(host);
    assert.equal(sessions.length, 2);
    const newest = sessions.find((entries) =>
      entries.some((it) => it.type === 'message' && it.message.text === 'read them again'),
    );
    const triggers = (newest ?? []).flatMap((entry) => (entry.type === 'compaction' ? [entry.trigger] : []));
    assert.ok(triggers.length > 0);
    assert.equal(triggers.includes('overflow'), false, 'no request was refused again');
    await screenshot('models-04-learnt-window');
  },
);
