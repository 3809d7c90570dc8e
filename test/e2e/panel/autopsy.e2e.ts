/**
 * The autopsy of an imported session that its program compacted: what was lost is said first, a step that needed it is looked
 * at, the page is saved to share, and a new session goes on from before the compaction.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordClaudeCode } from '../../support/sessions/recordClaudeCode.ts';
import { choosePath } from '../support/fileDialog.ts';
import { lastPageFrame, pageFrame } from '../support/host.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

test('the autopsy of an imported session says what was lost, and goes on from before it', { tag: ['@B6'] }, async ({
  startHost,
  makeFolder,
  capture,
}) => {
  const folder = makeFolder();
  const path = join(folder, 'recorded.jsonl');
  writeFileSync(path, recordClaudeCode());
  const host = await startHost({ settings: { 'files.simpleDialog.enable': true } });
  const { page, panel } = host;
  await runCommand(page, 'Palimpsest: Import Session');
  await choosePath(page, path);
  await panel.locator('.row.user', { hasText: 'Mend every part' }).first().waitFor();

  const row = panel.locator('.row.compaction').first();
  await row.hover();
  await row.getByRole('button', { name: /^Open Autopsy…/ }).click();
  const autopsy = pageFrame(host);
  await expect(autopsy.getByText(/^Compactions: 1\. Paths, names and lines .* 15, of these gone: 15\./)).toBeVisible();
  const held = autopsy.getByRole('table', { name: 'At the same cost' }).first();
  await expect(held.getByRole('row', { name: /Layered/ })).toBeVisible();
  await capture('autopsy');

  await test.step('it is saved without folders', async () => {
    await autopsy.getByRole('button', { name: 'Save as HTML…' }).click();
    await quickPick(page, 'Without secrets').click();
    const target = join(folder, 'autopsy.html');
    await choosePath(page, target, 'save');
    await expect.poll(() => existsSync(target)).toBe(true);
    const html = readFileSync(target, 'utf8');
    expect(html).toContain('computePart0');
    expect(html).not.toMatch(/shop\/|src\/part/);
  });

  await test.step('a step that needed something is looked at', async () => {
    await autopsy.locator('summary', { hasText: 'Needed later and gone' }).click();
    await autopsy.getByRole('table', { name: 'Needed later and gone' }).getByRole('button').first().press('Enter');
    await expect(lastPageFrame(host).getByRole('heading', { name: /^Step \d+$/ })).toBeVisible();
    await page.getByRole('tab', { name: /^Step \d+/ }).click({ button: 'middle' });
  });

  await test.step('another strategy is compared', async () => {
    await autopsy.getByRole('button', { name: 'Strategies…' }).click();
    await quickPick(page, 'Hide tool results').click();
    await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    await expect(held.getByRole('row', { name: /Hide tool results/ })).toBeVisible();
  });

  await test.step('a new session goes on from before the compaction', async () => {
    await autopsy.getByRole('button', { name: 'Continue from Here, Restored' }).click();
    await expect(panel.locator('.row.user', { hasText: 'Mend every part' }).first()).toBeVisible();
    await expect(panel.getByText('before compaction 1').first()).toBeVisible();
  });

  await test.step('from another session, the list of sessions opens it again', async () => {
    await page.getByRole('tab', { name: /^Autopsy/ }).click({ button: 'middle' });
    await runCommand(page, 'Palimpsest: Show History');
    const sessions = panel.locator('.session');
    const compacted = sessions.filter({ hasNotText: 'before compaction 1' }).first();
    await compacted.hover();
    await expect(
      sessions.filter({ hasText: 'before compaction 1' }).getByRole('button', { name: /^Open Autopsy…/ }),
    ).toHaveCount(0);
    await compacted.getByRole('button', { name: /^Open Autopsy…/ }).press('Enter');
    await expect(pageFrame(host).getByText(/^Compactions: 1\. Paths, names and lines/)).toBeVisible();
  });
});
