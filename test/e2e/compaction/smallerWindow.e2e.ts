/**
 * A window that becomes smaller: another model is chosen in the middle of a session; and an endpoint takes less than the
 * settings say, which the product still knows in the next session.
 */

import assert from 'node:assert/strict';
import type { FrameLocator, Page } from '@playwright/test';
import { SCRIPTED_MODEL } from '../../support/modelServer/modelServerScript.ts';
import { reloadWindow } from '../support/host.ts';
import { entriesOf, readJournals } from '../support/journals.ts';
import { ask, newSession, passStops, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

const DEMO_WINDOW = 8_000;
const SERVED_WINDOW = 16_000;
const lines = Array.from({ length: 260 }, (_, i) => `- note ${i}: retries wait longer each time`);
const FILES = { 'long.md': lines.join('\n') };

const answered = (panel: FrameLocator, text: string) =>
  panel.locator('.row.assistant', { hasText: text }).last().waitFor();

async function chooseModel(page: Page, label: string): Promise<void> {
  await runCommand(page, 'Palimpsest: Choose Model…');
  await quickPick(page, label).click();
}

test('a model with a smaller window chosen in the middle of a session, and the larger one again', {
  tag: ['@item:27'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const roomy = await startSteeredModel();
  const host = await startHost({
    share: true,
    folder: makeFolder(FILES),
    settings: {
      ...roomy.settings,
      'palimpsest.contextWindow': 100_000,
    },
  });
  const { page, panel } = host;
  const meter = panel.locator('button.meter');
  const shown = (text: RegExp) => expect(meter).toHaveText(text);

  roomy.plan('long.md', 5, 'Five long readings.');
  await ask(panel, 'read the long notes');
  await answered(panel, 'Five long readings.');
  assert.deepEqual(entriesOf(host, 'compaction'), []);
  await shown(/100/);

  // The history is larger than the new window, and the meter says so before anything is sent.
  await chooseModel(page, 'Scripted demo');
  await shown(/8\.0k|8k|8,000/);
  await capture('models-01-smaller-window');
  await expect
    .poll(() => entriesOf(host, 'configured').map(({ model, window }) => [model, window]))
    .toEqual([
      [SCRIPTED_MODEL, 100_000],
      ['demo', DEMO_WINDOW],
    ]);

  // The next message makes room first, says so in the conversation, and is answered.
  await send(panel, 'thank you');
  const row = panel.locator('.row.compaction');
  await row.first().waitFor();
  await passStops(panel, panel.locator('.more'));
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
  await capture('models-02-made-to-fit');

  // Back to the larger model: it has room for what went, which is offered and not done, and comes back at one press.
  const before = entriesOf(host, 'compaction').at(-1);
  await chooseModel(page, SCRIPTED_MODEL);
  await shown(/100/);
  const offer = panel.locator('.banner', { hasText: `${SCRIPTED_MODEL} has room for what the last compaction took` });
  await expect(offer).toContainText(/→ [\d.]+k tokens, at a price that is not known\./);
  assert.deepEqual(entriesOf(host, 'compactionUndone'), []);
  await capture('models-05-room-again');
  await offer.getByRole('button', { name: 'Bring back' }).click();
  await expect.poll(() => entriesOf(host, 'compactionUndone').map(({ target }) => target)).toEqual([before?.seq]);
  await capture('models-06-brought-back');
  // One press returns, and the same is not offered again.
  await panel.getByRole('button', { name: /^Redo this compaction/ }).click();
  await expect.poll(() => entriesOf(host, 'compactionRedone').length).toBe(1);
  await panel.getByRole('button', { name: /^Undo this compaction/ }).waitFor();
  await expect(offer).toHaveCount(0);
  await runCommand(page, 'Palimpsest: Undo Compaction');
  await expect.poll(() => entriesOf(host, 'compactionUndone').length).toBe(2);
  const compactions = entriesOf(host, 'compaction').length;
  roomy.plan('long.md', 0, 'Here again.');
  await ask(panel, 'are you there');
  await answered(panel, 'Here again.');
  assert.equal(entriesOf(host, 'compaction').length, compactions);
  await capture('models-03-the-larger-again');
});

test('an endpoint that takes less than its settings say, also after the window was closed', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const narrow = await startSteeredModel(SERVED_WINDOW);
  const host = await startHost({
    folder: makeFolder(FILES),
    settings: { ...narrow.settings, 'palimpsest.contextWindow': 100_000 },
  });
  const { page, panel } = host;
  narrow.plan('long.md', 8, 'The first eight.');
  await ask(panel, 'read the long notes');
  await answered(panel, 'The first eight.');
  assert.equal(entriesOf(host, 'compaction')[0]?.trigger, 'overflow');

  await reloadWindow(host);
  await newSession(host);
  narrow.plan('long.md', 8, 'The second eight.');
  await ask(panel, 'read them again');
  await answered(panel, 'The second eight.');
  await waitUntilIdle(panel);
  const sessions = readJournals(host);
  assert.equal(sessions.length, 2);
  const newest = sessions.find((entries) =>
    entries.some((it) => it.type === 'message' && it.message.text === 'read them again'),
  );
  const triggers = (newest ?? []).flatMap((entry) => (entry.type === 'compaction' ? [entry.trigger] : []));
  assert.ok(triggers.length > 0);
  assert.equal(triggers.includes('overflow'), false, 'no request was refused again');
  await capture('models-04-learnt-window');

  // The person can have it forgotten, and the meter shows their own number again.
  const meter = panel.locator('button.meter');
  await expect(meter).toHaveText(/16/);
  await chooseModel(page, 'Forget the learned window of 16,000 tokens');
  await expect(meter).toHaveText(/100/);
  await runCommand(page, 'Palimpsest: Choose Model…');
  await quickPick(page, 'Set up an endpoint…').waitFor();
  await expect(quickPick(page, 'Forget the learned window')).toHaveCount(0);
  await page.keyboard.press('Escape');
});
