/**
 * Strategies of other extensions in the real product: one is chosen, allowed, used and undone; six break the rules while
 * the turn goes on; one belongs to an extension that is disabled while the strategy is in use.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { expectSetting, openPanel } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, chooseStrategy, send, undoCompaction, useForAll, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `- note ${i}: retries wait longer each time`).join('\n');

/** Their labels, and the reason that is given for each failure. */
const MISBEHAVING: readonly (readonly [label: string, reason: RegExp])[] = [
  ['Throws', /it threw an error: boom/],
  ['Never answers', /did not answer within 1 second/],
  ['Mutates', /read only|Cannot assign/],
  ['Orphans', /lost its beginning/],
  ['Grows', /is not smaller/],
  ['Leaves', /removed or replaced while it ran/],
];

test('strategies of other extensions: consent, use, undo, misbehaviour, disabled while running', {
  tag: ['@B7', '@K3'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const host = await startHost({
    folder: makeFolder({ 'long.md': lines(520), 'short.md': lines(30) }),
    linked: ['keep-tests', 'digest', 'misbehaving'].map((name) => join(ROOT, 'test/extensions', name)),
    settings: {
      ...model.settings,
      'palimpsest.contextWindow': 16_000,
      'acmeDigest.keepRounds': 0,
      'palimpsest.compaction.deadline': 1,
      'palimpsest.compaction.trigger.perModel': { '*': 'holdGrowth 0.01' },
    },
  });
  const { page, panel } = host;
  const picker = panel.locator('button[title^="Compaction strategy"]').first();
  const notice = (text: string) => panel.locator('.row.notice', { hasText: text });
  const choose = (label: string) => chooseStrategy(panel, label);
  const lastStrategy = () => entriesOf(host, 'compaction').at(-1)?.strategy;
  const dialog = page.locator('.monaco-dialog-box');

  model.plan('short.md', 8, 'Eight readings.');
  await ask(panel, 'read the notes');
  await picker.click();
  await capture('third-01-picker');
  await picker.click();
  await choose('Keep failing tests');
  await expect.poll(() => entriesOf(host, 'strategy').at(-1)?.strategy).toBe('acme.keep-tests/keep-tests');
  await useForAll(panel);
  await expectSetting(host, 'palimpsest.compaction.strategy', 'contributed');
  await expectSetting(host, 'palimpsest.compaction.contributedStrategy', 'acme.keep-tests/keep-tests');

  // Not allowed: nothing is compacted, by no other strategy either.
  await send(panel, '/compact');
  await dialog.waitFor();
  await capture('third-02-consent');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await waitUntilIdle(panel);
  expect(lastStrategy()).toBeUndefined();

  // Chosen again, allowed, used, undone.
  await choose('Hide tool results');
  await choose('Keep failing tests');
  await send(panel, '/compact');
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await panel.locator('.row.compaction', { hasText: '3 hidden' }).waitFor();
  await expect.poll(lastStrategy).toBe('acme.keep-tests/keep-tests');
  await capture('third-03-used');
  await undoCompaction(panel);

  // The same publisher needs no second permission. The strategy gets its own settings and the model.
  await choose('Digest');
  await send(panel, '/compact');
  await expect.poll(lastStrategy).toBe('acme.digest/digest');

  // What was allowed is taken back, the picker says so, and the next use asks again.
  await undoCompaction(panel);
  await runCommand(page, 'Palimpsest: Approvals');
  await quickPick(page, 'acme').click();
  await picker.click();
  await panel.locator('.choice', { hasText: 'by acme, asks you before its first use' }).first().waitFor();
  await capture('third-03-taken-back');
  await picker.click();
  await send(panel, '/compact');
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await panel.locator('.row.compaction').last().waitFor();
  await waitUntilIdle(panel);

  // Another publisher needs permission. Each of its six strategies fails in its own way, and each turn goes on.
  for (const [at, [label, reason]] of MISBEHAVING.entries()) {
    await choose(label);
    model.plan('long.md', 2, `${label}: the turn went on.`);
    await send(panel, `read while it ${label.toLowerCase()}`);
    if (at === 0) await dialog.getByRole('button', { name: 'Allow' }).click();
    await panel.locator('.row.assistant', { hasText: `${label}: the turn went on.` }).waitFor();
    // At its end the turn looks at the context once more, so the strategy may fail once more.
    await waitUntilIdle(panel);
    const id = `mallory.misbehaving/${label.toLowerCase().replace(' ', '-')}`;
    const lastFailure = () => entriesOf(host, 'compactionFailed').at(-1);
    await expect.poll(() => lastFailure()?.strategy).toBe(id);
    assert.match(lastFailure()?.reason ?? '', reason);
    await notice(id).last().waitFor();
  }
  await capture('third-04-misbehaving');

  // Disabled while it is in use: a notice names the strategy, and the default is used.
  await choose('Keep failing tests');
  await runCommand(page, 'Extensions: Show Installed Extensions');
  await page.locator('.extensions-viewlet .extension-list-item', { hasText: 'Keep Tests' }).first().click();
  await page
    .locator('.extension-editor .action-label', { hasText: /^Disable$/ })
    .first()
    .click();
  // The editor's own button stores that the extension is disabled before it reloads.
  const reload = page.locator('.extension-editor .action-label', { hasText: 'Reload Window' }).first();
  await Promise.all([page.waitForEvent('load'), reload.click()]);
  await openPanel(page);
  await panel.getByRole('button', { name: /Compaction strategy: acme.keep-tests/ }).waitFor();
  await send(panel, '/compact');
  await notice('acme.keep-tests is not installed or is disabled').waitFor();
  await capture('third-05-disabled');
});
