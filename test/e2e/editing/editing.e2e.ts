/**
 * An edit of two places: one is taken back and the other changed in the diff editor before it is written, and the model
 * is told. Then a file is moved, and one is deleted.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { runCommand, waitForToast } from '../support/workbench.ts';

const GAP = Array.from({ length: 12 }, (_, at) => `// ${at}\n`).join('');
const BEFORE = `const tries = 3;\n${GAP}const wait = 100;\n`;

test('an edit is changed and taken by hunk in the diff editor, and files are moved and deleted', {
  tag: ['@everyday', '@item:5'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const folder = makeFolder({ 'retry.txt': BEFORE, 'old.txt': 'nobody reads this\n' });
  const host = await startHost({ share: true, folder, settings: model.settings });
  const { page, panel } = host;
  const onDisk = (path: string) => readFileSync(join(host.folder, path), 'utf8');
  const told = () => lastTurn(model.server).messages.at(-1)?.text ?? '';

  const edits = [
    { old_string: 'tries = 3', new_string: 'tries = 5' },
    { old_string: 'wait = 100', new_string: 'wait = 200' },
  ];
  model.planCall('edit_file', { path: 'retry.txt', edits }, 'Changed.');
  await send(panel, 'Be more patient');
  const card = panel.locator('.approval');
  await card.getByRole('button', { name: 'Review' }).click();
  const right = page.locator('.monaco-diff-editor .editor.modified .lines-content > .view-lines');
  await expect(right).toContainText('tries');
  await capture('editing-1-diff');
  // The first hunk goes back to what the file holds; the second becomes the person’s own.
  await page.locator('.monaco-diff-editor .codicon-discard').first().click();
  await expect(card.locator('.diff')).not.toContainText('tries = 5');
  await right.locator('.view-line').first().click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('// in milliseconds');
  await expect(card).toContainText('This is your edited version');
  await expect(card.locator('.diff')).toContainText('// in milliseconds');
  await expect(card.locator('.diff')).not.toContainText('tries = 5');
  await capture('editing-2-changed');
  assert.equal(onDisk('retry.txt'), BEFORE);
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  assert.equal(onDisk('retry.txt'), `const tries = 3;\n${GAP}const wait = 200;\n// in milliseconds`);
  expect(told()).toContain('The user changed your text before it was written.');
  expect(told()).toContain('+// in milliseconds');
  await expect(page.locator('.monaco-diff-editor')).toHaveCount(0);
  await capture('editing-3-written');

  // Code of an answer goes through the same review, by keyboard; the editor takes it back, and the model is told.
  const answer =
    'Put this into `retry.txt`:\n\n```ts\nconst wait = 300;\n```\n\nAnd this:\n\n```ts\nfunction nowhere() {}\n```';
  model.planReplies({ kind: 'answer', text: answer });
  await send(panel, 'How would you wait longer?');
  await waitUntilIdle(panel);
  await panel.getByRole('button', { name: 'Apply as an edit…' }).first().press('Enter');
  await expect(right).toContainText('300');
  // The diff editor goes to the first change by itself.
  await page.locator('.part.statusbar', { hasText: 'Ln 14, Col 1' }).waitFor();
  await capture('editing-6-apply');
  await right.locator('.view-line').first().click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type(' at least');
  await page.keyboard.press('ControlOrMeta+Enter');
  const applied = `const tries = 3;\n${GAP}const wait = 300;\n// in milliseconds at least`;
  await expect.poll(() => onDisk('retry.txt')).toBe(applied);
  await expect(page.locator('.monaco-diff-editor')).toHaveCount(0);
  await expect(panel.getByText('The code was applied to retry.txt').first()).toBeVisible();
  await capture('editing-7-applied');
  await page.keyboard.press('ControlOrMeta+z');
  await expect(page.locator('.part.editor .view-lines').first()).not.toContainText('300');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => onDisk('retry.txt')).toContain('wait = 200');
  await panel.getByRole('button', { name: 'Apply as an edit…' }).last().press('Enter');
  await waitForToast(page, /The code does not fit retry\.txt\..*Its first line is not in the file: “function nowhere/);
  await capture('editing-8-unfit');
  // It covers the composer, and goes by itself only after twelve seconds.
  await runCommand(page, 'Notifications: Clear All Notifications');

  model.planCall('move_file', { path: 'retry.txt', new_path: 'src/retry.txt' }, 'Moved.');
  await send(panel, 'Put it into src');
  await card.getByText('Move this file?').waitFor();
  await capture('editing-4-move');
  expect(lastTurn(model.server).text).toContain('The user applied a code block of your answer to retry.txt, from line');
  expect(lastTurn(model.server).text).toContain('+// in milliseconds at least');
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  assert.deepEqual(
    [existsSync(join(host.folder, 'retry.txt')), existsSync(join(host.folder, 'src/retry.txt'))],
    [false, true],
  );

  model.planCall('delete_file', { path: 'old.txt' }, 'Deleted.');
  await send(panel, 'And what is old?');
  await card.getByText('Delete this file?').waitFor();
  await expect(card.locator('.diff')).toContainText('-nobody reads this');
  await capture('editing-5-delete');
  await card.getByRole('button', { name: 'Allow…', exact: true }).click();
  assert.equal(existsSync(join(host.folder, 'old.txt')), true);
  await card.getByRole('button', { name: 'Delete', exact: true }).click();
  await waitUntilIdle(panel);
  assert.equal(existsSync(join(host.folder, 'old.txt')), false);
});
