/**
 * A restore where it could do harm: files that were not kept, text that is typed but not saved, a link in place of a file,
 * a running turn. The person's git repository is the same before and after.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askAndAllow, askAndAllowDeleting, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand, waitForToast } from '../support/workbench.ts';

test('a restore that must not do harm', async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel();
  const { page, panel, folder } = await startHost({
    settings: { ...settings, 'git.enabled': false, 'files.autoSave': 'off' },
  });
  const path = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(path(name), 'utf8');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
    });
  const gitState = () => ({
    status: git('status', '--porcelain'),
    head: git('rev-parse', 'HEAD'),
    index: createHash('sha256')
      .update(readFileSync(path('.git/index')))
      .digest('hex'),
  });
  writeFileSync(path('one.txt'), 'one\n');
  writeFileSync(path('two.txt'), 'two\n');
  writeFileSync(path('run.sh'), '#!/bin/sh\n');
  chmodSync(path('run.sh'), 0o755);
  writeFileSync(path('big.bin'), Buffer.alloc(3_000_000, 1));
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  const before = gitState();

  await askAndAllow(panel, 'edit one.txt replace "one" with "changed"');
  await askAndAllowDeleting(
    panel,
    'run `rm two.txt run.sh; ln -s one.txt two.txt; echo more >> big.bin; mkdir -p made/deep; echo x > made/deep/x.txt`',
  );
  assert.ok(lstatSync(path('two.txt')).isSymbolicLink());
  const index = gitState().index;
  assert.equal(index, before.index);

  // While the agent waits for an answer, a restore is refused without a question.
  const first = panel.locator('.row.user').first();
  const restore = async () => {
    await first.hover();
    await first.getByRole('button', { name: /Restore/ }).click();
  };
  await send(panel, 'run `echo never`');
  await panel.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  await restore();
  await waitForToast(page, 'The agent is still working.');
  await capture('restore-1-while-running');
  await panel.getByRole('button', { name: 'No', exact: true }).click();
  await waitUntilIdle(panel);

  // A person types into a file that the agent changed, without saving it.
  await runCommand(page, 'Go to File');
  const input = page.locator('.quick-input-widget input.input');
  await input.fill('one.txt');
  await quickPick(page, 'one.txt').click();
  await page.locator('.tab', { hasText: 'one.txt' }).waitFor();
  await page.locator('.editor-instance .view-lines').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.type('typed ');
  await page.locator('.tab.dirty', { hasText: 'one.txt' }).waitFor();

  const rows = page.locator('.quick-input-list .monaco-list-row');
  await restore();
  await page.locator('.quick-input-titlebar').getByRole('button', { name: 'Files only' }).click();
  await rows.filter({ hasText: 'big.bin' }).filter({ hasText: 'cannot be restored' }).waitFor();
  await rows.filter({ hasText: 'one.txt' }).filter({ hasText: 'Someone else has changed it since' }).waitFor();
  await rows.filter({ hasText: 'two.txt' }).filter({ hasText: 'cannot be restored' }).waitFor();
  await capture('restore-2-preview');
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  const note = panel.locator('.row.notice', { hasText: '2 files were restored. 2 were left as they are.' });
  await note.waitFor();
  await note.getByRole('button', { name: 'Details' }).click();
  await note.getByText(/big\.bin: .*3,000,000 bytes/).waitFor();
  await capture('restore-3-restored');
  assert.deepEqual(
    [read('one.txt'), existsSync(path('made')), lstatSync(path('two.txt')).isSymbolicLink()],
    ['changed\n', false, true],
  );
  assert.equal(statSync(path('run.sh')).mode & 0o111, 0o111);
  await page.locator('.tab.dirty', { hasText: 'one.txt' }).waitFor();

  // When the person ticks the file it is overwritten, in the editor too. The undo brings the typed text back.
  await runCommand(page, 'Palimpsest: Restore Checkpoint');
  await rows.filter({ hasText: 'edit one.txt' }).first().click();
  await page.locator('.quick-input-titlebar').getByRole('button', { name: 'Files only' }).click();
  await page
    .locator('.quick-input-list')
    .getByRole('checkbox', { name: /Tick it to overwrite/ })
    .click();
  await page.locator('.quick-input-widget', { hasText: '1 Selected' }).waitFor();
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  await expect.poll(() => read('one.txt')).toBe('one\n');
  await page.locator('.tab.dirty', { hasText: 'one.txt' }).waitFor({ state: 'detached' });
  // The files are there before the note that tells of them.
  const second = panel.locator('.row.notice', { hasText: 'One file was restored.' });
  await second.getByRole('button', { name: 'Undo the restore' }).click();
  await page.locator('.quick-input-widget', { hasText: 'Undo the Restore' }).waitFor();
  await rows.filter({ hasText: 'one.txt' }).waitFor();
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  await expect.poll(() => read('one.txt')).toBe('typed changed\n');
  const now = gitState();
  assert.deepEqual({ head: now.head, index: now.index }, { head: before.head, index: before.index });
});
