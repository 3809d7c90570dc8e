/** Skills and prompt files of a folder: offered after a slash, used, seen in the model's view, and listed. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, editorText, quickPick, runCommand } from '../support/workbench.ts';

const REVIEW =
  '---\nname: review-races\ndescription: Reviews a change for races.\n---\n\nLook for races before anything else.\n';

test('a skill is completed after a slash, used, and listed', { tag: ['@everyday', '@C2', '@item:14'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const host = await startHost({
    share: true,
    folder: makeFolder({ 'notes.md': 'remember the milk\n' }),
    settings: model.settings,
  });
  const { page, panel, folder } = host;
  mkdirSync(join(folder, '.agents/skills/review-races'), { recursive: true });
  writeFileSync(join(folder, '.agents/skills/review-races/SKILL.md'), REVIEW);
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const told = () => lastTurn(model.server).text;

  await composer.pressSequentially('/review-');
  await panel.getByRole('option', { name: /review-races/ }).waitFor();
  await capture('skills-1-completion');
  await composer.press('Tab');
  expect(await composer.inputValue()).toBe('/review-races ');
  model.plan('notes.md', 1, 'No races.');
  await ask(panel, '/review-races of the notes');
  expect(told()).toContain('- review-races: Reviews a change for races.');
  expect(told()).toContain('Look for races before anything else.');
  await capture('skills-2-used');

  await send(panel, '/memory');
  await quickPick(page, 'review-races').waitFor();
  await capture('skills-3-listed');
  await quickPick(page, 'review-races').click();
  await expect.poll(() => editorText(page)).toContain('Look for races');
});

test('a prompt file is offered with its source, asks for its values, and runs nothing', {
  tag: ['@everyday', '@C2', '@item:14'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const { page, panel } = await startHost({
    share: true,
    folder: makeFolder({
      'notes.md': 'remember the milk\n',
      '.github/prompts/tidy-list.prompt.md': `---\ndescription: Tidies a list\nmode: agent\ntools: [runCommands]\n---\nTidy \${input:list:Which list} as in \${file}.\n`,
      '.claude/commands/git/tidy-branch.md':
        '---\ndescription: Tidies a branch\nargument-hint: "[branch]"\nallowed-tools: Bash\n---\nRun !`touch ran.txt` for $1.\n',
    }),
    settings: model.settings,
  });
  const composer = panel.getByRole('combobox', { name: 'Message' });
  await runCommand(page, 'Go to File');
  await page.locator('.quick-input-widget input.input').fill('notes.md');
  await quickPick(page, 'notes.md').click();
  await expect.poll(() => editorText(page)).toContain('milk');

  await composer.pressSequentially('/tidy-');
  await panel.getByRole('option', { name: /\/git:tidy-branch \[branch\].*\.claude\/commands\/git · Tidies/ }).waitFor();
  await panel.getByRole('option', { name: /\/tidy-list.*\.github\/prompts · Tidies/ }).waitFor();
  await capture('prompt-files-1-completion');
  await composer.fill('');

  model.plan('notes.md', 1, 'Tidy.');
  await send(panel, '/tidy-list');
  await answerQuickInput(page, '/tidy-list (1/1)', 'the shopping list');
  await panel.locator('.row.user', { hasText: '/tidy-list file=notes.md list="the shopping list"' }).waitFor();
  const notice = (hasText: string) => panel.locator('.row.notice', { hasText });
  await notice('In .github/prompts/tidy-list.prompt.md this has no effect: mode, tools.').waitFor();
  await waitUntilIdle(panel);
  expect(lastTurn(model.server).text).toContain('Tidy the shopping list as in notes.md.');
  await capture('prompt-files-2-used');

  model.plan('notes.md', 1, 'Tidy again.');
  await ask(panel, '/git:tidy-branch main');
  expect(lastTurn(model.server).text).toContain('Run !`touch ran.txt` for main.');
  await notice('allowed-tools, !`touch ran.txt`.').waitFor();
});
