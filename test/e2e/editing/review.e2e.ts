/**
 * Changes of a session reviewed after the fact, in VS Code's own source control: lines are taken back and marked as
 * reviewed beside the editor, files from the list and from the title of the diff editor, by mouse and by key, and the model
 * is told.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askAndAllow, askAndAllowDeleting, send } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runAndChoose, runCommand } from '../support/workbench.ts';

const PERSON = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
const GAP = Array.from({ length: 12 }, (_, at) => `// ${at}\n`).join('');
const BEFORE = `const tries = 3;\n${GAP}const wait = 100;\n`;

test('changes are reviewed after the fact: lines and files are taken back, and what was reviewed stays so', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const files = { 'retry.txt': BEFORE, 'old.txt': 'nobody reads this\n', 'notes.txt': 'one\ntwo\nthree\n' };
  const folder = makeFolder(files);
  const host = await startHost({ folder, settings: { ...model.settings, 'git.enabled': false } });
  const { page, panel } = host;
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: host.folder, env: { ...process.env, ...PERSON } });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  const onDisk = (path: string) => readFileSync(join(host.folder, path), 'utf8');
  const edits = [
    { old_string: 'tries = 3', new_string: 'tries = 5' },
    { old_string: 'wait = 100', new_string: 'wait = 200' },
  ];
  model.planCall('edit_file', { path: 'retry.txt', edits }, 'Changed.');
  await askAndAllow(panel, 'Be more patient');
  model.planCall('run_command', { command: 'rm old.txt; mv notes.txt moved.txt; echo made > new.txt' }, 'Done.');
  await askAndAllowDeleting(panel, 'Tidy up');

  // The turn says what it changed, and shows it.
  await expect(panel.locator('.row.changes')).toHaveText([/One file, \+2 −2/u, /3 files, \+1 −1/u]);
  await capture('review-0-turn');

  // Undo gives the files back what they held before the turn: a list, and Enter. It is offered until the next message.
  const undo = panel.locator('.row.changes').getByRole('button', { name: /^Undo/ });
  await expect(undo).toHaveCount(1);
  const listed = (title: string) =>
    page.locator('.quick-input-widget', { hasText: title }).locator('.monaco-list-row', { hasText: 'will be' });
  await undo.click();
  await expect(listed('Undo the Changes of This Turn')).toHaveCount(4);
  await page.keyboard.press('Enter');
  await expect.poll(() => existsSync(join(host.folder, 'old.txt'))).toBe(true);
  await expect.poll(() => existsSync(join(host.folder, 'moved.txt'))).toBe(false);
  await expect(undo).toHaveCount(0);
  await panel.getByRole('button', { name: 'Undo the restore' }).click();
  await expect(listed('Undo the Restore')).toHaveCount(4);
  await page.keyboard.press('Enter');
  await expect.poll(() => existsSync(join(host.folder, 'old.txt'))).toBe(false);
  await expect.poll(() => existsSync(join(host.folder, 'moved.txt'))).toBe(true);
  assert.equal(onDisk('moved.txt'), 'one\ntwo\nthree\n');
  await panel.locator('.row.changes').last().getByRole('button', { name: 'Review' }).focus();
  await page.keyboard.press('Enter');
  const list = page.locator('.scm-view');
  const row = (name: string) => list.locator('.resource', { hasText: name });
  for (const name of ['old.txt', 'moved.txt', 'new.txt']) await row(name).waitFor();
  await expect(list.locator('.resource')).toHaveCount(3);

  // A person goes on with a file that the command made.
  appendFileSync(join(host.folder, 'new.txt'), 'and more by hand\n');
  await runAndChoose(page, 'Palimpsest: Review Changes', 'The session’s beginning');
  await row('retry.txt').waitFor();
  await expect(list.locator('.resource')).toHaveCount(4);
  await capture('review-1-list');
  await row('new.txt').hover();
  await row('new.txt').getByRole('button', { name: 'Take Back' }).click();
  const question = page.getByRole('dialog');
  await expect(question).toContainText('Somebody else has changed these files after the agent.');
  await capture('review-6-conflict');
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.equal(onDisk('new.txt'), 'made\nand more by hand\n');

  // The diff editor steps through the files, and its title and keys decide about them.
  const tab = page.locator('.tab.active');
  const title = page.locator('.editor-group-container.active .editor-actions');
  await row('moved.txt').click();
  await expect(tab).toContainText('moved.txt');
  await title.getByRole('button', { name: 'Next Changed File' }).click();
  await expect(tab).toContainText('new.txt');
  await page.keyboard.press('Alt+F7');
  await expect(tab).toContainText('old.txt');
  await page.keyboard.press('Shift+Alt+F7');
  await expect(tab).toContainText('new.txt');
  await capture('review-4-diff');
  await page.keyboard.press('ControlOrMeta+Enter');
  await row('new.txt').waitFor({ state: 'detached' });
  await expect(tab).toContainText('old.txt');
  await row('moved.txt').click();
  await title.getByRole('button', { name: 'Take Back' }).click();
  await row('moved.txt').waitFor({ state: 'detached' });
  assert.equal(onDisk('notes.txt'), 'one\ntwo\nthree\n');
  assert.equal(existsSync(join(host.folder, 'moved.txt')), false);
  await list.locator('.resource-group').hover();
  await list.getByRole('button', { name: 'Show All Changes in One Editor' }).click();
  await page.locator('.multiDiffEntry').first().waitFor();
  await capture('review-5-all');

  // A deleted file comes back from its row.
  await row('old.txt').hover();
  await row('old.txt').getByRole('button', { name: 'Take Back' }).click();
  await expect.poll(() => existsSync(join(host.folder, 'old.txt'))).toBe(true);
  assert.equal(onDisk('old.txt'), 'nobody reads this\n');
  await row('old.txt').waitFor({ state: 'detached' });

  // Beside the editor, one change of lines is taken back, and the other marked as reviewed.
  await runCommand(page, 'Go to File');
  await page.locator('.quick-input-widget input.input').fill('retry.txt');
  await quickPick(page, 'retry.txt').click();
  await page.locator('.tab', { hasText: 'retry.txt' }).waitFor();
  await page.locator('.editor-instance .view-lines').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  const marks = page.locator('.editor-instance .dirty-diff-glyph');
  await expect(marks).toHaveCount(2);
  const peek = page.locator('.peekview-widget');
  await runCommand(page, 'Show Next Change');
  await expect(peek).toContainText('1 of 2 changes');
  await capture('review-2-peek');
  await peek.locator('.peekview-actions .codicon-discard').click();
  await expect.poll(() => onDisk('retry.txt')).toBe(`const tries = 3;\n${GAP}const wait = 200;\n`);
  await expect(row('retry.txt')).toHaveCount(1);
  // The editor shows no change that it has not found yet.
  await expect(marks).toHaveCount(1);
  await page.keyboard.press('Escape');
  await page.locator('.editor-instance .view-lines').first().click();
  await runCommand(page, 'Show Next Change');
  await expect(peek).toContainText('1 of 1 change');
  await peek.locator('.peekview-actions .codicon-check').click();
  await row('retry.txt').waitFor({ state: 'detached' });
  assert.equal(onDisk('retry.txt'), `const tries = 3;\n${GAP}const wait = 200;\n`);
  await expect(marks).toHaveCount(0);

  // What the agent changed is taken back, and the lines by hand stay.
  model.planCall('edit_file', { path: 'retry.txt', old_string: 'tries = 3', new_string: 'tries = 9' }, 'Once more.');
  await askAndAllow(panel, 'Even more patient');
  appendFileSync(join(host.folder, 'retry.txt'), '\n// by hand\n');
  await runAndChoose(page, 'Palimpsest: Review Changes', 'The session’s beginning');
  await row('retry.txt').hover();
  await row('retry.txt').getByRole('button', { name: 'Take Back' }).click();
  await question.getByRole('button', { name: 'Keep Those Changes' }).click();
  await expect.poll(() => onDisk('retry.txt')).toBe(`const tries = 3;\n${GAP}const wait = 200;\n\n// by hand\n`);
  await capture('review-3-reviewed');

  // The model hears of what was taken back with the next message, once.
  await panel.locator('.row.notice', { hasText: 'The model is told.' }).first().waitFor();
  model.planReplies({ kind: 'answer', text: 'Understood.' });
  // An edit may leave a selection behind, which the person did not make.
  await expect(panel.locator('.selection')).toHaveCount(0);
  await send(panel, 'Go on');
  await panel.locator('.row.assistant', { hasText: 'Understood.' }).waitFor();
  const told = lastTurn(model.server)
    .messages.map(({ text }) => text)
    .join('\n');
  assert.equal(told.match(/The user took back changes/gu)?.length, 4, told);
  assert.equal(told.match(/The user undid what the last turn changed in files/gu)?.length, 1, told);
  for (const part of [
    '- retry.txt: the change at line 1',
    '-const tries = 5;\n+const tries = 3;',
    '- moved.txt: it is notes.txt again, as it was before',
    '- old.txt: it was deleted and is there again',
  ])
    expect(told).toContain(part);

  // What only the person made shows against the last commit, and nothing that is reviewed.
  writeFileSync(join(host.folder, 'mine.txt'), 'by hand\n');
  await runAndChoose(page, 'Palimpsest: Review Changes', 'The last commit');
  for (const name of ['mine.txt', 'retry.txt']) await row(name).waitFor();
  await expect(list.locator('.resource')).toHaveCount(2);
  await capture('review-7-commit');
});
