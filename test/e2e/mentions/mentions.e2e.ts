/**
 * Mentions by keyboard: a file, a symbol, problems and git changes are completed after `@`, read when the message is sent,
 * shown as chips, go with a compaction like other items and come back with its undo. What is missing or may be secret is
 * said before anything is sent.
 */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES } from '../support/host.ts';
import { ask, send, undoCompaction, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { chooseMenuItem, editorText, quickPick, runCommand } from '../support/workbench.ts';

const FILES = {
  '.gitignore': 'built/\n',
  'built/retry.js': 'compiled\n',
  'data.json': '{}\n',
  'src/retry.ts': 'export const last: number = "one";\n\nexport function retryTwice() {\n  return 2;\n}\n',
  'src/my notes.md': 'remember the milk\n',
  '.env': 'TOKEN=hunter2hunter2\n',
};

test('a file, a symbol, problems and git changes are mentioned by keyboard', { tag: '@item:13' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const given = makeFolder();
  for (const folder of ['src', 'built']) execFileSync('mkdir', ['-p', join(given, folder)]);
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(given, path), text);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: given });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  writeFileSync(join(given, 'data.json'), '{ "first": , }\n');
  const { page, panel } = await startHost({
    folder: given,
    settings: {
      ...model.settings,
      ...LANGUAGES,
      'palimpsest.compaction.strategy': 'llm-summary',
      'palimpsest.compaction.keep.recent': '50 tokens',
    },
  });
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const options = panel.getByRole('listbox', { name: 'Context to mention' }).getByRole('option');
  const told = () => lastTurn(model.server).messages.filter(({ text }) => text.startsWith('<mentioned>'));
  const choose = async (typed: string, option: RegExp) => {
    await composer.pressSequentially(typed);
    await expect(options.first()).toHaveText(option);
    await composer.press('Enter');
  };

  // The list: kinds, then files; what an ignore file names is not in it.
  await composer.pressSequentially('Explain @');
  await expect(options.filter({ hasText: 'problems' })).toBeVisible();
  await expect(options.filter({ hasText: 'changes' })).toBeVisible();
  await capture('mentions-1-list');
  await choose('retry', /^\s*retry\.ts\s*src\s*$/);
  await expect(composer).toHaveValue('Explain @src/retry.ts ');
  await choose('and @notes', /my notes\.md/);
  await expect(composer).toHaveValue('Explain @src/retry.ts and @"src/my notes.md" ');
  await expect(options).toHaveCount(0);
  model.planReplies({ kind: 'answer', text: 'It retries.' });
  await composer.press('Enter');
  await panel.locator('.row.user .mention').nth(1).waitFor();
  await waitUntilIdle(panel);
  expect(told().map(({ role }) => role)).toEqual(['user', 'user']);
  expect(told()[0]?.text).toContain(
    '@src/retry.ts\n\nsrc/retry.ts: lines 1-5 of 5\nexport const last: number = "one";',
  );
  expect(told()[1]?.text).toContain('remember the milk');
  await capture('mentions-2-chips');

  // A click opens the file; its language extension is awake then, and knows its symbols. Unsaved text counts.
  await panel.getByRole('button', { name: /^Open @src\/retry\.ts/ }).click();
  await expect.poll(() => editorText(page)).toContain('retryTwice');
  await page.locator('.part.editor .squiggly-error').first().waitFor();
  await page.locator('.part.editor .view-lines').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.type('export const notSaved = 0;');
  await page.keyboard.press('Enter');
  await composer.click();
  await expect(async () => {
    await composer.fill('');
    await composer.pressSequentially('And @#retryT');
    await expect(options.first()).toHaveText(/retryTwice/, { timeout: 3_000 });
  }).toPass();
  await composer.press('Tab');
  await expect(composer).toHaveValue('And @src/retry.ts#retryTwice ');
  await choose('with @prob', /^\s*problems/);
  await choose('and @chan', /^\s*changes/);
  await expect(composer).toHaveValue('And @src/retry.ts#retryTwice with @problems and @changes ');
  model.planReplies({ kind: 'answer', text: 'They differ.' });
  await composer.press('Enter');
  await panel.locator('.row.user').nth(1).locator('.mention').nth(2).waitFor();
  await waitUntilIdle(panel);
  expect(told()).toHaveLength(5);
  expect(told()[2]?.text).toMatch(/declared in line 4\.\nsrc\/retry\.ts: lines 4-6 of 6\nexport function retryTwice/);
  expect(told()[3]?.text).toContain('src/retry.ts:2:14: error: Type');
  expect(told()[4]?.text).toContain('+{ "first": , }');

  // What is missing, and what may be secret, is said first. Escape closes the list and keeps the text.
  await composer.pressSequentially('See @src/nothing.ts and @.env');
  await composer.press('Escape');
  const requests = model.server.requests.length;
  await composer.press('Enter');
  const hint = panel.locator('.hint');
  await expect(hint).toContainText('There is no file or folder src/nothing.ts.');
  await expect(hint).toContainText('It may hold secrets');
  await capture('mentions-3-doubts');
  expect(model.server.requests).toHaveLength(requests);
  await expect(composer).toHaveValue('See @src/nothing.ts and @.env');
  model.planReplies({ kind: 'answer', text: 'A token.' });
  await composer.press('Enter');
  await panel.locator('.row.user').nth(2).waitFor();
  await waitUntilIdle(panel);
  expect(told().at(-1)?.text).toContain('hunter2');

  // A file from the editor's menus, with what is selected.
  await page.locator('.part.editor .view-lines').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await runCommand(page, 'Palimpsest: Add to Palimpsest Chat');
  await expect(composer).toHaveValue('@src/retry.ts:1-2 ');
  await composer.fill('');

  // What is selected goes along by itself; one is told so once.
  const chip = panel.locator('.selection');
  await expect(chip).toContainText('src/retry.ts:1-2');
  await expect(chip).toContainText('is sent with your message');
  await capture('mentions-4-selection');
  const tokens = (await chip.locator('.mention-tokens').textContent()) ?? '?';
  model.planReplies({ kind: 'answer', text: 'A number.' });
  await ask(panel, 'What is it?');
  const asked = panel.locator('.row.user').last();
  await expect(asked.locator('.user-text')).toHaveText('What is it?');
  await expect(asked.locator('.mention')).toHaveAttribute('title', `Open @src/retry.ts:1-2 (${tokens} tokens)`);
  expect(told().at(-1)?.text).toContain('src/retry.ts: lines 1-2 of 6, read on with offset 3');
  await expect(chip).not.toContainText('is sent with');

  // It follows the editor, also by a key and a menu, and is never one that may hold secrets.
  const editor = page.locator('.part.editor .view-lines').first();
  await editor.click();
  await page.keyboard.press('ControlOrMeta+Home');
  await expect(chip).toHaveCount(0);
  await page.keyboard.press('Shift+ArrowDown');
  await expect(chip).toContainText('src/retry.ts:1');
  // All that is selected in the panel's field selects nothing in the editor.
  await composer.focus();
  await composer.press('ControlOrMeta+A');
  await page.keyboard.press('ControlOrMeta+1');
  await page.keyboard.press('ControlOrMeta+K');
  await page.keyboard.press('ControlOrMeta+A');
  await expect(composer).toHaveValue('@src/retry.ts:1 ');
  await composer.fill('');
  model.planReplies({ kind: 'answer', text: 'It is exported.' });
  await editor.click({ button: 'right', position: { x: 40, y: 8 } });
  await chooseMenuItem(page, 'Explain with Palimpsest');
  await expect(panel.locator('.row.user').last()).toContainText('Explain @src/retry.ts:1.');
  await waitUntilIdle(panel);
  await page.keyboard.press('ControlOrMeta+P');
  await page.locator('.quick-input-widget input.input').fill('.env');
  await quickPick(page, '.env').click();
  await expect.poll(() => editorText(page)).toContain('hunter2');
  await page.locator('.part.editor .view-lines').first().click();
  await page.keyboard.press('ControlOrMeta+A');
  await expect(chip).toHaveCount(0);

  // A compaction takes what was mentioned like anything else, and its undo gives it back.
  await send(panel, '/compact');
  await panel.locator('.row.compaction').waitFor();
  await expect(panel.locator('.mention:not(.fate-kept)').first()).toBeVisible();
  await capture('mentions-4-compacted');
  await undoCompaction(panel);
  await expect(panel.locator('.mention:not(.fate-kept)')).toHaveCount(0);
  model.planReplies({ kind: 'answer', text: 'All there.' });
  await ask(panel, 'Is all there?');
  expect(told()).toHaveLength(8);
});
